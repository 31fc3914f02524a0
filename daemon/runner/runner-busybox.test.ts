import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { dir, SHELLS } from '../../test/support/local-runner.ts';
import { describeRuns } from '../../test/support/runner-cases.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const { busybox } = SHELLS;
if (busybox) describe('a detached run by busybox', () => describeRuns(busybox));
else {
  // scripts/test.ts says so, too.
  it('busybox is not here: nothing was tried with it', () => expect(busybox).toBeUndefined());
}
