import { connect } from '../../shared/db/client.ts';
import { readGateGround } from '../../shared/db/gate-ground.ts';
import type { GateGround } from '../../shared/gate-facts.ts';
import { type Check, fails, note, ok } from '../check.ts';
import { errorCode, reasonOf } from '../reason.ts';
import { type Env, readSettings } from '../settings.ts';

/** Whether the gate was told where Oikos lives, and whether its settings name what is there. */
export async function checkGate(env: Env): Promise<readonly Check[]> {
  const settings = readSettings(env, ['DATABASE_URL']);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { db, close } = connect(settings.config.DATABASE_URL, { name: 'oikos-doctor' });
  try {
    return gateChecks(await readGateGround(db));
  } catch (error) {
    const isNew = errorCode(error) === NO_SUCH_TABLE;
    return [isNew ? note('no settings yet: the schema comes first') : fails(reasonOf(error))];
  } finally {
    await close();
  }
}

const NO_SUCH_TABLE = '42P01';

/** What the settings leave open; the place of Oikos is suggested, never assumed. */
export function gateChecks({ settings, fleet }: GateGround): readonly Check[] {
  const { slugs } = settings.self;
  const known = new Set(fleet.map(({ slug }) => slug));
  const named = [...slugs, ...Object.keys(settings.floors)].filter((name) => !name.includes('/'));
  const missing = named.filter((name) => !known.has(name));
  const likely = fleet.filter(({ attributes }) => attributes.looksOwn).map(({ slug }) => slug);
  return [
    ...(slugs.length > 0 ? [ok(`Oikos lives in ${slugs.join(', ')}`)] : [selfUnknown(likely)]),
    ...missing.map((name) =>
      note(
        `the gate's settings name ${name}, which the fleet does not have`,
        'oikos policy show lists them',
      ),
    ),
  ];
}

function selfUnknown(likely: readonly string[]): Check {
  const text = 'nobody has said in which guest Oikos lives; only its own folders and names count';
  const [first, ...more] = likely;
  if (first === undefined)
    return note(text, 'oikos policy self add slug lxc:…, if it lives in one');
  const also = more.length > 0 ? ` (or ${more.join(', ')})` : '';
  return note(
    text,
    `${first}${also} has the name or an address of the daemon's machine: if that is it, oikos policy self add slug ${first}`,
  );
}
