import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateResult } from '../domain/gate-result.ts';
import { isStricter, RISK_CLASSES, type RiskClass } from '../domain/risk.ts';
import { classify } from './classify.ts';
import { BASH_FACTS, type GateFacts } from './facts.ts';

const judge = (command: string, facts: GateFacts = BASH_FACTS): GateResult =>
  classify({ command, facts });
const risk = (command: string, facts?: GateFacts): RiskClass => judge(command, facts).risk;

const PIECES = [
  'ls -la /srv',
  'df -h',
  'cat /etc/hosts',
  'systemctl reload nginx',
  'systemctl restart nginx',
  'rm -rf /srv/x',
  'pct exec 101 -- uptime',
  'for i in 1 2; do echo $i; done',
  'X=1',
  'cd /etc',
  'echo "$x"',
  'cat /etc/shadow',
  'frobnicate --all',
  'if true; then ls; fi',
  "awk '{print $1}' /var/log/x",
] as const;

describe('laws', () => {
  const piece = fc.constantFrom(...PIECES);
  const joint = fc.constantFrom('; ', ' && ', ' | ', '\n', ' || ');

  it('appending a further command never lowers the class', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        joint,
        piece,
        (some, by, more) => {
          const command = some.join('; ');
          expect(isStricter(risk(command), risk(`${command}${by}${more}`))).toBe(false);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is at least as strict as each of its parts', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), joint, (parts, by) => {
        const whole = risk(parts.join(by));
        // What stands alone reads the same inside a list, but for the variables set before it.
        for (const part of parts) expect(isStricter(risk(part), whole)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws and always answers one of the four classes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(fc.constantFrom(...'$(){}[]<>|&;`"\'\\\n #!*?~=-/ arm0'.split('')), {
          maxLength: 60,
        })
        .map((chars) => chars.join('')),
    );
    fc.assert(
      fc.property(text, (command) => {
        const result = judge(command);
        expect(RISK_CLASSES).toContain(result.risk);
        expect(result).toEqual(judge(command));
        expect(result.parts.length).toBeGreaterThan(0);
      }),
      { numRuns: 1500 },
    );
  });

  it('a destructive command shows through any wrapping', () => {
    const wrap = fc.constantFrom<(inner: string) => string>(
      (inner) => `sudo ${inner}`,
      (inner) => `timeout 5 ${inner}`,
      (inner) => `pct exec 101 -- ${inner}`,
      (inner) => `env LC_ALL=C ${inner}`,
      (inner) => `nice -n 5 ${inner}`,
      (inner) => `nohup ${inner}`,
      (inner) => `docker exec web ${inner}`,
      (inner) => `chroot /mnt ${inner}`,
      (inner) => `busybox ${inner}`,
      (inner) => `find /srv -exec ${inner} {} +`,
    );
    fc.assert(
      fc.property(fc.array(wrap, { maxLength: 4 }), (wraps) => {
        const command = wraps.reduce((inner, outer) => outer(inner), 'rm -rf /srv/x');
        expect([command, risk(command)]).toEqual([command, 'destructive']);
      }),
    );
  });
});
