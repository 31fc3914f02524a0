import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, createSealer, NotSealable, type Sealable, type SealKey } from './seal.ts';

const key = (id: string, byte: number): SealKey => ({ id, secret: Buffer.alloc(32, byte) });
const [old, fresh] = [key('k1', 1), key('k2', 2)];
const content = { who: '@op:x', at: new Date('2026-01-01T00:00:00Z'), n: 3, list: ['a', null] };

describe('a seal', () => {
  const seals = createSealer([old]);
  const seal = seals.seal('window', content);

  it('fits what it was made for, in whatever order its fields come', () => {
    const { who, ...rest } = content;
    expect(seals.fits('window', { ...rest, who }, seal)).toBe(true);
  });

  it.each([
    ['another kind', 'rule' as const, content, seal],
    ['another value', 'window' as const, { ...content, n: 4 }, seal],
    ['a further field', 'window' as const, { ...content, more: null }, seal],
    [
      'a moment written as text',
      'window' as const,
      { ...content, at: '2026-01-01T00:00:00.000Z' },
      seal,
    ],
    ['no seal', 'window' as const, content, null],
    ['an empty one', 'window' as const, content, ''],
    ['half of it', 'window' as const, content, seal.slice(0, -1)],
    ['a tail', 'window' as const, content, `${seal}.x`],
    ['only the name of the key', 'window' as const, content, 'k1.'],
    ['what cannot be sealed', 'window' as const, { ...content, n: 1.5 }, seal],
  ])('does not fit %s', (_what, kind, given, by) => {
    expect(seals.fits(kind, given, by)).toBe(false);
  });

  it('of an older key fits until that key is removed', () => {
    const both = createSealer([fresh, old]);
    expect(both.fits('window', content, seal)).toBe(true);
    expect(both.seal('window', content)).toMatch(/^k2\./);
    expect(createSealer([fresh]).fits('window', content, seal)).toBe(false);
  });

  it('shows nothing of the key, whatever is done to the sealer', () => {
    const shown = JSON.stringify(seals) + String(seals.seal) + Object.keys(seals).join();
    expect(shown).not.toContain(old.secret.toString('hex'));
  });
});

describe('the one text of a value', () => {
  it('tells any two values apart', () => {
    const value: fc.Arbitrary<Sealable> = fc.letrec<{ value: Sealable }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, value, (one, other) => {
        const same = canonicalText(one) === canonicalText(other);
        expect(same).toBe(sameValue(one, other));
      }),
    );
  });

  it.each([[0.5], [Number.NaN], [2 ** 60]])('does not exist for %s', (number) => {
    expect(() => canonicalText(number)).toThrow(NotSealable);
  });
});

/** JSON with sorted keys is what two equal values share; -0 is 0 here. */
function sameValue(one: Sealable, other: Sealable): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Not a list itself: {} and [] are two values.
  return { fields: fields.map(([name, inner]) => ({ name, inner: sorted(inner) })) };
}
