import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createMatrixApi } from '../lab/console/matrix-api.ts';
import { until } from '../lab/services/until.ts';

/**
 * Photographs the demo's room in a real client, for docs/images. It needs a demo that runs
 * (`npm run demo`), Chromium, and a build of Cinny (github.com/cinnyapp/cinny, with
 * `{"hashRouter":{"enabled":true}}` in its config.json) on any web server:
 *
 *   node scripts/room-picture.ts --client http://127.0.0.1:8080 --demo .oikos/demo \
 *     --out docs/images --say 'restart nginx on web' --say 'go ahead'
 *
 * One picture before anything is said, and one after each thing: `0.png`, `1.png`, …
 * `pngquant 64` then makes them small enough for a repository.
 */
const { values } = parseArgs({
  options: {
    client: { type: 'string', default: 'http://127.0.0.1:8080' },
    demo: { type: 'string', default: '.oikos/demo' },
    out: { type: 'string', default: '.' },
    browser: { type: 'string', default: 'chromium' },
    width: { type: 'string', default: '412' },
    height: { type: 'string', default: '915' },
    say: { type: 'string', multiple: true, default: [] },
  },
});

const connection = z
  .object({ homeserver_url: z.string(), room_id: z.string(), operator_id: z.string() })
  .parse(JSON.parse(await readFile(join(values.demo, 'connection.json'), 'utf8')));
const { operator_password: password } = z
  .object({ operator_password: z.string() })
  .parse(JSON.parse(await readFile(join(values.demo, 'secrets.json'), 'utf8')));
const { homeserver_url: url, room_id: roomId, operator_id: user } = connection;
const room = encodeURIComponent(roomId);

await using stack = new AsyncDisposableStack();
const login = await createMatrixApi({ url })('POST', '/login', {
  type: 'm.login.password',
  identifier: { type: 'm.id.user', user },
  password,
  initial_device_display_name: 'a picture',
});
const session = z.object({ access_token: z.string(), device_id: z.string() }).parse(login);
const api = createMatrixApi({ url, token: session.access_token });
stack.defer(() => api('POST', '/logout', {}).then(() => undefined));
const page = await openPage(stack);
await page('Page.addScriptToEvaluateOnNewDocument', { source: signIn() });
await page('Page.navigate', { url: `${values.client}/#/home/${room}/` });
await until(async () => {
  if (!(await evaluate('document.body.innerText')).includes('Send a message')) {
    throw new Error('the client does not show the room');
  }
});
await photograph(0);
for (const [at, text] of values.say.entries()) {
  const message = { msgtype: 'm.text', body: text };
  await api('PUT', `/rooms/${room}/send/m.room.message/picture-${Date.now()}`, message);
  await photograph(at + 1);
}

/** Once nothing has changed for a while, with the newest message in sight. */
async function photograph(at: number): Promise<void> {
  let [before, shown] = ['', await evaluate('document.body.innerText')];
  for (let round = 0; before !== shown && round < 20; round += 1) {
    await sleep(2_500);
    [before, shown] = [shown, await evaluate('document.body.innerText')];
  }
  await evaluate(
    `[...document.querySelectorAll('button')].find((b) => b.innerText.includes('Jump to Latest'))?.click() ?? ''`,
  );
  await sleep(1_000);
  const { data } = z
    .object({ data: z.string() })
    .parse(await page('Page.captureScreenshot', { format: 'png' }));
  await writeFile(join(values.out, `${at}.png`), Buffer.from(data, 'base64'));
}

async function evaluate(expression: string): Promise<string> {
  const answer = await page('Runtime.evaluate', { expression, returnByValue: true });
  const read = z.object({ result: z.object({ value: z.unknown() }) }).parse(answer);
  return String(read.result.value ?? '');
}

/** What Cinny keeps of a login, and quiet settings. */
function signIn(): string {
  const kept = {
    cinny_access_token: session.access_token,
    cinny_device_id: session.device_id,
    cinny_user_id: user,
    cinny_hs_base_url: url,
    settings: JSON.stringify({
      themeIndex: 0,
      useSystemTheme: false,
      hideMembershipEvents: true,
      hideNickAvatarEvents: true,
      isPeopleDrawer: false,
      urlPreview: false,
    }),
  };
  return `Object.assign(localStorage, ${JSON.stringify(kept)});`;
}

type Command = (method: string, params?: object) => Promise<unknown>;

/** Chromium with one page, spoken to over its debugging socket. */
async function openPage(owner: AsyncDisposableStack): Promise<Command> {
  const profile = await mkdtemp(join(tmpdir(), 'oikos-picture-'));
  // Its helpers write a moment longer than itself.
  owner.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
  const browser = spawn(
    values.browser,
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...['--hide-scrollbars', '--remote-debugging-port=0', `--user-data-dir=${profile}`],
      'about:blank',
    ],
    { stdio: 'ignore' },
  );
  owner.defer(async () => {
    const ended = new Promise((resolve) => browser.once('exit', resolve));
    browser.kill();
    await ended;
  });
  const targets = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string() }));
  const address = await until(async () => {
    const [port] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const found = targets.parse(await answer.json()).find(({ type }) => type === 'page');
    if (!found) throw new Error('Chromium has no page');
    return found.webSocketDebuggerUrl;
  });
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const reply = z.object({
    id: z.number().optional(),
    result: z.unknown().optional(),
    error: z.unknown().optional(),
  });
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = reply.parse(JSON.parse(String(data)));
    const asked = id === undefined ? undefined : waiting.get(id);
    if (error) asked?.reject(new Error(JSON.stringify(error)));
    else asked?.resolve(result);
  });
  let count = 0;
  const command: Command = (method, params = {}) => {
    count += 1;
    const asked = Promise.withResolvers<unknown>();
    waiting.set(count, asked);
    socket.send(JSON.stringify({ id: count, method, params }));
    return asked.promise;
  };
  await command('Page.enable');
  await command('Emulation.setDeviceMetricsOverride', {
    width: Number(values.width),
    height: Number(values.height),
    deviceScaleFactor: 2,
    mobile: false,
  });
  return command;
}
