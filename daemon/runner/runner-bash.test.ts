import { rmSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import { dir, SHELLS } from '../../test/support/local-runner.ts';
import { describeRuns } from '../../test/support/runner-cases.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a detached run by bash as sh', () => describeRuns(SHELLS.bash));
