import { createHash } from 'node:crypto';

export const TROUBLES = [
  'unknown_host',
  'unknown_key',
  'changed_key',
  'unreachable',
  'refused_login',
  'timeout',
  'unusable_key',
  'no_channel',
] as const;
export type TroubleKind = (typeof TROUBLES)[number];

/** Why a host cannot be used; `sentence` is for people, and nothing ran. */
export interface HostTrouble {
  readonly kind: TroubleKind;
  readonly sentence: string;
}

/** The fingerprint of a public host key, as `ssh-keygen -lf` prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** Undefined when the key is the pinned one. An unknown key is refused, never learnt. */
export function judgeHostKey(
  host: {
    readonly slug: string;
    readonly hostKey: string | undefined;
    readonly knownHosts?: string | undefined;
  },
  shown: string,
): HostTrouble | undefined {
  if (host.hostKey === shown) return undefined;
  const file = host.knownHosts ?? 'fleet.yaml';
  if (host.hostKey === undefined) {
    const missing = host.knownHosts === undefined ? 'not pinned' : `not in ${file}`;
    return {
      kind: 'unknown_key',
      sentence: `the host key of ${host.slug} is ${missing}; it shows ${shown}: compare it on the host and put it into ${file}`,
    };
  }
  return {
    kind: 'changed_key',
    sentence: `${host.slug} shows the host key ${shown}, but ${file} pins ${host.hostKey}: it was reinstalled, or somebody stands between`,
  };
}

/** What ssh2 and the socket say, as one plain sentence. */
export function describeFailure(slug: string, error: unknown): HostTrouble {
  const { level, code, message } = fieldsOf(error);
  if (level === 'client-authentication') {
    return {
      kind: 'refused_login',
      sentence: `${slug} refused the login: check user and key_file, or what the agent holds`,
    };
  }
  if (level === 'client-timeout' || code === 'ETIMEDOUT') {
    return { kind: 'timeout', sentence: `${slug} did not answer in time` };
  }
  if (code === 'ECONNREFUSED') {
    return { kind: 'unreachable', sentence: `${slug} refused the connection: is sshd running?` };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { kind: 'unreachable', sentence: `the address of ${slug} cannot be resolved` };
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { kind: 'unreachable', sentence: `there is no way to ${slug}: is it switched on?` };
  }
  return { kind: 'unreachable', sentence: `${slug} cannot be reached: ${message}` };
}

/** A jump host could not open the way; `way` says whose and where to. */
export function describeForwarding(way: string, error: unknown): HostTrouble {
  const why = fieldsOf(error).message.replace(/^\(SSH\) Channel open failure: /, '');
  return { kind: 'unreachable', sentence: `${way}: ${why}` };
}

/** What the reader of keys says, in the words of fleet.yaml. */
export function describeBadKey(message: string): string {
  if (/no passphrase/i.test(message))
    return 'it has a passphrase, and key_passphrase_file is not set';
  if (/bad passphrase|integrity check/i.test(message)) return 'the passphrase is wrong';
  return message;
}

function fieldsOf(error: unknown): { level?: unknown; code?: unknown; message: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  return { message: error instanceof Error ? error.message : '', ...error };
}
