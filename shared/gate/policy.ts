import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import type { GateFacts } from './facts.ts';

/** The judgement calls that an operator may take differently. Nothing here lets a change run unasked. */
export const GATE_POLICY = z.strictObject({
  /** Any `$(…)`, backtick or `<(…)` makes a line more than a look. */
  strictSubstitution: z.boolean().default(false),
  /** Looking through git counts as a look, although a repository's settings can name programs. */
  git: z.boolean().default(true),
  /** A single SELECT over rows of ordinary tables counts as a look. */
  rowData: z.boolean().default(false),
  /** `curl URL | sh` from exactly these addresses is not opaque; a config_mutation it stays. */
  trustedInstallers: z.array(z.url()).readonly().default(['https://get.docker.com']),
  /** Deleting below these folders is a config_mutation instead of destructive. */
  scratchFolders: z
    .array(z.string().regex(/^(\/[\w.-]*\w)+$/))
    .readonly()
    .default([]),
});
export type GatePolicy = z.infer<typeof GATE_POLICY>;

export const DEFAULT_POLICY: GatePolicy = GATE_POLICY.parse({});

/** Names the settings a verdict was reached under: the same settings for that place, the same text. */
export function settingsHash(policy: GatePolicy, facts: SettingFacts = {}): string {
  const { floor, floors, self, isSelf } = facts;
  const text = canonicalJson({ ...policy, floor, floors, self, isSelf });
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The facts of a place that come from what the operator set. */
type SettingFacts = Pick<GateFacts, 'floor' | 'floors' | 'self' | 'isSelf'>;
