import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';
import { type Check, fails, note, ok } from '../check.ts';
import { parseJson } from '../parse-json.ts';
import { errorCode, reasonOf } from '../reason.ts';
import { type Env, readSettings } from '../settings.ts';

/** What bot and daemon answer to GET /readyz. */
const readyz = z.object({
  ready: z.boolean(),
  missing: z.union([z.array(z.string()), z.record(z.string(), z.string())]),
});

/** Whether the two health ports are free, or taken by Oikos itself: then how it is. */
export async function checkPorts(env: Env): Promise<readonly Check[]> {
  const settings = readSettings(env, ['BOT_HTTP_PORT', 'DAEMON_HTTP_PORT']);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { BOT_HTTP_PORT, DAEMON_HTTP_PORT } = settings.config;
  if (BOT_HTTP_PORT === DAEMON_HTTP_PORT && BOT_HTTP_PORT !== 0) {
    return [fails(`BOT_HTTP_PORT and DAEMON_HTTP_PORT are both ${BOT_HTTP_PORT}`, 'change one')];
  }
  return [
    await checkPort('bot', 'BOT_HTTP_PORT', BOT_HTTP_PORT),
    await checkPort('daemon', 'DAEMON_HTTP_PORT', DAEMON_HTTP_PORT),
  ];
}

async function checkPort(who: string, setting: string, port: number): Promise<Check> {
  const trouble = await listenOnce(port);
  if (trouble === undefined) return ok(`${who}: port ${port} is free, it does not run now`);
  if (trouble.code !== 'EADDRINUSE') {
    return fails(`port ${port} cannot be used (${trouble.reason})`, `change ${setting}`);
  }
  const state = await askReadiness(port);
  if (state === undefined) {
    return fails(`port ${port} is taken by another program`, `change ${setting}`);
  }
  if (state.ready) return ok(`${who}: runs on port ${port} and is ready`);
  const missing = Array.isArray(state.missing)
    ? state.missing
    : Object.entries(state.missing).map(([name, why]) => `${name} (${why})`);
  return note(`${who}: runs on port ${port} and misses ${missing.join(', ')}`);
}

async function listenOnce(port: number): Promise<{ code: string; reason: string } | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    return undefined;
  } catch (error) {
    return { code: errorCode(error) ?? '', reason: reasonOf(error) };
  }
}

async function askReadiness(port: number): Promise<z.infer<typeof readyz> | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(5_000),
    });
    return readyz.safeParse(parseJson(await response.text())).data;
  } catch {
    // Whatever it is, it is none of ours.
    return undefined;
  }
}
