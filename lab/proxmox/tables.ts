/** The text tables of pct and qm, byte for byte as the real tools print them. Pure. */
import { currentStatus, type Guest, guestName, guestStatus } from './resources.ts';

/** `pct list`: nothing at all on an empty node, else a header and one line each, by id. */
export function formatPctList(guests: readonly Guest[]): string {
  if (guests.length === 0) return '';
  const row = (vmid: string, status: string, lock: string, name: string) =>
    `${vmid.padEnd(10)} ${status.padEnd(10)} ${lock.padEnd(12)} ${name.padEnd(20)}\n`;
  const rows = [...guests]
    .sort((a, b) => a.vmid - b.vmid)
    .map((guest) =>
      row(
        String(guest.vmid),
        guestStatus(guest),
        guest.config.values['lock'] ?? '',
        guestName(guest),
      ),
    );
  return row('VMID', 'Status', 'Lock', 'Name') + rows.join('');
}

/** `pct status ID --verbose`: sorted `key: value`. */
export function formatVerboseStatus(guest: Guest): string {
  return Object.entries(currentStatus(guest))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}
