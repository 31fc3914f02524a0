import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type LabHost, startLabHost } from '../../lab/host/lab-host.ts';
import type { PlainSshd } from './plain-sshd.ts';

/** A lab host for all tests of a file; `name` is its folder's. */
export function labForTests(name: string): () => LabHost {
  let dir: string;
  let lab: LabHost | undefined;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), `oikos-${name}-`));
    lab = await startLabHost({ dir: join(dir, 'lab') });
  });
  afterAll(async () => {
    await lab?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    if (!lab) throw new Error('the lab has not started');
    return lab;
  };
}

/** The way to it, as the daemon's tests take it. */
export function sshdOf(lab: LabHost): Pick<PlainSshd, 'port' | 'user' | 'keyFile' | 'hostKey'> {
  const { port, user, privateKeyPath: keyFile, hostKeyFingerprint: hostKey } = lab;
  return { port, user, keyFile, hostKey };
}
