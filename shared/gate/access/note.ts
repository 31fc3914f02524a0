import { createHash } from 'node:crypto';
import type { AccessKind, PartAccess } from '../../domain/gate-result.ts';
import { type Context, type Segment, spendText } from '../context.ts';
import { isNoOption, literal, type Value } from '../value.ts';
import { gainsOfCall } from './index.ts';
import { gainOfWord } from './paths.ts';
import { writtenWords } from './written.ts';

/** Notes what a changing call gains: by the program's own deed, and by the files it writes. */
export function noteAccess(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  for (const { gains, kind } of gainsOfCall(name, args, context.source)) {
    addAccess({ gains, kind }, context, segment);
  }
  if (handsOutShell(name, context)) {
    addAccess({ gains: 'hands a shell to another host', kind: 'other' }, context, segment);
  }
  noteWrittenAccess(writtenWords(name, args), context, segment);
}

const CONNECTS = /^(nc|ncat|netcat|socat|telnet|openssl|nc\.\w+)$/;

/** What a shell says goes to another host: `sh -i | nc host 4444`. */
function handsOutShell(name: string, context: Context): boolean {
  const { input } = context;
  const from = input.kind === 'pipe' ? (input.from[0]?.text ?? '') : '';
  return CONNECTS.test(name) && /^(\/(usr\/)?bin\/)?(ba|da|a|z|k)?sh$/.test(from);
}

/** Notes what writing to these files gains. */
export function noteWrittenAccess(
  words: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  for (const value of words.flatMap(withAttached)) {
    const found = gainOfWord(value, context.scope.directories);
    if (!found) continue;
    const gains = explained(found.gains, found.path, context);
    addAccess({ gains, kind: found.kind }, context, segment);
  }
}

/** The value glued to an option may be the file. */
function withAttached(value: Value): readonly Value[] {
  if (isNoOption(value) || value.text === undefined) return [value];
  const attached = /^--[\w-]+=(.+)$|^-[A-Za-z](\/.+)$/.exec(value.text);
  const text = attached?.[1] ?? attached?.[2];
  return text === undefined ? [] : [literal(text)];
}

function addAccess(
  { gains, kind }: { readonly gains: string; readonly kind: AccessKind },
  context: Context,
  segment: Segment,
): void {
  const where = context.place?.text;
  context.report.add({
    ...segment,
    rule: 'access',
    why: where === undefined ? gains : `${gains} (in ${where})`,
    class: 'config_mutation',
    flags: ['access'],
    access: { kind, at: whereOf(context) },
  });
}

function whereOf({ place, guest }: Context): PartAccess['at'] {
  if (place === undefined) return 'target';
  return isContainer(guest) ? guest : 'elsewhere';
}

function isContainer(guest: Context['guest']): guest is `lxc/${string}` {
  return guest?.startsWith('lxc/') ?? false;
}

const KEY =
  /\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d+|sk-[\w@.-]+) (AAAA[A-Za-z0-9+/]+={0,2})/;

/** Names the key and the account, where the command shows them. */
function explained(gains: string, path: string, context: Context): string {
  if (!/authorized_keys\d?$/.test(path)) return `${gains} (${path})`;
  spendText(context, context.source.length);
  const key = KEY.exec(context.source)?.[1];
  const account = /^\/(?:home\/)?([^/*]+)\/\.ssh\//.exec(path)?.[1] ?? 'root';
  if (key === undefined) return `${gains} as ${account}`;
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
  return `lets the key SHA256:${digest.replace(/=+$/, '')} log in as ${account}, until it is removed`;
}
