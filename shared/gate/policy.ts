import { createHash } from 'node:crypto';
import { z } from 'zod';

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

const HASHES = new WeakMap<GatePolicy, string>();

/** Names the settings a verdict was reached under: the same settings, the same text. */
export function settingsHash(policy: GatePolicy): string {
  const known = HASHES.get(policy) ?? hashOf(policy);
  HASHES.set(policy, known);
  return known;
}

function hashOf(policy: GatePolicy): string {
  const sorted = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}
