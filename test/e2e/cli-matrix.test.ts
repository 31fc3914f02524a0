import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { checkLine } from '../../cli/check.ts';
import { checkMatrix } from '../../cli/matrix/check.ts';
import { logIn } from '../../cli/matrix/login.ts';
import { createMatrixApi } from '../../lab/console/matrix-api.ts';
import { type ConsoleUser, connectUser } from '../../lab/console/user.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { registerUser } from '../../lab/services/synapse-users.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import type { ProvidedSynapse } from '../support/services.ts';

const PASSWORD = 'correct horse';
let synapse: ProvidedSynapse;
let bot: string;

beforeAll(async () => {
  const provided = inject('synapse');
  if (provided === null) throw new Error('these tests need the homeserver of the e2e project');
  synapse = provided;
  bot = await register('nomos');
});

async function register(role: string): Promise<string> {
  const name = `${role}-${randomUUID().slice(0, 8)}`;
  const { url, secret } = synapse;
  await registerUser({ url, secret, name, password: PASSWORD, admin: false });
  return name;
}

function envFile(text?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'oikos-login-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, '.env');
  if (text !== undefined) writeFileSync(path, text);
  return path;
}

const ask = (more: object = {}) => ({
  homeserver: synapse.url,
  user: bot,
  envFile: envFile(),
  ...more,
});

describe('oikos matrix login', () => {
  it('asks for what is missing, and keeps the token in .env beside the other lines', async () => {
    const path = envFile('# mine\nA=1\n#MATRIX_ACCESS_TOKEN=\n');
    const terminal = scriptedTerminal([synapse.url, bot, PASSWORD]);
    const nothing = { homeserver: undefined, user: undefined, envFile: path };
    expect(await logIn(nothing, { terminal, env: {}, fetch })).toBe(true);
    expect(terminal.lines).toEqual([
      'Homeserver, like https://matrix.example.org:',
      "The bot account's name, like nomos:",
      `Password of ${bot} (not shown):`,
      expect.stringContaining(`✓ @${bot}:oikos.test is logged in as device `),
    ]);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^# mine\nA=1\nMATRIX_ACCESS_TOKEN=syt_\S+\nMATRIX_HOMESERVER_URL=\S+\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [first, second] = (await checkMatrix(parseEnv(text), { fetch })).map(checkLine);
    expect(first).toBe(`✓ ${synapse.url} is a homeserver`);
    expect(second).toMatch(`✓ the token is accepted and is @${bot}:oikos.test's, device `);
  });

  it('takes the password from the environment, or from a pipe', async () => {
    const deps = { fetch, terminal: scriptedTerminal() };
    expect(await logIn(ask(), { ...deps, env: { MATRIX_PASSWORD: PASSWORD } })).toBe(true);
    const piped = scriptedTerminal(undefined, [PASSWORD]);
    expect(await logIn(ask(), { ...deps, env: {}, terminal: piped })).toBe(true);
  });

  it('prints the two lines alone where that is wanted', async () => {
    const terminal = scriptedTerminal(undefined, [PASSWORD]);
    await logIn(ask({ envFile: undefined }), { terminal, env: {}, fetch });
    expect(terminal.lines.slice(0, 2)).toEqual([
      `MATRIX_HOMESERVER_URL=${synapse.url}`,
      expect.stringMatching(/^MATRIX_ACCESS_TOKEN=syt_/),
    ]);
  });

  it.each<[string, () => Promise<object>, RegExp]>([
    [
      'the password is wrong',
      async () => ({}),
      /does not accept this password for nomos-.*check name and password/,
    ],
    [
      'no homeserver is there',
      async () => ({ homeserver: `http://127.0.0.1:${await freePort()}` }),
      /cannot be reached \(ECONNREFUSED\): check MATRIX_HOMESERVER_URL/,
    ],
    [
      'it is a website',
      async () => ({ homeserver: await website() }),
      /answers, but not as a Matrix homeserver.*give the address of its client API/,
    ],
    [
      'it is the server name',
      async () => ({ homeserver: await website(synapse.url) }),
      /this server says that its client API is at http:\/\/127/,
    ],
    [
      'it is no address',
      async () => ({ homeserver: 'a b' }),
      /"a b" is no homeserver: give --homeserver https:/,
    ],
    ['nobody is named', async () => ({ user: undefined }), /no account was named/],
  ])('says that %s, and writes nothing', async (_case, more, line) => {
    const terminal = scriptedTerminal(undefined, ['wrong']);
    const wanted = ask(await more());
    expect(await logIn(wanted, { terminal, env: {}, fetch })).toBe(false);
    expect(terminal.lines).toEqual([expect.stringMatching(line)]);
    expect(statSync(wanted.envFile, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('oikos matrix check', () => {
  const settings = (more: Record<string, string> = {}) => ({
    MATRIX_HOMESERVER_URL: synapse.url,
    MATRIX_USER: bot,
    MATRIX_PASSWORD: PASSWORD,
    ...more,
  });
  const lines = async (env: Record<string, string>) =>
    (await checkMatrix(env, { fetch })).map(checkLine);

  async function person(): Promise<ConsoleUser> {
    const user = await connectUser({
      url: synapse.url,
      name: await register('op'),
      password: PASSWORD,
    });
    onTestFinished(user.stop);
    return user;
  }
  async function joins(name: string, roomId: string): Promise<void> {
    const user = await connectUser({ url: synapse.url, name, password: PASSWORD });
    await user.join(roomId);
    await user.stop();
  }

  it('says which rooms there are, who is in them, and who is obeyed', async () => {
    const operator = await person();
    bot = await register('nomos');
    const id = `@${bot}:oikos.test`;
    expect(await lines(settings({ MATRIX_OPERATORS: operator.userId }))).toEqual([
      `✓ ${synapse.url} is a homeserver`,
      `✓ the password is accepted and is ${id}'s`,
      `✗ the bot is in no room: make one in Element without encryption and invite ${id}`,
      `✗ operator ${operator.userId} is in no room with the bot: invite the bot: ${id}`,
    ]);

    const roomId = await operator.createRoom({ name: 'Oikos', invite: [id] });
    expect(await lines(settings({ MATRIX_OPERATORS: operator.userId }))).toContain(
      `· invited to ${roomId} by ${operator.userId}, not joined: the bot joins when it runs: npm start`,
    );

    await joins(bot, roomId);
    expect((await lines(settings({ MATRIX_OPERATORS: operator.userId }))).slice(2)).toEqual([
      `✓ room Oikos (${roomId}) with ${operator.userId}`,
      `✓ operator ${operator.userId} is in a room with the bot`,
    ]);
    expect((await lines(settings())).at(-1)).toContain('✗ MATRIX_OPERATORS is empty');

    const api = createMatrixApi({ url: synapse.url, token: operator.token });
    const path = `/rooms/${encodeURIComponent(roomId)}/state/m.room.encryption`;
    await api('PUT', path, { algorithm: 'm.megolm.v1.aes-sha2' });
    expect((await lines(settings({ MATRIX_OPERATORS: operator.userId }))).at(2)).toContain(
      'is encrypted',
    );
  });

  it('leaves no device behind when it had to log in', async () => {
    bot = await register('nomos');
    await lines(settings());
    const user = await connectUser({ url: synapse.url, name: bot, password: PASSWORD });
    onTestFinished(user.stop);
    const api = createMatrixApi({ url: synapse.url, token: user.token });
    expect(await api('GET', '/devices')).toMatchObject({ devices: [{}] });
  });

  it.each([
    [
      'a token that nobody knows',
      { MATRIX_ACCESS_TOKEN: 'syt_x' },
      /does not know this access token.*oikos matrix login writes a new one/,
    ],
    [
      'no account',
      { MATRIX_USER: '', MATRIX_PASSWORD: '' },
      /MATRIX_ACCESS_TOKEN is not set: oikos matrix login writes it/,
    ],
    [
      'a homeserver without its scheme',
      { MATRIX_HOMESERVER_URL: 'example.org' },
      /MATRIX_HOMESERVER_URL must begin with http/,
    ],
  ])('says what to do about %s', async (_case, more, line) => {
    expect(await lines(settings(more))).toEqual([expect.stringMatching(line)]);
  });
});

/** A web server, which may say where the homeserver's client API is. */
async function website(clientApi?: string): Promise<string> {
  const server = createServer((request, response) => {
    if (clientApi !== undefined && request.url === '/.well-known/matrix/client') {
      response.end(JSON.stringify({ 'm.homeserver': { base_url: clientApi } }));
      return;
    }
    response.writeHead(404).end('<!doctype html><title>Example</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
