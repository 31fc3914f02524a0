import { readFileSync } from 'node:fs';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Who a server that refuses root runs as: nobody special when we are an ordinary user (null),
 * else the system's `postgres` user, else `nobody`.
 */
export function unprivilegedOwner(
  ourUid = process.getuid?.(),
  passwd = readFileSync('/etc/passwd', 'utf8'),
): Owner | null {
  if (ourUid !== 0) return null;
  return findUser(passwd, 'postgres') ?? findUser(passwd, 'nobody') ?? { uid: 65_534, gid: 65_534 };
}

function findUser(passwd: string, name: string): Owner | null {
  const fields = passwd
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':');
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0 ? { uid, gid } : null;
}
