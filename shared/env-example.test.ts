import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderEnvExample } from './env-example.ts';

it('keeps .env.example in step with the settings (npm run env:generate writes it)', () => {
  const written = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
  expect(written).toBe(renderEnvExample());
});
