/** Why a lab host cannot be had. Each message is one plain line for the person at the keyboard. */

/** OpenSSH's server is not installed. */
export class SshServerMissing extends Error {
  override readonly name = 'SshServerMissing';

  constructor() {
    super(
      'The lab host needs the OpenSSH server. Install it: sudo apt-get install -y openssh-server',
    );
  }
}

/** This machine does not let this user make namespaces; `reason` is what the kernel's tool said. */
export class ConfinementUnavailable extends Error {
  override readonly name = 'ConfinementUnavailable';
  readonly reason: string;

  constructor(reason: string) {
    super(
      `The lab host cannot be confined here (no user namespaces for this user), so nothing is run: ${reason}`,
    );
    this.reason = reason;
  }
}

/** Namespaces are to be had, but the lab host did not come up in them. */
export class LabHostStartError extends Error {
  override readonly name = 'LabHostStartError';

  constructor(what: string, said: string) {
    super(`The lab host did not start: ${what}${said === '' ? '' : `: ${said}`}`);
  }
}
