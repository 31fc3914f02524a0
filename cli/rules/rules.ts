import { revokedLine, ruleList } from '../../bot/cards/rule-lines.ts';
import { connect, type Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { liveRules } from '../../shared/db/rules.ts';
import { revokeRule } from '../../shared/rules.ts';
import { type Env, readSettings } from '../settings.ts';

/** A setting that the command needs is missing or wrong. */
class SettingsProblem extends Error {
  override readonly name = 'SettingsProblem';
}

/** What is always allowed now, as `!oikos rules` shows it in the room. */
export function listRules(env: Env): Promise<string> {
  return withDatabase(env, async (db, timeZone) =>
    ruleList(await liveRules(db, await readNow(db)), timeZone),
  );
}

/** Ends the rule of that name; `done` is false where there is nothing to end. */
export async function revokeNamed(
  env: Env,
  named: string,
): Promise<{ readonly done: boolean; readonly line: string }> {
  const number = /^r(\d{1,9})$/i.exec(named)?.[1];
  if (number === undefined) return { done: false, line: `${named} is no rule; they are like R1` };
  const answer = await withDatabase(env, (db) =>
    revokeRule(db, { number: Number(number), by: 'cli' }),
  );
  switch (answer.kind) {
    case 'revoked':
      return { done: true, line: revokedLine(answer.rule) };
    case 'already':
      return { done: false, line: `R${number} was revoked before` };
    case 'unknown':
      return { done: false, line: `there is no R${number}; oikos rules list shows what there is` };
  }
}

async function withDatabase<T>(
  env: Env,
  act: (db: Db, timeZone: string) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env, ['DATABASE_URL', 'OIKOS_TIME_ZONE']);
  if (!settings.ok) throw new SettingsProblem(settings.problems.join('; '));
  const { DATABASE_URL: url, OIKOS_TIME_ZONE: timeZone } = settings.config;
  const { db, close } = connect(url, { name: 'oikos-cli', maxConnections: 1 });
  try {
    return await act(db, timeZone);
  } finally {
    await close();
  }
}
