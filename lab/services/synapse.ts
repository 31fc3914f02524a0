import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type Child, ServiceFailedError, startChild, waitUntilReady } from './children.ts';
import { freePort } from './free-port.ts';
import { lastLine, runTool } from './run-tool.ts';
import { homeserverYaml, logYaml, type SynapseSecrets } from './synapse-config.ts';
import { loginUser, registerUser, type SynapseLogin } from './synapse-users.ts';

export interface SynapseOptions {
  /** Working folder: config, keys, database, media. */
  dir: string;
  /** The interpreter that has Synapse, see `ensurePython`. */
  python: string;
  /** Not resolved anywhere. */
  serverName?: string;
  port?: number;
  ownGroup?: boolean;
}

export interface SynapseService {
  url: string;
  serverName: string;
  /** Registration secret, for whoever registers users from another process. */
  secret: string;
  pid: () => number;
  /** Registers a user unless there is one of that name. */
  registerUser: (name: string, password: string, options?: { admin?: boolean }) => Promise<void>;
  login: (name: string, password: string, deviceId?: string) => Promise<SynapseLogin>;
  stop: () => Promise<void>;
  /** Down and up again on the same port with the same data. */
  restart: () => Promise<void>;
}

const SecretsFile = z.object({ registration: z.string(), macaroon: z.string(), form: z.string() });

/**
 * A real Matrix homeserver on 127.0.0.1, for the demo and for tests.
 * @throws ServiceFailedError with the last lines of its log.
 */
export async function startSynapse(options: SynapseOptions): Promise<SynapseService> {
  const dir = resolve(options.dir);
  const serverName = options.serverName ?? 'oikos.test';
  const port = options.port ?? (await freePort());
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const secrets = await rememberSecrets(dir);
  await writeFile(
    join(dir, 'homeserver.yaml'),
    homeserverYaml({ dir, serverName, port, secrets }),
    { mode: 0o600 },
  );
  await writeFile(join(dir, 'log.yaml'), logYaml());
  await generateKeys(options.python, dir);
  const url = `http://127.0.0.1:${port}`;
  const start = () => launch({ ...options, dir, url });
  let child = await start();
  return {
    url,
    serverName,
    secret: secrets.registration,
    pid: () => child.pid,
    registerUser: (name, password, extra = {}) =>
      registerUser({
        url,
        secret: secrets.registration,
        name,
        password,
        admin: extra.admin ?? false,
      }),
    login: (name, password, deviceId) => loginUser({ url, name, password, deviceId }),
    stop: () => child.stop(20_000),
    restart: async () => {
      await child.stop(20_000);
      child = await start();
    },
  };
}

async function launch(at: SynapseOptions & { url: string }): Promise<Child> {
  const child = await startChild({
    name: 'Synapse',
    command: at.python,
    args: ['-m', 'synapse.app.homeserver', '-c', 'homeserver.yaml'],
    cwd: at.dir,
    stopSignal: 'SIGTERM',
    ownGroup: at.ownGroup ?? false,
  });
  await waitUntilReady(child, 'Synapse', () => isHealthy(at.url), 60_000);
  return child;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

async function generateKeys(python: string, dir: string): Promise<void> {
  const made = await runTool(
    python,
    ['-m', 'synapse.app.homeserver', '-c', 'homeserver.yaml', '--generate-keys'],
    { cwd: dir },
  );
  if (!made.ok) {
    throw new ServiceFailedError(
      'Synapse',
      `could not make its keys: ${lastLine(made.output)}`,
      made.output,
    );
  }
}

/** Kept over restarts: other secrets would make every access token invalid. */
async function rememberSecrets(dir: string): Promise<SynapseSecrets> {
  const path = join(dir, 'secrets.json');
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known !== null) return SecretsFile.parse(JSON.parse(known));
  const secret = () => randomBytes(32).toString('base64url');
  const secrets = { registration: secret(), macaroon: secret(), form: secret() };
  await writeFile(path, JSON.stringify(secrets), { mode: 0o600 });
  return secrets;
}
