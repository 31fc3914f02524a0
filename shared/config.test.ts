import { describe, expect, it } from 'vitest';
import { botSettings, daemonSettings, readConfig } from './config.ts';

const common = {
  DATABASE_URL: 'postgres://oikos:hush@127.0.0.1/oikos',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

describe('readConfig', () => {
  it('fills in what has a default', () => {
    const read = readConfig(daemonSettings, common);
    expect(read).toMatchObject({
      ok: true,
      config: { site: 'home', concurrency: 16, httpPort: 8462, sshConnectMs: 10_000 },
    });
  });

  it('names every problem at once', () => {
    const read = readConfig(daemonSettings, {
      DATABASE_URL: 'mysql://x',
      DAEMON_CONCURRENCY: 'many',
    });
    if (read.ok) throw new Error('accepted');
    expect(read.problems).toEqual([
      expect.stringMatching(/^DATABASE_URL must begin with postgres:\/\/ or postgresql:\/\//),
      expect.stringMatching(/^REDIS_URL is not set; for example REDIS_URL=redis:/),
      expect.stringMatching(/^DAEMON_CONCURRENCY /),
    ]);
  });

  it('takes an empty value for an unset one', () => {
    expect(readConfig(daemonSettings, { ...common, DAEMON_SITE: '' })).toMatchObject({
      config: { site: 'home' },
    });
  });

  it('reads a secret from a file, and says which file cannot be read', () => {
    const env = { REDIS_URL: common.REDIS_URL, DATABASE_URL_FILE: '/run/secrets/db' };
    const read = readConfig(daemonSettings, env, () => `${common.DATABASE_URL}\n`);
    expect(read).toMatchObject({ ok: true, config: { databaseUrl: common.DATABASE_URL } });
    const missing = readConfig(daemonSettings, env, () => {
      throw new Error('no such file');
    });
    expect(missing).toEqual({
      ok: false,
      problems: ['DATABASE_URL_FILE cannot be read: no such file'],
    });
  });

  it('lists what no log may show', () => {
    const read = readConfig(daemonSettings, common);
    expect(read).toMatchObject({ secrets: expect.arrayContaining(['hush']) });
  });

  it('wants a token, or a user with a password', () => {
    const bot = { ...common, MATRIX_HOMESERVER_URL: 'https://m.example.org' };
    expect(readConfig(botSettings, bot).ok).toBe(false);
    expect(readConfig(botSettings, { ...bot, MATRIX_USER: 'nomos' }).ok).toBe(false);
    expect(readConfig(botSettings, { ...bot, MATRIX_ACCESS_TOKEN: 't' }).ok).toBe(true);
    const both = { ...bot, MATRIX_USER: 'nomos', MATRIX_PASSWORD: 'p' };
    expect(readConfig(botSettings, both).ok).toBe(true);
  });

  it.each([
    ['nobody', '', []],
    ['two', '@a:x.org, @b:x.org', ['@a:x.org', '@b:x.org']],
  ])('obeys %s', (_claim, text, operators) => {
    const env = {
      ...common,
      MATRIX_HOMESERVER_URL: 'https://m.example.org',
      MATRIX_ACCESS_TOKEN: 't',
      MATRIX_OPERATORS: text,
    };
    expect(readConfig(botSettings, env)).toMatchObject({ config: { operators } });
  });

  it('lets reactions open the window on an own homeserver only, unless told otherwise', () => {
    const env = {
      ...common,
      MATRIX_HOMESERVER_URL: 'https://m.example.org',
      MATRIX_ACCESS_TOKEN: 't',
    };
    const opens = (more: object) => readConfig(botSettings, { ...env, ...more });
    expect(opens({})).toMatchObject({ config: { reactionsOpenWindow: false } });
    expect(opens({ MATRIX_HOMESERVER: 'own' })).toMatchObject({
      config: { reactionsOpenWindow: true },
    });
    expect(opens({ REACTIONS_OPEN_WINDOW: 'yes' })).toMatchObject({
      config: { reactionsOpenWindow: true },
    });
  });
});
