import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../shared/db/client.ts';
import { act, type Seat } from '../chat/act.ts';
import type { Input } from '../chat/input.ts';
import { cardNumber } from '../chat/render.ts';
import { untilIdle } from '../idle.ts';
import { openTranscript } from '../transcript.ts';
import type { World } from '../world.ts';
import type { Step } from './script.ts';

export interface PlayOptions {
  readonly steps: readonly Step[];
  /** Hears headings and captions, and the conversation piece by piece. */
  readonly print: (part: Played) => void;
  /** Time to read a caption, in milliseconds. */
  readonly pauseMs: number;
}

export interface Played {
  readonly kind: 'heading' | 'caption' | 'chat';
  readonly text: string;
}

export interface PlayResult {
  /** What went wrong in Oikos or in the script, in words; empty when all went well. */
  readonly failures: readonly string[];
  /** From the first thing said to the first answer; undefined when there was none. */
  readonly firstAnswerMs: number | undefined;
}

/** The lab's own operator is needed to play a script. */
export class NoSeatError extends Error {
  override readonly name = 'NoSeatError';
  constructor() {
    super('a script is played by the lab’s own operator: leave --homeserver out');
  }
}

/** Says each line as the operator and waits until everything that follows from it is over. */
export async function play(world: World, options: PlayOptions): Promise<PlayResult> {
  const { operator, connection } = world;
  if (!operator) throw new NoSeatError();
  const { room_id: roomId, bot_id: botId } = connection;
  const seat: Seat = { user: operator, roomId, botId, thread: undefined };
  const { db, close } = connect(connection.database_url, { maxConnections: 2 });
  const transcript = openTranscript(world.names);
  // What an earlier start left in the room is not part of this conversation.
  transcript.news(world.timeline());
  const failures: string[] = [];
  let firstAnswer: Promise<number | undefined> | undefined;
  const say = async (step: InputStep) => {
    firstAnswer ??= timeToAnswer(world, performance.now());
    const done = await perform(seat, step);
    if (typeof done === 'string') failures.push(done);
    else if (done) await untilIdle(db, done);
    options.print({ kind: 'chat', text: transcript.news(world.timeline()) });
    await sleep(options.pauseMs / 2);
  };
  try {
    for (const step of options.steps) {
      if (step.kind === 'input') await say(step);
      else {
        options.print(step);
        if (step.kind === 'caption') await sleep(options.pauseMs);
      }
    }
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    await close();
  }
  failures.push(...(await world.failures()));
  return { failures, firstAnswerMs: failures.length > 0 ? undefined : await firstAnswer };
}

type InputStep = Extract<Step, { kind: 'input' }>;

/** The event that was sent; or what is wrong with the script's line; or nothing. */
async function perform(
  seat: Seat,
  { line, input }: InputStep,
): Promise<{ eventId: string } | string | undefined> {
  switch (input.kind) {
    case 'say':
    case 'react':
    case 'reply': {
      const acted = await act(seat, withNumbers(seat, input));
      return acted.kind === 'sent' ? { eventId: acted.eventId } : `${line}: ${acted.text}`;
    }
    case 'thread': {
      const acted = await act(seat, input);
      const isWrong = input.card !== undefined && seat.thread === undefined;
      return isWrong && acted.kind === 'told' ? `${line}: ${acted.text}` : undefined;
    }
    case 'wrong':
      return `${line}: ${input.complaint}`;
    case 'nothing':
    case 'history':
    case 'help':
    case 'quit':
      return `${line}: not for scripts`;
  }
}

/** In scripts `#-1` is the newest card and `#-2` the one before: their numbers depend on what came earlier. */
function withNumbers<T extends Input>(seat: Seat, input: T): T {
  if (input.kind !== 'say') return input;
  const numbers = seat.user
    .timeline(seat.roomId)
    .flatMap((item) => cardNumber(item, seat.botId) ?? []);
  const text = input.text.replaceAll(/#-(\d)/g, (all, back: string) => {
    const number = numbers.at(-Number(back));
    return number === undefined ? all : `#${number}`;
  });
  return { ...input, text };
}

async function timeToAnswer(world: World, from: number): Promise<number | undefined> {
  const known = new Set(world.timeline().map(({ eventId }) => eventId));
  const { bot_id: botId, room_id: ours } = world.connection;
  try {
    await world.operator?.waitFor(
      ({ roomId, sender, eventId }) => roomId === ours && sender === botId && !known.has(eventId),
      60_000,
    );
    return performance.now() - from;
  } catch {
    return undefined;
  }
}
