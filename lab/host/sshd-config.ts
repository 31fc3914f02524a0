/** The configuration of the lab host's sshd, complete in itself. Pure. */

export interface SshdSettings {
  readonly port: number;
  /** Folder with host_key and authorized_keys, as sshd sees it. */
  readonly folder: string;
  /** What `sshd -V` says. */
  readonly version: string;
  /** False: `signal` requests are refused, as OpenSSH 9.2 refuses them to a root login. */
  readonly obeysSignals: boolean;
}

export function sshdConfig({ port, folder, version, obeysSignals }: SshdSettings): string {
  return [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${folder}/host_key`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'UseDNS no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    'PermitUserEnvironment no',
    'PermitUserRC no',
    'PrintMotd no',
    'PrintLastLog no',
    'AllowTcpForwarding no',
    'AllowStreamLocalForwarding no',
    'AllowAgentForwarding no',
    'PermitTunnel no',
    'X11Forwarding no',
    'MaxSessions 10',
    'MaxStartups 100',
    'LogLevel INFO',
    // sshd signals no session whose command is forced; the login shell takes the original one anyway.
    ...(obeysSignals ? [] : ['ForceCommand forced']),
    // Tests log in with wrong keys on purpose; from 9.8 on sshd would shut 127.0.0.1 out for that.
    ...(knowsPenalties(version) ? ['PerSourcePenalties no'] : []),
    '',
  ].join('\n');
}

function knowsPenalties(version: string): boolean {
  const [, major, minor] = /OpenSSH_(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) * 100 + Number(minor) >= 908;
}
