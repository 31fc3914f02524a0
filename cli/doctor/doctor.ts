import { botSettings, daemonSettings, readConfig } from '../../shared/config.ts';
import { type Check, fails, ok } from '../check.ts';
import { checkHosts } from '../host/check.ts';
import { checkMatrix } from '../matrix/check.ts';
import { checkModel } from '../model/check.ts';
import { type Env, readSettings } from '../settings.ts';
import { checkDatabase } from './database.ts';
import { checkGate } from './gate.ts';
import { checkPorts } from './ports.ts';
import { checkQueue } from './queue.ts';
import { checkSealKey } from './seal.ts';

export interface DoctorAsk {
  /** False: the model is not asked, which costs tokens. */
  readonly model: boolean;
}

export interface Section {
  readonly title: string;
  readonly checks: readonly Check[];
}

/** Everything that Oikos needs, looked at all at once; nothing is changed. */
export async function examine(env: Env, { model }: DoctorAsk): Promise<readonly Section[]> {
  const problems = settingsProblems(env);
  const looks: readonly (readonly [string, Promise<readonly Check[]>])[] = [
    ['Postgres', checkDatabase(env)],
    ['Redis or Valkey', checkQueue(env)],
    ['Seal key', checkSealKey(env)],
    ['Ports', checkPorts(env)],
    ['Matrix', checkMatrix(env, { fetch })],
    ...(model ? [['Model', checkModel(env, { fetch })] as const] : []),
    ['Hosts', checkFleet(env)],
    ['Gate', checkGate(env)],
  ];
  const sections = looks.map(async ([title, checks]) => ({
    title,
    checks: (await guarded(checks)).map((check) => sayOnce(check, problems)),
  }));
  const first = [nodeCheck(process.versions.node), ...settingsChecks(problems)];
  return [{ title: 'Node and settings', checks: first }, ...(await Promise.all(sections))];
}

/** A missing setting is told where all settings are. */
function sayOnce(check: Check, problems: ReadonlySet<string>): Check {
  return problems.has(check.text) ? fails('not looked at', 'see the settings above') : check;
}

/** One check that breaks must not hide what the others found. */
async function guarded(checks: Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await checks;
  } catch (error) {
    return [fails(`this check broke (${error instanceof Error ? error.message : String(error)})`)];
  }
}

/** Node 24 is the first that runs TypeScript as it is. */
export function nodeCheck(version: string): Check {
  const major = Number(version.split('.')[0]);
  return major >= 24
    ? ok(`Node ${version}`)
    : fails(
        `Node ${version} is too old`,
        'start through npm, which brings its own: npm run oikos -- doctor',
      );
}

function settingsProblems(env: Env): ReadonlySet<string> {
  const bot = readConfig(botSettings, env);
  const daemon = readConfig(daemonSettings, env);
  return new Set([...(bot.ok ? [] : bot.problems), ...(daemon.ok ? [] : daemon.problems)]);
}

function settingsChecks(problems: ReadonlySet<string>): readonly Check[] {
  if (problems.size === 0) return [ok('all settings can be read')];
  return [...problems].map((problem) => fails(problem, 'set it in .env'));
}

async function checkFleet(env: Env): Promise<readonly Check[]> {
  const read = readSettings(env, ['FLEET_FILE', 'DAEMON_SITE', 'SSH_CONNECT_SECONDS']);
  if (!read.ok) return read.problems.map((problem) => fails(problem));
  const { FLEET_FILE, DAEMON_SITE, SSH_CONNECT_SECONDS } = read.config;
  return checkHosts({
    fleetFile: FLEET_FILE,
    site: DAEMON_SITE,
    connectMs: SSH_CONNECT_SECONDS * 1_000,
  });
}
