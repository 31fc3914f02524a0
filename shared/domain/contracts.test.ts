import { expect, it } from 'vitest';
import { CARD_LIFE_MS, START_AFTER_GATE_MS, START_AFTER_YES_MS } from './approval.ts';
import { DIALECTS } from './dialect.ts';
import { GATE_FLAGS } from './gate-result.ts';
import { OUTBOX_TYPES } from './outbox.ts';
import { MAIN_TASK_QUIET_MS, MAX_CONTINUATIONS, TURN_OUTCOMES } from './task.ts';
import { ASSENT_WINDOW_MS, DESTRUCTIVE_WINDOW_MS } from './window.ts';

const MINUTE_MS = 60_000;

it('keeps the times that operators are told', () => {
  expect(CARD_LIFE_MS).toBe(24 * 60 * MINUTE_MS);
  expect(START_AFTER_YES_MS).toBe(60 * MINUTE_MS);
  expect(START_AFTER_GATE_MS).toBe(15 * MINUTE_MS);
  expect(ASSENT_WINDOW_MS).toBe(30 * MINUTE_MS);
  expect(DESTRUCTIVE_WINDOW_MS).toBe(15 * MINUTE_MS);
  expect(MAIN_TASK_QUIET_MS).toBe(360 * MINUTE_MS);
  expect(MAX_CONTINUATIONS).toBe(20);
});

it('has no two names for one thing among what the database stores', () => {
  for (const names of [DIALECTS, GATE_FLAGS, OUTBOX_TYPES, TURN_OUTCOMES]) {
    expect(new Set<string>(names).size).toBe(names.length);
  }
});
