import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { botFields, commonFields, daemonFields, type Fields } from '../shared/config-fields.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

const service = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.coerce.string()).default({}),
  volumes: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});
const compose = z.looseObject({
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
type Service = z.infer<typeof service>;

const file = compose.parse(parse(read('compose.yaml'), { merge: true }));
const [bot, daemon] = [serviceOf('bot'), serviceOf('daemon')];

function serviceOf(name: string): Service {
  const found = file.services[name];
  if (!found) throw new Error(`compose.yaml has no ${name}`);
  return found;
}

/** What its settings do not know, or know only as no secret and get from a file. */
function unknownVariables({ environment }: Service, fields: Fields): string[] {
  return Object.keys(environment).filter((name) => {
    const plain = fields[name];
    const secret = name.endsWith('_FILE') ? fields[name.slice(0, -'_FILE'.length)] : undefined;
    return plain === undefined && secret?.notes.secret !== true;
  });
}

describe('compose.yaml', () => {
  it('sets only what the settings know', () => {
    expect(unknownVariables(bot, { ...commonFields, ...botFields })).toEqual([]);
    expect(unknownVariables(daemon, { ...commonFields, ...daemonFields })).toEqual([]);
  });

  it('sets everything that a process does not start without', () => {
    const required = (fields: Fields, { environment }: Service) =>
      Object.entries(fields)
        .filter(([name, { notes }]) => notes.required && !(name in environment))
        .filter(([name]) => !(`${name}_FILE` in environment));
    expect(required({ ...commonFields, ...botFields }, bot)).toEqual([]);
    expect(required({ ...commonFields, ...daemonFields }, daemon)).toEqual([]);
  });

  it('hands on every setting, but for the password that its token replaces', () => {
    const missing = (fields: Fields, { environment }: Service) =>
      Object.keys(fields).filter(
        (name) => !(name in environment) && !(`${name}_FILE` in environment),
      );
    const replaced = ['MATRIX_USER', 'MATRIX_PASSWORD'];
    expect(missing({ ...commonFields, ...botFields }, bot)).toEqual(replaced);
    expect(missing({ ...commonFields, ...daemonFields }, daemon)).toEqual([]);
  });

  it('gives secrets as files only, each of them declared', () => {
    const fields: Fields = { ...commonFields, ...botFields, ...daemonFields };
    for (const { environment, secrets } of [bot, daemon]) {
      const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
      const given = files.flatMap(([, path]) => /^\/run\/secrets\/(\w+)$/.exec(path)?.[1] ?? []);
      expect(given.toSorted()).toEqual(secrets.toSorted());
      expect(Object.keys(file.secrets)).toEqual(expect.arrayContaining(secrets));
      const plain = Object.keys(environment).filter((name) => fields[name]?.notes.secret);
      // Valkey has no password on a network that nobody else is on.
      expect(plain).toEqual(['REDIS_URL']);
    }
  });

  it('mounts keys and fleet.yaml for the daemon alone, read-only', () => {
    const seal = './seal:/app/seal';
    expect(daemon.volumes).toEqual(['./fleet.yaml:/app/fleet.yaml:ro', './ssh:/app/ssh:ro', seal]);
    // Key and mark of the seals: both processes, and nobody else.
    expect(bot.volumes).toEqual([seal]);
    const others = Object.entries(file.services).filter(([name]) => !/^(bot|daemon)$/.test(name));
    for (const [name, { volumes }] of others) {
      expect(
        volumes.filter((volume) => /^[./~]/.test(volume)),
        name,
      ).toEqual([]);
    }
    expect(daemon.secrets).toEqual(['database_url']);
  });

  it('pins the version of every image', () => {
    const images = Object.values(file.services).map(({ image }) => image);
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    for (const image of [...images, ...bases])
      expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?$/);
    expect(bases.length).toBe(2);
  });

  it('runs Oikos without root, without rights, on a root that cannot be written', () => {
    for (const one of [bot, daemon]) {
      expect(one).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
      expect(one.user).toMatch(/^\$\{OIKOS_UID:-1000\}:\$\{OIKOS_GID:-1000\}$/);
      expect(one.ports).toEqual([]);
    }
    expect(read('Dockerfile')).toMatch(/^USER node$/m);
  });

  describe.each([
    ['bot', bot, 'BOT_HTTP_PORT'],
    ['daemon', daemon, 'DAEMON_HTTP_PORT'],
  ])('asks the %s whether it is ready', (_name, one, setting) => {
    const script = one.healthcheck?.test.at(-1) ?? '';

    it('on its own port', () => {
      expect(one.healthcheck?.test.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
      expect(script).toContain(`http://127.0.0.1:${one.environment[setting]}/readyz`);
    });

    it.each([
      [200, 0],
      [503, 1],
    ])('and takes the answer %d for exit code %d', async (status, code) => {
      const server = createServer((_request, response) => response.writeHead(status).end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      expect(await exitCode(script.replace(/:\d+/, `:${port}`))).toBe(code);
    });
  });

  it('makes the queue keep everything', () => {
    expect(JSON.stringify(file.services['valkey'])).toContain('"--maxmemory-policy","noeviction"');
  });
});

async function exitCode(script: string): Promise<number | null> {
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return z.number().nullable().parse(code);
}

describe('compose.yaml, as Compose reads it', () => {
  it('fits the Compose Specification', () => {
    const spec = z
      .looseObject({})
      .parse(JSON.parse(read('test/support/compose-spec.json').replace('"https://', '"http://')));
    const fits = new Ajv({ strict: false, validateFormats: false }).compile(spec);
    const whole: unknown = parse(read('compose.yaml'), { merge: true });
    expect(fits(whole), JSON.stringify(fits.errors)).toBe(true);
    expect(fits({ services: { bot: { imagee: 'x' } } })).toBe(false);
  });

  it('is accepted by docker compose, where it is installed', () => {
    const env = {
      PATH: process.env['PATH'],
      MATRIX_HOMESERVER_URL: 'https://matrix.example.org',
      MATRIX_OPERATORS: '@you:example.org',
    };
    const answers = [['docker', 'compose'], ['docker-compose']]
      .filter(
        ([program = '', ...args]) => spawnSync(program, [...args, 'version'], { env }).status === 0,
      )
      .map(([program = '', ...args]) => {
        const config = ['-f', join(ROOT, 'compose.yaml'), 'config', '-q'];
        return spawnSync(program, [...args, ...config], { env, encoding: 'utf8' });
      });
    for (const { status, stderr } of answers)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('the image', () => {
  const copied = new Set(
    [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    ),
  );
  const { files, packages } = reachable(['bot/main.ts', 'daemon/main.ts', 'cli/main.ts']);

  it('has every folder that its programs import from', () => {
    const folders = new Set([...files].map((path) => path.split('/')[0]));
    expect([...folders].filter((folder) => !copied.has(folder ?? ''))).toEqual([]);
  });

  it('is looked at as a whole', () => {
    expect([...files]).toContain('daemon/ssh/connect.ts');
    expect([...packages]).toEqual(expect.arrayContaining(['ssh2', 'openai', 'matrix-bot-sdk']));
  });

  it('has every package that they import', () => {
    const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
    const { dependencies } = manifest.parse(JSON.parse(read('package.json')));
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  });

  it('is sent nothing that it does not copy', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, name = '']) => name);
    expect(allowed.toSorted()).toEqual([...copied].toSorted());
    expect(read('.dockerignore')).toMatch(/^\*$/m);
  });
});

/** Our files and the packages that these programs import, directly or not; types do not count. */
function reachable(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const text = read(path).replace(/^import type [^;]+;/gm, '');
    for (const from of importsIn(text)) {
      if (from.startsWith('.')) visit(join(dirname(path), from));
      else if (!from.startsWith('node:')) packages.add(packageName(from));
    }
  };
  for (const entry of entries) {
    if (!existsSync(join(ROOT, entry))) throw new Error(`${entry} is not there`);
    visit(entry);
  }
  return { files, packages };
}

/** Static imports and re-exports, and the dynamic ones with a literal path. */
function importsIn(text: string): readonly string[] {
  const fixed = text.matchAll(/^(?:import|\}|export)[^;']* from '([^']+)';/gm);
  const late = text.matchAll(/await import\('([^']+)'\)/g);
  return [...fixed, ...late].flatMap(([, from]) => (from === undefined ? [] : [from]));
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
