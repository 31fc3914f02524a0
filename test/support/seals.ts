import { createSealer } from '../../shared/seal.ts';

/** The line of the key file that every test's processes and rows share. */
export const TEST_KEY_LINE = `t1 ${'5e'.repeat(32)}`;

/** What the processes under test would seal with. */
export const testSeals = createSealer([{ id: 't1', secret: Buffer.from('5e'.repeat(32), 'hex') }]);
