import { userInfo } from 'node:os';

/** Who is at the keyboard, as the ledger names them: `cli:` and the machine's user, or their number. */
export function cliActor(name: () => string = () => userInfo().username): string {
  try {
    return `cli:${name()}`;
  } catch {
    // A container may run as a user that its /etc/passwd does not list.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
