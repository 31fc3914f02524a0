import type { Value } from '../value.ts';
import { ACCOUNT_USES } from './accounts.ts';
import { CONTAINER_USES } from './containers.ts';
import { NETWORK_USES } from './network.ts';
import { PROXMOX_USES } from './proxmox.ts';
import { SOURCE_USES } from './sources.ts';
import { type AccessUse, accessCall } from './use.ts';
import { WATCH_USES } from './watch.ts';

/** Every use of a program that gives lasting power, opens a way in or blinds the watch. */
export const ACCESS_USES: readonly AccessUse[] = [
  ...ACCOUNT_USES,
  ...SOURCE_USES,
  ...PROXMOX_USES,
  ...CONTAINER_USES,
  ...NETWORK_USES,
  ...WATCH_USES,
];

const BY_PROGRAM: ReadonlyMap<string, readonly AccessUse[]> = index();

function index(): ReadonlyMap<string, readonly AccessUse[]> {
  const uses = new Map<string, AccessUse[]>();
  for (const use of ACCESS_USES) {
    for (const program of use.programs) uses.set(program, [...(uses.get(program) ?? []), use]);
  }
  return uses;
}

// The forms take their time on long texts. What is longer counts as giving access.
const MAX_LENGTH = 8 * 1024;
const TOO_LONG = 'is too long to tell whether it gives access';

/** What a call gains, one plain phrase for each row that fits. */
export function gainsOfCall(
  name: string,
  args: readonly Value[],
  source: string,
): readonly Pick<AccessUse, 'gains' | 'kind'>[] {
  const uses = BY_PROGRAM.get(name);
  if (uses === undefined) return [];
  const call = accessCall(args, source);
  if (Math.max(call.line.length, source.length) > MAX_LENGTH)
    return [{ gains: TOO_LONG, kind: 'other' }];
  return uses.filter((use) => use.when(call));
}

// Words of everyday language: in a text they say nothing about a program.
const ORDINARY =
  /^(at|batch|install|service|step|trust|kill|history|lt|bore|export|unset|ip|set|mc|nmcli|git|step-ca|info|realm|grafana|paperless|vector|docker|php|python|python3|go|zfs|sudo|make|apt|yum|snap|test|cp|mkdir|busybox|mysql|mongo|psql|ssh|nc|rpm|gem|npm|pip|helm|caddy)$/;

/** Whether a word in an unfollowed text is worth trying as such a program. */
export function isAccessWord(word: string): boolean {
  const name = word.replace(/^\/(usr\/(local\/)?)?s?bin\//, '');
  return BY_PROGRAM.has(name) && !ORDINARY.test(name);
}
