import { eq } from 'drizzle-orm';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { upsertEntity } from '../../shared/db/entities.ts';
import { approvals, type executions } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import { type ProposeAnswer, propose } from '../../shared/propose.ts';
import { executorsFor, type HostOptions, type World, world } from './daemon-world.ts';
import { callKey, type House, house, OPERATOR } from './house.ts';
import { testSeals } from './seals.ts';

type Acting = ReturnType<typeof executorsFor>[number];

export interface Proposing {
  readonly h: House;
  readonly home: World;
  readonly acting: readonly Acting[];
  /** Through propose(); the looking daemon is the first one, as soon as it is rung. */
  ask(command: string, target?: string): Promise<ProposeAnswer>;
  /** The same without anybody who hears the ring: the row stays `proposed`. */
  askUnheard(command: string): Promise<string>;
  /** The operator's yes, or the sentence that the card prints. */
  yes(answer: ProposeAnswer): Promise<string>;
  /** The row after the first daemon was rung for it. */
  run(id: string): Promise<typeof executions.$inferSelect>;
  cards(): Promise<readonly (typeof approvals.$inferSelect)[]>;
}

/** A house whose proposals reach a real host, without queue or sweeper: one step at a time. */
export async function proposing(host: HostOptions, daemons = 1): Promise<Proposing> {
  const h = await house();
  const home = await world(h.url);
  const acting = executorsFor(home, daemons, host);
  const [first] = acting;
  if (!first) throw new Error('no daemon');
  await syncFleet(h.db, first.fleet, home.site, testSeals);
  const box = { type: 'host', slug: 'host:box', name: 'box', state: 'active' } as const;
  await upsertEntity(h.db, { ...box, attributes: { shell: 'bash' } }, new Date());
  for (const { slug, name } of host.guests ?? []) {
    const guest = { type: 'lxc', slug, name, state: 'active' } as const;
    await upsertEntity(h.db, { ...guest, attributes: { shell: 'bash' } }, new Date());
  }
  const place = await h.newTask();
  const wish = (command: string, target: string) => ({
    ...place,
    callKey: callKey(),
    target,
    command,
    purpose: '',
  });
  const deps = {
    ...h.proposeDeps,
    waitForLook: async (id: string) => {
      await first.previewer.look(id);
      return home.row(id);
    },
  };
  return {
    h,
    home,
    acting,
    ask: (command, target = 'host:box') => propose(deps, wish(command, target)),
    async askUnheard(command) {
      const answer = await propose(h.proposeDeps, wish(command, 'host:box'));
      if (answer.kind !== 'waiting') throw new Error(`expected to wait, got ${answer.kind}`);
      return answer.execution.id;
    },
    async yes(answer) {
      if (answer.kind !== 'waiting') throw new Error(`expected a card: ${JSON.stringify(answer)}`);
      const { id } = answer.execution;
      const [card] = await h.db.select().from(approvals).where(eq(approvals.executionId, id));
      const words = card?.phraseVerb ? `I confirm ${card.phraseVerb} ${card.phraseObject}` : 'yes';
      const how = card?.phraseVerb ? 'typed' : 'words';
      const decision = { approvalId: card?.id ?? '', decision: 'granted', by: OPERATOR } as const;
      const decided = await decide(h.decideDeps, { ...decision, how, words });
      if (decided.kind !== 'granted') throw new Error(`expected a yes, got ${decided.kind}`);
      return id;
    },
    async run(id) {
      await first.executor.execute(id);
      return home.row(id);
    },
    cards: () => h.db.select().from(approvals),
  };
}
