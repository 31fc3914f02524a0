import { rmSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import { findBusybox } from '../../lab/services/busybox.ts';
import { dir, SHELLS } from '../../test/support/local-runner.ts';
import { describeRuns } from '../../test/support/runner-cases.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

// The only tests that may be skipped; scripts/test.ts says so.
describe.runIf(findBusybox())('a detached run by busybox', () => describeRuns(SHELLS.busybox));
