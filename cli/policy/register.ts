import { Argument, type Command, Option } from 'commander';
import { FLOOR_CLASSES, type FloorClass } from '../../shared/domain/gate-setting.ts';
import { GATE_POLICY } from '../../shared/gate/policy.ts';
import { cliActor } from '../actor.ts';
import type { CommandDeps } from '../command-deps.ts';
import { openSealer } from '../seal/open.ts';
import { withDatabase } from '../with-database.ts';
import type { Changed, policyChanges, SelfKind } from './changes.ts';

const KINDS = ['slug', 'path', 'unit', 'address'] as const satisfies readonly SelfKind[];
/** Of the judgement calls, for the help. */
const NAMES = Object.keys(GATE_POLICY.shape).join(', ');

/** Adds `oikos policy`: the only way to change what the gate goes by. */
export function registerPolicy(program: Command, deps: CommandDeps): void {
  const change = (work: (changes: ReturnType<typeof policyChanges>) => Promise<Changed>) =>
    withDatabase(deps, async (db) => {
      const { policyChanges: changesOn } = await import('./changes.ts');
      const seals = await openSealer(deps.env);
      deps.terminal.say((await work(changesOn(db, seals, cliActor()))).line);
    });
  const policy = program.command('policy').description('What the gate goes by (docs/GATE.md).');
  policy
    .command('show')
    .description('Print all settings.')
    .option('--json', 'as one JSON object')
    .action(({ json }: { readonly json?: true }) => show(deps, json ?? false));
  policy
    .command('set')
    .description('Decide a judgement call (docs/GATE.md says what each means).')
    .argument('<name>', NAMES)
    .argument('[values...]', 'on or off, or a list; nothing: an empty list')
    .action((name: string, values: string[]) => change((to) => to.setPolicy(name, values)));
  policy
    .command('reset')
    .description('Take a judgement call back to what Oikos ships with.')
    .argument('<name>', NAMES)
    .action((name: string) => change((to) => to.resetPolicy(name)));
  policy
    .command('protect')
    .description('Make every change of a host or guest count at least as a class.')
    .argument('<target>', 'like lxc:nas; a host does not stand for its guests')
    .addOption(
      new Option('--floor <class>', 'the class').choices(FLOOR_CLASSES).default('destructive'),
    )
    .action((target: string, { floor }: { readonly floor: FloorClass }) =>
      change((to) => to.protect(target, floor)),
    );
  policy
    .command('unprotect')
    .description('Take that back; what fleet.yaml says stays.')
    .argument('<target>', 'like lxc:nas')
    .action((target: string) => change((to) => to.unprotect(target)));
  const self = policy.command('self').description('Where Oikos itself lives.');
  const kind = () => new Argument('<kind>', 'what the name is of').choices(KINDS);
  self
    .command('add')
    .description("Name a guest, folder, unit or container, or address that is Oikos's own.")
    .addArgument(kind())
    .argument('<name>', 'like lxc:steward, /srv/postgres, synapse, 10.0.0.40')
    .action((of: SelfKind, name: string) => change((to) => to.addSelf(of, name)));
  self
    .command('remove')
    .description('Take one back.')
    .addArgument(kind())
    .argument('<name>', 'as oikos policy show prints it')
    .action((of: SelfKind, name: string) => change((to) => to.removeSelf(of, name)));
}

async function show(deps: CommandDeps, json: boolean): Promise<void> {
  await withDatabase(deps, async (db) => {
    const { readGateGround } = await import('../../shared/db/gate-ground.ts');
    const { settingsLines } = await import('./show.ts');
    const ground = await readGateGround(db);
    if (json) deps.terminal.say(JSON.stringify(ground.settings));
    else for (const line of settingsLines(ground)) deps.terminal.say(line);
  });
}
