import { fingerprint } from '../../daemon/ssh/hosts.ts';

/** The public key that a host shows. */
export interface HostKey {
  /** `ssh-ed25519` */
  readonly type: string;
  /** `SHA256:…`, as `ssh-keygen -lf` prints it. */
  readonly fingerprint: string;
}

const FILES: Readonly<Record<string, string>> = { 'ssh-ed25519': 'ed25519', 'ssh-rsa': 'rsa' };

/** From the key as it travels: its type comes first, with its length before it (RFC 4253, 6.6). */
export function readHostKey(blob: Buffer): HostKey {
  const length = blob.length < 4 ? 0 : blob.readUInt32BE(0);
  return { type: blob.toString('latin1', 4, 4 + length), fingerprint: fingerprint(blob) };
}

/** The command that prints this key's fingerprint on the host itself. */
export function compareCommand({ type }: HostKey): string {
  const name = FILES[type] ?? (type.startsWith('ecdsa') ? 'ecdsa' : '*');
  return `ssh-keygen -lf /etc/ssh/ssh_host_${name}_key.pub`;
}

/** Whether an answer says that the key is the right one: yes, or the fingerprint itself. */
export function acceptsKey(answer: string, key: HostKey): boolean {
  return /^y(es)?$/i.test(answer) || answer === key.fingerprint;
}
