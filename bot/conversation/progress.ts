import type { Db } from '../../shared/db/client.ts';
import type { TaskRow } from '../../shared/db/tasks.ts';
import { setProgressEvent, type TurnRow } from '../../shared/db/turns.ts';
import type { Log } from '../../shared/log.ts';
import type { ProgressEvent, StoredCall } from '../agent/turn-ports.ts';
import { type ProgressStep, renderProgress } from '../cards/lines.ts';
import { contentFor } from './content.ts';
import { lastLineOf } from './live-tail.ts';
import type { RoomPort } from './ports.ts';

/** At most one edit in this time (K12): edits are events that every client must fetch. */
const EDIT_INTERVAL_MS = 1_500;
/** A homeserver that made us wait (429) gets rest for so many times as long. */
const REST_FACTOR = 2;
/** How often a running command is looked at for what it has printed since. */
const LOOK_INTERVAL_MS = 2_000;
/** A call that is over sooner is not worth a notice of its own: a parked one has its card. */
const FIRST_DELAY_MS = 300;
/** Tools whose work shows in the room by itself. */
const UNSHOWN_TOOLS = ['complete_task'];

const WAITING = { body: 'Waiting for your answer.', formatted_body: 'Waiting for your answer.' };

export interface Progress {
  readonly onProgress: (event: ProgressEvent) => void;
  /** Shows the last state; never throws, progress is not worth a turn. */
  close(): Promise<void>;
}

/** The one notice of a turn that is edited in place as its tools start and end. */
export function createProgress(
  deps: { db: Db; room: RoomPort; log: Log },
  turn: TurnRow,
  task: TaskRow,
): Progress {
  const steps: (ProgressStep & { key: string; since: number })[] = [];
  let eventId = turn.progressEvent;
  let edits = 0;
  let shown = '';
  let sending: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let restUntil: number | undefined;
  let dirty = false;
  let closed = false;

  const send = async () => {
    dirty = false;
    // A call that turned out to wait for a person leaves its notice to the card.
    if (steps.length === 0 && eventId === null) return;
    const rendered = steps.length > 0 ? renderProgress(steps) : WAITING;
    const content = contentFor(task, { kind: 'progress' }, rendered, 'm.notice');
    if (content.body === shown) return;
    shown = content.body;
    const since = performance.now();
    try {
      if (eventId === null) {
        eventId = await deps.room.send(task.roomId, content, `turn.${turn.id}.p`);
        await setProgressEvent(deps.db, turn.id, eventId);
      } else {
        edits += 1;
        await deps.room.edit(
          task.roomId,
          eventId,
          content,
          `turn.${turn.id}.p${edits}.${Date.now()}`,
        );
      }
    } catch (error) {
      deps.log.warn({ turnId: turn.id, err: error }, 'progress could not be shown');
    }
    const now = performance.now();
    restUntil = now + Math.max(EDIT_INTERVAL_MS, REST_FACTOR * (now - since));
  };
  /** One at a time: what happens while one is under way is in the next. */
  const schedule = () => {
    dirty = true;
    if (timer || closed) return;
    const wait = restUntil === undefined ? FIRST_DELAY_MS : restUntil - performance.now();
    timer = setTimeout(
      () => {
        sending = send().finally(() => {
          timer = undefined;
          if (dirty) schedule();
        });
      },
      Math.max(0, wait),
    );
  };
  /** What runs long is seen to move: its seconds, and the last line that it printed. */
  const look = async () => {
    for (const [at, step] of steps.entries()) {
      if (step.state !== 'running') continue;
      const tail = await lastLineOf(deps.db, step.key).catch(() => undefined);
      const seconds = (performance.now() - step.since) / 1000;
      // It may have ended while its output was read.
      if (steps[at] !== step) continue;
      steps[at] = { ...step, seconds, ...(tail !== undefined && { note: `last: ${tail}` }) };
      schedule();
    }
  };
  const ticker = setInterval(() => void look(), LOOK_INTERVAL_MS);
  return {
    onProgress(event) {
      if (!('call' in event) || UNSHOWN_TOOLS.includes(event.call.name)) return;
      const { key } = event.call;
      const at = steps.findIndex((step) => step.key === key);
      const step = steps[at];
      if (event.type === 'call_started') {
        steps.push({ ...stepOf(event.call), key, since: performance.now() });
      } else if (step && event.type === 'call_ended' && event.parked) {
        steps.splice(at, 1);
      } else if (step) {
        const { note: _tail, ...ended } = step;
        const state = endState(event);
        steps[at] = { ...ended, state, seconds: (performance.now() - step.since) / 1000 };
      }
      schedule();
    },
    async close() {
      closed = true;
      clearInterval(ticker);
      clearTimeout(timer);
      await sending;
      await send();
    },
  };
}

function endState(event: ProgressEvent): ProgressStep['state'] {
  if (event.type === 'call_failed') return 'failed';
  return event.type === 'call_ended' && event.refused ? 'refused' : 'done';
}

function stepOf(call: StoredCall): ProgressStep {
  const args = readArgs(call.args);
  const text = (name: string) => (typeof args[name] === 'string' ? args[name] : undefined);
  const target = text('target') ?? text('slug') ?? severalOf(args['targets']);
  const command = text('command');
  return {
    tool: call.name,
    state: 'running',
    ...(target !== undefined && { target }),
    ...(command !== undefined && { command }),
  };
}

/** Few targets by name, many by number. */
function severalOf(targets: unknown): string | undefined {
  if (!Array.isArray(targets)) return undefined;
  return targets.length <= 3 ? targets.map(String).join(', ') : `${targets.length} targets`;
}

function readArgs(args: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
