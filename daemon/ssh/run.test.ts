import { PassThrough } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runOnChannel } from './run.ts';
import type { RunJob } from './transport.ts';

const nonce = 'abc';
const ready = `oikos ${nonce} ready\n`;

/** The far end of a channel: what we wrote to it, and the means to answer. */
function farEnd() {
  const written: string[] = [];
  const stderr = new PassThrough();
  const channel = Object.assign(new PassThrough(), {
    stderr,
    write: (text: string) => written.push(text) > 0,
    close: () => undefined,
  });
  const says = (text: string) => channel.emit('data', Buffer.from(text));
  return { channel: channel as unknown as ClientChannel, written, says, stderr };
}

function start(more: Partial<RunJob> = {}) {
  const far = farEnd();
  const stop = new AbortController();
  const heard: string[] = [];
  const end = runOnChannel(
    far.channel,
    {
      line: 'true',
      needs: [],
      limitMs: 60_000,
      killAfterMs: 5_000,
      endWithConnection: false,
      stop: stop.signal,
      onOutput: (stream, text) => heard.push(`${stream}: ${text}`),
      ...more,
    },
    { nonce, greetingMs: 5_000 },
  );
  return { ...far, end, stop, heard };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('before the start', () => {
  it('a closed channel means that nothing was started', async () => {
    const { channel, end, stderr } = start();
    stderr.emit('data', Buffer.from('sudo: a password is required\n'));
    channel.emit('close');
    expect(await end).toEqual({
      kind: 'not_started',
      reason:
        'sudo there wants a password, which Oikos has not: allow the user NOPASSWD (sudo: a password is required)',
    });
  });

  it('go is written only after ready', () => {
    const { says, written } = start();
    says(`Welcome!\noikos ${nonce} rea`);
    expect(written).toHaveLength(1);
    says('dy\n');
    expect(written.at(-1)).toBe(`go ${nonce}\n`);
  });

  it('a stop starts nothing', async () => {
    const { end, stop, written } = start();
    stop.abort('cancel');
    expect(await end).toEqual({ kind: 'not_started', reason: 'it was stopped', stopped: 'cancel' });
    expect(written).toHaveLength(1);
  });

  it('a host without an answer is given up', async () => {
    const { end } = start();
    vi.advanceTimersByTime(5_000);
    expect(await end).toEqual({ kind: 'not_started', reason: 'its shell did not answer' });
  });

  it('a missing program is named', async () => {
    const { end, says } = start();
    says(`oikos ${nonce} missing setsid\n`);
    expect(await end).toEqual({ kind: 'not_started', reason: 'the host has no setsid' });
  });
});

describe('a look before the start', () => {
  const preflight = (objection?: string) => ({
    lines: () => [],
    judge: (received: string) => (received.includes('saw') ? objection : 'nothing was seen'),
    twice: true,
  });

  it('that objects starts nothing', async () => {
    const { says, end, written } = start({ preflight: preflight('it changed') });
    says(`saw x\n${ready}`);
    expect(await end).toEqual({ kind: 'refused', reason: 'it changed' });
    expect(written).toHaveLength(1);
  });

  it('that finds a change after go is a refusal, not output', async () => {
    const { says, end, heard } = start({ preflight: preflight() });
    says(`saw x\n${ready}`);
    says(`oikos ${nonce} changed\n`);
    expect(await end).toMatchObject({ kind: 'refused' });
    expect(heard).toEqual([]);
  });

  it('hands on what comes after started, and no later frame', async () => {
    const { channel, says, end, heard } = start({ preflight: preflight() });
    says(`saw x\n${ready}`);
    says(`oikos ${nonce} started\nout`);
    says(`oikos ${nonce} changed\n`);
    channel.emit('exit', 0);
    channel.emit('close');
    expect(await end).toEqual({ kind: 'exited', code: 0 });
    expect(heard).toEqual(['stdout: out', `stdout: oikos ${nonce} changed\n`]);
  });

  it('knows the end of a short command whose code overtakes its words', async () => {
    const { channel, says, end, heard } = start({ preflight: preflight() });
    says(`saw x\n${ready}`);
    channel.emit('exit', 3);
    says(`oikos ${nonce} started\nout`);
    channel.emit('close');
    expect(await end).toEqual({ kind: 'exited', code: 3 });
    expect(heard).toEqual(['stdout: out']);
  });

  it('says that nothing started when its shell ends without a word', async () => {
    const { channel, says, end } = start({ preflight: preflight() });
    says(`saw x\n${ready}`);
    channel.emit('exit', 125);
    channel.emit('close');
    expect(await end).toMatchObject({ kind: 'not_started' });
  });

  it('can be stopped while it looks again', async () => {
    const { says, stop, written } = start({ preflight: preflight() });
    says(`saw x\n${ready}`);
    stop.abort('cancel');
    expect(written.at(-1)).toBe('term\n');
  });

  it('may take longer than a greeting', async () => {
    const { says, written } = start({ preflight: preflight() });
    vi.advanceTimersByTime(20_000);
    says(`saw x\n${ready}`);
    expect(written.at(-1)).toBe(`go ${nonce}\n`);
  });
});

describe('after the start', () => {
  it('a closed channel without an exit code is a lost connection', async () => {
    const { channel, end, says } = start();
    says(ready);
    channel.emit('close');
    expect(await end).toEqual({ kind: 'connection_lost' });
  });

  it('output cannot forge a frame', async () => {
    const { channel, end, says, heard } = start();
    says(ready);
    says(`oikos ${nonce} missing setsid\n`);
    channel.emit('exit', 0);
    channel.emit('close');
    expect(await end).toEqual({ kind: 'exited', code: 0 });
    expect(heard).toEqual([`stdout: oikos ${nonce} missing setsid\n`]);
  });

  it('a child that keeps the channel delays the end by 2 s at most', async () => {
    const { channel, end, says } = start();
    says(ready);
    channel.emit('exit', 4);
    vi.advanceTimersByTime(2_000);
    expect(await end).toEqual({ kind: 'exited', code: 4 });
  });

  it('the time limit sends TERM, then KILL', async () => {
    const { channel, end, says, written } = start({ limitMs: 1_000 });
    says(ready);
    vi.advanceTimersByTime(1_000);
    expect(written.at(-1)).toBe('term\n');
    vi.advanceTimersByTime(5_000);
    expect(written.at(-1)).toBe('kill\n');
    channel.emit('exit', 143);
    channel.emit('close');
    expect(await end).toEqual({ kind: 'exited', code: 143, stopped: 'time_limit' });
  });

  it('a Proxmox task is never killed: after 90 s it is said to run still', async () => {
    const { end, says, written, stop } = start({ killAfterMs: null });
    says(ready);
    stop.abort('cancel');
    vi.advanceTimersByTime(90_000);
    expect(await end).toEqual({ kind: 'still_running', stopped: 'cancel' });
    expect(written).not.toContain('kill\n');
  });
});
