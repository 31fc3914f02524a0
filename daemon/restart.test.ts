import { describe, expect, it } from 'vitest';
import { patienceMs } from './await-restart.ts';
import type { AwaitedRestart, Sight } from './boot.ts';
import { durableOutcome } from './outcome.ts';
import { OFF_MS, type RestartWait, restartOutcome } from './restart.ts';
import type { DurableEnd } from './runner/follow.ts';

const MINUTE = 60_000;
const host = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
const guest = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const run = { risk: 'destructive', timeLimitMs: MINUTE, cancelRequestedBy: '@op:x' } as const;
const exited = (code: number, agoSeconds: number | undefined = 0): DurableEnd => ({
  kind: 'exited',
  code,
  agoSeconds,
  bytes: 0,
});
const OLD: Sight = { kind: 'up', boot: 'old' };
const NEW: Sight = { kind: 'up', boot: 'new' };
const AWAY: Sight = { kind: 'away' };
const OFF: Sight = { kind: 'off' };

interface Story {
  readonly end: DurableEnd;
  /** What each look finds, a second apart; the last one stays. */
  readonly sights: readonly Sight[];
  readonly awaits?: 'reboot' | 'off';
  readonly fromOutside?: boolean;
  /** Left out: the line does nothing else. */
  readonly alone?: boolean;
  readonly machine?: AwaitedRestart['machine'];
  readonly seenAgoMs?: number;
  readonly stop?: AbortSignal;
}

async function play(story: Story) {
  const { end, sights, awaits = 'reboot', fromOutside = false, seenAgoMs } = story;
  const { alone = true, machine = host } = story;
  let nowMs = 1_000_000;
  let looked = 0;
  const downs: number[] = [];
  const wait: RestartWait = {
    restart: { awaits, machine, host, fromOutside, alone },
    bootBefore: 'old',
    end: end as RestartWait['end'],
    seenAt: seenAgoMs === undefined ? undefined : new Date(nowMs - seenAgoMs),
    limitMs: 15 * MINUTE,
    cancelRequestedBy: run.cancelRequestedBy,
    stop: story.stop ?? new AbortController().signal,
  };
  const became = await restartOutcome(
    {
      look: async () => sights[Math.min(looked++, sights.length - 1)] ?? AWAY,
      now: async () => new Date(nowMs),
      pause: async (ms) => {
        nowMs += ms;
      },
      onDown: (seenAt) => downs.push(seenAt.getTime()),
    },
    wait,
  );
  const outcome = became === 'own_end' ? durableOutcome(wait.end, run) : became;
  return { became, outcome, looked, downs, tookMs: nowMs - 1_000_000 };
}

describe('a run that reboots a machine', () => {
  it('is done when the machine answers in another boot, and says how long it was away', async () => {
    const sights = [OLD, OLD, ...Array(47).fill(AWAY), NEW];
    const { outcome, downs } = await play({ end: exited(0), sights });
    expect(outcome).toEqual({
      event: 'succeeded',
      reason: 'host:lab is back after 48 s',
      exitCode: 0,
    });
    // Last seen with the second look: that goes to the row.
    expect(downs).toEqual([1_001_000]);
  });

  it.each<[string, Partial<Story> & { end: DurableEnd }]>([
    ['its command was killed by the restart', { end: exited(143) }],
    ['what watched it was killed', { end: { kind: 'killed', stillRuns: false } }],
    ['it was found in another boot, without an end', { end: { kind: 'host_restarted' } }],
    ['its end is of an earlier boot', { end: exited(0, undefined) }],
    [
      'its spool lay in memory',
      { end: { kind: 'not_started', reason: 'it had not begun on its host', absent: true } },
    ],
  ])('is done although %s', async (_claim, story) => {
    const { outcome } = await play({ sights: [NEW], seenAgoMs: 200_000, ...story });
    expect(outcome).toMatchObject({
      event: 'succeeded',
      reason: 'host:lab is back after 3 min 20 s',
    });
  });

  it('has failed when the machine stays in its boot', async () => {
    const { outcome, tookMs } = await play({ end: exited(0), sights: [OLD] });
    expect(outcome).toMatchObject({
      event: 'failed',
      reason: 'host:lab did not reboot within 15 min: it still is in the same boot',
    });
    expect(tookMs).toBe(15 * MINUTE);
  });

  it('has failed when the machine does not come back', async () => {
    const { outcome, tookMs } = await play({ end: exited(0), sights: [OLD, AWAY] });
    expect(outcome).toMatchObject({
      event: 'failed',
      reason: 'host:lab has not come back within 15 min',
    });
    expect(tookMs).toBe(15 * MINUTE + 1_000);
  });

  it('waits anew for a machine that was away before anybody looked', async () => {
    const sights = [AWAY, AWAY, NEW];
    const { outcome } = await play({ end: exited(0), sights, seenAgoMs: 60 * MINUTE });
    expect(outcome).toMatchObject({ reason: 'host:lab is back after 60 min 2 s' });
  });

  it('does not take a line that broke for a restart', async () => {
    const { outcome } = await play({ end: exited(0), sights: [AWAY, OLD, AWAY, NEW] });
    expect(outcome).toMatchObject({ reason: 'host:lab is back after 2.0 s' });
  });

  it.each<[string, DurableEnd, readonly Sight[], string]>([
    ['failed before its restart', exited(100), [OLD], 'it ended with exit code 100'],
    [
      'was stopped before its restart',
      { ...exited(143), stopped: 'time_limit' } as DurableEnd,
      [NEW],
      'stopped after 60 s: time limit',
    ],
    [
      'never began',
      { kind: 'not_started', reason: 'it had not begun on its host', absent: true },
      [OLD],
      'nothing was started: it had not begun on its host',
    ],
    [
      'could not be started',
      { kind: 'not_started', reason: 'the host has no setsid' },
      [NEW],
      'nothing was started: the host has no setsid',
    ],
    ['may not start', { kind: 'refused', reason: 'changed' }, [NEW], 'changed'],
    [
      'stays away while it ran',
      { kind: 'unreachable' },
      [],
      'host:lab has not come back within 15 min',
    ],
  ])('ends at once when it %s', async (_claim, end, sights, reason) => {
    const { outcome, tookMs } = await play({ end, sights });
    expect(outcome).toMatchObject({ reason });
    expect(outcome).not.toMatchObject({ event: 'succeeded' });
    expect(tookMs).toBe(0);
  });

  it('that was asked for beside it is believed when it says that it failed', async () => {
    const story = { end: exited(255), sights: [OFF], fromOutside: true };
    const { became, outcome, looked } = await play(story);
    expect(became).toBe('own_end');
    expect(outcome).toMatchObject({ event: 'failed', reason: 'it ended with exit code 255' });
    expect(looked).toBe(0);
  });

  it.each([
    ['cancel', { event: 'cancelled', reason: 'stopped by @op:x', exitCode: 0 }],
    ['shutdown', 'left'],
  ])('is let go of at %s', async (reason, outcome) => {
    const stop = AbortSignal.abort(reason);
    expect((await play({ end: exited(0), sights: [AWAY], stop })).outcome).toEqual(outcome);
  });
});

describe('a run that switches a machine off', () => {
  it.each<[string, readonly Sight[], number]>([
    ['its host says that it is off', [OLD, OFF], 1_000],
    ['nothing answers for a while', [OLD, AWAY], 1_000 + OFF_MS],
  ])('is done when %s', async (_claim, sights, tookMs) => {
    const played = await play({ end: exited(0), sights, awaits: 'off' });
    expect(played.outcome).toEqual({
      event: 'succeeded',
      reason: 'host:lab is off',
      exitCode: 0,
    });
    expect(played.tookMs).toBe(tookMs);
  });

  it('has failed when it goes on answering', async () => {
    const { outcome } = await play({ end: exited(0), sights: [OLD], awaits: 'off' });
    expect(outcome).toMatchObject({
      event: 'failed',
      reason: 'host:lab did not power off within 15 min: it still is in the same boot',
    });
  });

  it.each<[string, DurableEnd, readonly Sight[]]>([
    ['up again', exited(0), [AWAY, NEW]],
    ['found in another boot', { kind: 'host_restarted' }, [NEW]],
  ])('has failed when it is %s', async (_claim, end, sights) => {
    const { outcome } = await play({ end, sights, awaits: 'off', seenAgoMs: 1_000 });
    expect(outcome).toMatchObject({
      event: 'failed',
      reason: expect.stringMatching(/^host:lab came back after [\d.]+ s instead of staying off$/),
    });
  });
});

describe('a restart behind other steps', () => {
  const UNKNOWN = '; whether the earlier steps finished is not known: look';

  it.each<[string, Partial<Story> & { end: DurableEnd }, string]>([
    ['that is found in another boot', { end: { kind: 'host_restarted' } }, 'is back after 9.0 s'],
    ['whose command was killed', { end: exited(143) }, 'is back after 9.0 s'],
    ['whose command failed', { end: exited(100) }, 'is back after 9.0 s'],
    [
      'whose watcher was killed',
      { end: { kind: 'killed', stillRuns: false } },
      'is back after 9.0 s',
    ],
    [
      'whose spool lay in memory',
      { end: { kind: 'not_started', reason: 'it had not begun on its host', absent: true } },
      'is back after 9.0 s',
    ],
    [
      'that is on although it should be off',
      { end: { kind: 'host_restarted' }, awaits: 'off' },
      'came back after 9.0 s instead of staying off',
    ],
    ['that is off', { end: exited(143), awaits: 'off', sights: [OFF] }, 'is off'],
    ['that stays away', { end: exited(143), sights: [AWAY] }, 'has not come back within 15 min'],
  ])('on a machine %s is lost', async (_claim, story, what) => {
    const { outcome } = await play({ sights: [NEW], seenAgoMs: 9_000, alone: false, ...story });
    expect(outcome).toMatchObject({ event: 'lost', reason: `host:lab ${what}${UNKNOWN}` });
  });

  it.each<['reboot' | 'off', Sight, string]>([
    ['reboot', NEW, 'host:lab is back after 3.0 s'],
    ['off', OFF, 'host:lab is off'],
  ])('is done when its command has said so: %s', async (awaits, sight, reason) => {
    const story = { end: exited(0), sights: [OLD, AWAY, AWAY, sight], awaits, alone: false };
    expect((await play(story)).outcome).toEqual({ event: 'succeeded', reason, exitCode: 0 });
  });
});

describe('a host that is out of sight while the command runs', () => {
  const LOST = {
    event: 'lost',
    reason: 'its host could not be reached for too long; what it did is not known',
  };

  it.each<[string, Partial<Story>, number | undefined, object]>([
    [
      'was to reboot',
      {},
      15 * MINUTE,
      { event: 'failed', reason: 'host:lab has not come back within 15 min' },
    ],
    [
      'was to go off',
      { awaits: 'off' },
      OFF_MS,
      { event: 'succeeded', reason: 'host:lab is off: it does not answer any more' },
    ],
    ['was to reboot behind other steps', { alone: false }, undefined, LOST],
    ['was to go off behind other steps', { awaits: 'off', alone: false }, undefined, LOST],
    ['was to reboot a guest', { machine: guest, fromOutside: true }, undefined, LOST],
    ['has a guest that was to go off', { machine: guest, awaits: 'off' }, undefined, LOST],
  ])('and %s', async (_claim, story, patience, outcome) => {
    const { awaits = 'reboot', fromOutside = false, alone = true, machine = host } = story;
    const restart = { awaits, fromOutside, alone, machine, host };
    expect(patienceMs(restart, 15 * MINUTE)).toBe(patience);
    const played = await play({ end: { kind: 'unreachable' }, sights: [], ...story });
    expect(played.outcome).toMatchObject(outcome);
    expect(played.looked).toBe(0);
  });
});
