import { describe, expect, it } from 'vitest';
import { durableOutcome, killAfterMs, orphanOutcome, outcomeOf } from './outcome.ts';

const reads = { risk: 'read_only', timeLimitMs: 60_000, cancelRequestedBy: '@op:x' } as const;
const changes = { ...reads, risk: 'config_mutation' } as const;

describe('the outcome of a run whose Proxmox task is known', () => {
  it.each([
    [
      'OK',
      undefined,
      'succeeded',
      'its command was cut off, but its Proxmox task has ended well (OK)',
    ],
    ['OK', 'cancel', 'succeeded', 'it was told to stop, but its Proxmox task has ended well (OK)'],
    [
      'unexpected_status',
      undefined,
      'failed',
      'its command was cut off; its Proxmox task ended: unexpected_status',
    ],
    ['received_interrupt', 'cancel', 'cancelled', 'stopped by @op:x'],
    ['received_interrupt', 'time_limit', 'failed', 'stopped after 60 s: time limit'],
    ['unknown', 'cancel', 'cancelled', 'stopped by @op:x'],
    [
      'unknown',
      undefined,
      'lost',
      'its command was cut off, and how its Proxmox task ended could not be read; what it did is not known',
    ],
  ] as const)('that ended %s (stopped: %s): %s', (task, stopped, event, reason) => {
    const end = { kind: 'exited', code: 137, agoSeconds: 0, bytes: 0, task } as const;
    const outcome = durableOutcome(stopped ? { ...end, stopped } : end, changes);
    expect(outcome).toMatchObject({ event, reason });
  });
});

describe('the outcome of a run', () => {
  it.each([
    ['exit 0', { kind: 'exited', code: 0 }, changes, 'succeeded', null],
    ['exit 3', { kind: 'exited', code: 3 }, changes, 'failed', 'it ended with exit code 3'],
    [
      'the time limit',
      { kind: 'exited', code: 143, stopped: 'time_limit' },
      changes,
      'failed',
      'stopped after 60 s: time limit',
    ],
    [
      'a stop',
      { kind: 'exited', code: 143, stopped: 'cancel' },
      changes,
      'cancelled',
      'stopped by @op:x',
    ],
    [
      'no start',
      { kind: 'not_started', reason: 'no bash' },
      changes,
      'failed',
      'nothing was started: no bash',
    ],
    [
      'what was found before the start',
      { kind: 'refused', reason: '/srv/x.sh has other text' },
      changes,
      'refused',
      '/srv/x.sh has other text',
    ],
    [
      'a stop before the start',
      { kind: 'not_started', reason: 'it was stopped', stopped: 'cancel' },
      changes,
      'cancelled',
      'stopped by @op:x',
    ],
    [
      'a broken connection, reading',
      { kind: 'connection_lost' },
      reads,
      'failed',
      'the connection broke while it ran; safe to ask again',
    ],
    [
      'a broken connection, changing',
      { kind: 'connection_lost' },
      changes,
      'lost',
      'the connection broke while it ran; what it did is not known',
    ],
    [
      'a run that will not end',
      { kind: 'still_running', stopped: 'cancel' },
      changes,
      'lost',
      'it was told to stop and still runs; a guest may be locked',
    ],
  ] as const)('%s', (_claim, end, run, event, reason) => {
    expect(outcomeOf(end, run)).toMatchObject({ event, reason });
  });

  it.each([
    ['earlier_life', 'the daemon was restarted while it ran; safe to ask again'],
    ['other_daemon', 'the daemon that ran it has gone silent; safe to ask again'],
    ['this_life', 'its end could not be stored; safe to ask again'],
  ] as const)('says who left an orphan: %s', (leaver, reason) => {
    expect(orphanOutcome(reads, leaver).reason).toBe(reason);
  });

  it('calls an orphan lost only if it may have changed something', () => {
    expect(orphanOutcome(reads).event).toBe('failed');
    expect(orphanOutcome(changes).event).toBe('lost');
  });
});

describe('KILL after TERM', () => {
  it.each([
    ['a Proxmox task is never killed', 'host', 'pct shutdown 135', null],
    ['nor one behind another command', 'host', 'cd /tmp && /usr/sbin/qm start 200', null],
    ['a word that only contains pct', 'host', 'echo my-pct-list > /tmp/x', 5_000],
    ['what runs inside a guest is no task of the host', 'lxc', 'pct shutdown 135', 5_000],
  ] as const)('%s', (_claim, targetKind, command, expected) => {
    expect(killAfterMs({ risk: 'config_mutation', targetKind, command })).toBe(expected);
  });
});
