import type { Answer } from '../proxmox/answer.ts';
import { type Entered, isWholeScript, readScript, type Wanted } from './wire.ts';

/** The part of an SSH channel that is spoken on. */
export interface Channel {
  write(text: string | Buffer): unknown;
  readonly stderr: { write(text: string): unknown };
  on(event: 'data', hear: (chunk: Buffer) => void): unknown;
  on(event: 'error' | 'end', hear: () => void): unknown;
  exit(code: number): unknown;
  end(): unknown;
}

/** What the host behind the channel knows. */
export interface Answering {
  readonly answer: (ask: Entered) => Answer;
  /** How detached runs ended, until the daemon says that it has it. */
  readonly ended: Map<string, Answer>;
}

/** More on stdin than any script of ours is no script of ours. */
const MAX_SCRIPT = 512 * 1024;

/** Speaks the daemon's handshake: the script comes in, `ready` goes out, `go` starts it. */
export function serve(channel: Channel, host: Answering): void {
  let received = '';
  let script: Wanted | undefined;
  const end = (code: number) => {
    channel.exit(code);
    channel.end();
  };
  const heard = (word: string): boolean => {
    const at = received.indexOf(`${word}\n`);
    if (at < 0) return false;
    received = received.slice(at + word.length + 1);
    return true;
  };
  channel.on('error', () => undefined);
  channel.on('end', () => channel.end());
  const begin = () => {
    if (!isWholeScript(received)) return;
    script = readScript(received);
    received = '';
    if (script) greet(channel, host, script);
    else end(1);
  };
  const obey = (wanted: Wanted) => {
    if (wanted.kind === 'run' && heard(`go ${wanted.nonce}`)) run(channel, host, wanted);
    if (wanted.kind === 'sweep' || !heard('clean')) return;
    host.ended.delete(idOf(wanted));
    channel.write(`oikos ${wanted.nonce} cleaned\n`);
  };
  channel.on('data', (chunk: Buffer) => {
    received += chunk.toString('utf8');
    if (received.length > MAX_SCRIPT) end(1);
    else if (script) obey(script);
    else begin();
  });
}

function idOf(script: Exclude<Wanted, { kind: 'sweep' }>): string {
  return script.kind === 'attach' ? script.id : (script.detached ?? '');
}

function greet(channel: Channel, host: Answering, script: Wanted): void {
  const say = (words: string) => channel.write(`oikos ${script.nonce} ${words}\n`);
  if (script.kind === 'sweep') {
    say('swept');
    channel.end();
    return;
  }
  if (script.kind === 'attach') {
    const known = host.ended.get(script.id);
    if (known) tellEnd(channel, script.nonce, known, script.from);
    else say('absent');
    return;
  }
  for (const [place, look] of script.looks.entries()) {
    for (const line of (host.answer(look).out ?? '').split('\n')) say(`place ${place} ${line}`);
  }
  say('ready');
}

type Run = Extract<Wanted, { kind: 'run' }>;

function run(channel: Channel, host: Answering, script: Run): void {
  const { nonce, detached, looks } = script;
  const answer = host.answer(script);
  if (detached !== undefined) {
    host.ended.set(detached, answer);
    tellEnd(channel, nonce, answer, { stdout: 0, stderr: 0 });
    return;
  }
  if (looks.length > 0) channel.write(`oikos ${nonce} started\n`);
  channel.write(answer.out ?? '');
  channel.stderr.write(answer.err ?? '');
  channel.exit(answer.code);
  channel.end();
}

/** A detached run as the program on a host tells it: both streams by their lengths, then the end. */
function tellEnd(
  channel: Channel,
  nonce: string,
  { code, out = '', err = '' }: Answer,
  from: { readonly stdout: number; readonly stderr: number },
): void {
  const [stdout, stderr] = [Buffer.from(out), Buffer.from(err)];
  channel.write(`oikos ${nonce} started\n`);
  for (const [letter, bytes, at] of [
    ['o', stdout, from.stdout],
    ['e', stderr, from.stderr],
  ] as const) {
    const rest = bytes.subarray(at);
    if (rest.length === 0) continue;
    channel.write(`oikos ${nonce} data ${letter} ${at} ${rest.length}\n`);
    channel.write(rest);
  }
  channel.write(`oikos ${nonce} end ${code} none 0 ${stdout.length} ${stderr.length}\n`);
}
