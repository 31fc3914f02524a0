import { findSshd } from '../host/sshd.ts';
import { aptInstall } from './apt.ts';

/**
 * The path of sshd. As root on Debian and its kin it is installed where missing; otherwise the
 * error names the one command to run.
 */
export function ensureSshd(): string {
  try {
    return findSshd();
  } catch {
    aptInstall('openssh-server');
    return findSshd();
  }
}
