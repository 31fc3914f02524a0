import { readFileSync } from 'node:fs';
import { type Fleet, parseFleet } from '../../daemon/fleet.ts';
import { withKnownHosts } from '../../daemon/pinned-keys.ts';

export type FleetText =
  | { readonly ok: true; readonly text: string; readonly fleet: Fleet }
  | { readonly ok: false; readonly problems: readonly string[] };

/** fleet.yaml with its text; a file that is not there is an empty fleet. */
export function readFleetText(path: string): FleetText {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') {
      return { ok: false, problems: [`${path} cannot be read: ${error.message}`] };
    }
  }
  const read = parseFleet(text);
  const parsed = read.ok ? withKnownHosts(read.fleet) : read;
  if (parsed.ok) return { ok: true, text, fleet: parsed.fleet };
  return { ok: false, problems: parsed.problems.map((problem) => `${path}, ${problem}`) };
}
