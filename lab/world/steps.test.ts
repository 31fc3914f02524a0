import { describe, expect, it } from 'vitest';
import { createSteps } from './steps.ts';

function shown(live: boolean) {
  let text = '';
  let clock = 0;
  const steps = createSteps({ write: (more) => (text += more), live, columns: 80 }, () => clock);
  return { steps, text: () => text, pass: (ms: number) => (clock += ms) };
}

describe('the steps of a start', () => {
  it('are lines with their own seconds', async () => {
    const { steps, text, pass } = shown(false);
    await steps.run('Postgres', async () => pass(1_300));
    await steps.run('Valkey', async () => pass(200));
    expect(text()).toBe('   1.3 s  Postgres\n   0.2 s  Valkey\n');
    expect(steps.seconds()).toBe(1.5);
  });

  it('show in a terminal what is still under way', async () => {
    const { steps, text } = shown(true);
    const held = Promise.withResolvers<void>();
    const first = steps.run('Synapse', () => held.promise);
    await steps.run('Valkey', async () => undefined);
    expect(text()).toContain('… Synapse, Valkey');
    expect(text()).toMatch(/0\.0 s {2}Valkey\n {2}… Synapse$/);
    held.resolve();
    await first;
  });

  it('pass an error on and say nothing of a part that is not there', async () => {
    const { steps, text } = shown(false);
    await expect(steps.run('Synapse', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(text()).toBe('');
  });
});
