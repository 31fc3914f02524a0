/** The `<id>.conf` files of the cluster file system: reading and writing their text. Pure. */

export interface GuestConfig {
  /** `key: value` of the current state. */
  readonly values: Readonly<Record<string, string>>;
  /** The `#` lines at the top, without the `#`. */
  readonly description: readonly string[];
  /** Snapshot sections by name, kept as their raw lines. */
  readonly snapshots: Readonly<Record<string, readonly string[]>>;
}

/** Lines that are neither comment, section nor `key: value` are ignored, as Proxmox does (it warns). */
export function parseGuestConfig(text: string): GuestConfig {
  const values: Record<string, string> = {};
  const description: string[] = [];
  const snapshots: Record<string, string[]> = {};
  let section: string[] | undefined;
  for (const line of text.split('\n')) {
    const name = /^\[([A-Za-z][A-Za-z0-9_-]*)\]\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      section = [];
      snapshots[name] = section;
    } else if (section) {
      if (line.trim() !== '') section.push(line);
    } else {
      readCurrentLine(line, values, description);
    }
  }
  return { values, description, snapshots };
}

function readCurrentLine(line: string, values: Record<string, string>, description: string[]) {
  if (line.startsWith('#')) {
    description.push(line.slice(1));
    return;
  }
  const [, key, value] = /^([a-z][a-z0-9_.-]*):\s*(.*?)\s*$/i.exec(line) ?? [];
  if (key !== undefined && value !== undefined) values[key] = value;
}

/** The text of the file: description first, keys sorted, snapshots as sections behind. */
export function formatGuestConfig(config: GuestConfig): string {
  const lines = [
    ...config.description.map((line) => `#${line}`),
    ...sortedKeys(config.values).map((key) => `${key}: ${config.values[key]}`),
  ];
  for (const [name, body] of Object.entries(config.snapshots)) lines.push('', `[${name}]`, ...body);
  return `${lines.join('\n')}\n`;
}

/** `pct config ID`: sorted, the description URL-encoded on one line, `lxc.*` last. */
export function formatConfigListing(config: GuestConfig): string {
  const values: Record<string, string> = { ...config.values };
  if (config.description.length > 0) {
    values['description'] = encodeURIComponent(`${config.description.join('\n')}\n`);
  }
  return sortedKeys(values)
    .map((key) => `${key}: ${values[key]}\n`)
    .join('');
}

/** Bytes of the `size=8G` in a volume line; undefined when there is none. */
export function volumeBytes(volume: string | undefined): number | undefined {
  const [, digits, unit = ''] = /(?:^|,)size=(\d+)([KMGT]?)/.exec(volume ?? '') ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit);
}

function sortedKeys(values: Readonly<Record<string, string>>): string[] {
  const rank = (key: string) => (key.startsWith('lxc.') ? 1 : 0);
  return Object.keys(values).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
