import { expect, it } from 'vitest';
import { databaseTrouble } from './with-database.ts';

const PLACE = '127.0.0.1:5432/oikos';

it('says which database cannot be used, and why', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  expect(databaseTrouble(new Error('failed', { cause: refused }), PLACE)).toBe(
    `the database at ${PLACE} cannot be used (nothing listens there): oikos doctor says what to do`,
  );
});

it('leaves refusals as they are', () => {
  expect(databaseTrouble(new Error('git is on or off'), PLACE)).toBe('git is on or off');
});
