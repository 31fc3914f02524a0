import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Client } from 'pg';
import { ServiceFailedError, startChild, waitUntilReady } from './children.ts';
import { freePort } from './free-port.ts';
import { type Owner, unprivilegedOwner } from './owner.ts';
import { placeFor, programsFor } from './postgres-place.ts';
import { lastLine, runTool } from './run-tool.ts';

export interface PostgresOptions {
  /** Parent of the data folder. Under root the data may have to live elsewhere, see `dataDir`. */
  dir: string;
  /** `durable`: fsync and a password, for the demo. `throwaway`: neither, for tests. */
  keep: 'durable' | 'throwaway';
  port?: number;
  ownGroup?: boolean;
}

export interface PostgresService {
  /** Superuser's address of the database `postgres`, with its password if there is one. */
  url: string;
  dataDir: string;
  pid: number;
  /** Ends sessions and waits until the server is down. */
  stop: () => Promise<void>;
}

const USER = 'oikos';

/**
 * The Postgres that npm installed, on 127.0.0.1. It refuses to run as root, so under root it runs
 * as another user, with program and data where that user can reach them.
 * @throws ServiceFailedError
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresService> {
  const owner = unprivilegedOwner();
  const programs = await programsFor(owner);
  const home = await placeFor(resolve(options.dir), owner);
  const dataDir = join(home, 'data');
  const password = options.keep === 'durable' ? await rememberPassword(home) : null;
  await initialise({ programs, home, dataDir, password, owner });
  const port = options.port ?? (await freePort());
  const child = await startChild({
    name: 'Postgres',
    command: join(programs, 'postgres'),
    args: serverFlags(dataDir, port, options.keep),
    cwd: home,
    env: serverEnv(),
    ...(owner === null ? {} : { owner }),
    // SIGINT is Postgres's fast shutdown; SIGTERM would wait for every client to leave.
    stopSignal: 'SIGINT',
    ownGroup: options.ownGroup ?? false,
  });
  const url = `postgres://${USER}${password === null ? '' : `:${password}`}@127.0.0.1:${port}/postgres`;
  await waitUntilReady(child, 'Postgres', () => answersQuery(url), 30_000);
  return { url, dataDir, pid: child.pid, stop: () => child.stop() };
}

function serverFlags(dataDir: string, port: number, keep: PostgresOptions['keep']): string[] {
  const place = ['-D', dataDir, '-p', `${port}`, '-h', '127.0.0.1', '-k', dataDir];
  const fast = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  return [...place, '-c', 'max_connections=200', ...(keep === 'throwaway' ? fast : [])];
}

/** Postgres reads PG* variables; what the caller's shell says about other servers is not meant for ours. */
function serverEnv(): NodeJS.ProcessEnv {
  const foreign = ([name]: [string, unknown]) => !name.startsWith('PG');
  return { ...Object.fromEntries(Object.entries(process.env).filter(foreign)), LC_ALL: 'C' };
}

async function initialise(place: {
  programs: string;
  home: string;
  dataDir: string;
  password: string | null;
  owner: Owner | null;
}): Promise<void> {
  const finished = join(place.home, 'initialised');
  if ((await readFile(finished).catch(() => null)) !== null) return;
  // A crash in the middle of initdb leaves a folder that it refuses to use again.
  await rm(place.dataDir, { recursive: true, force: true });
  const passwordFile = join(place.home, 'password');
  const auth =
    place.password === null ? ['-A', 'trust'] : ['-A', 'scram-sha-256', '--pwfile', passwordFile];
  const flags = ['-D', place.dataDir, '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync', ...auth];
  const made = await runTool(join(place.programs, 'initdb'), flags, {
    cwd: place.home,
    env: serverEnv(),
    ...place.owner,
  });
  if (!made.ok)
    throw new ServiceFailedError(
      'Postgres',
      `could not be initialised: ${lastLine(made.output)}`,
      made.output,
    );
  await writeFile(finished, '');
}

async function rememberPassword(home: string): Promise<string> {
  const path = join(home, 'password');
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known !== null) return known;
  const password = randomBytes(24).toString('base64url');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, password, { mode: 0o600 });
  await chmod(path, 0o600);
  const owner = unprivilegedOwner();
  if (owner !== null) await chown(path, owner.uid, owner.gid);
  return password;
}

async function answersQuery(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
