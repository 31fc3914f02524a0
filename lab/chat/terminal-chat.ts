import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { TimelineItem } from '../console/timeline.ts';
import { act, type Seat } from './act.ts';
import { INPUT_HELP, parseInput } from './input.ts';
import { createPaint } from './paint.ts';
import { cardNumber, isOpenCard, renderItem } from './render.ts';
import { type Block, planUpdate } from './screen.ts';
import { displayWidth, wrap } from './width.ts';

export interface ChatOptions {
  readonly seat: Seat;
  readonly names: ReadonlyMap<string, string>;
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colour: boolean;
  /** Lines shown first. */
  readonly welcome: string;
}

/** How many older messages are shown at the start, and by /history. */
const HISTORY = 12;
const PROMPT = '› ';

/** The room in the terminal, until the person leaves it. */
export async function chatInTerminal(options: ChatOptions): Promise<void> {
  const { seat, output } = options;
  const paint = createPaint(options.colour);
  const rl = createInterface({
    input: options.input,
    output,
    terminal: true,
    prompt: PROMPT,
    historySize: 200,
    removeHistoryDuplicates: true,
  });
  const left = Promise.withResolvers<void>();
  const told: Block[] = [];
  let first = Math.max(0, timeline().length - HISTORY);
  let shown: Block[] = [];
  let toldCount = 0;

  function timeline(): readonly TimelineItem[] {
    return seat.user.timeline(seat.roomId);
  }
  const columns = () => Math.max(20, output.columns || 80);
  const blocks = (): Block[] => {
    const view = {
      columns: columns(),
      paint,
      botId: seat.botId,
      nameOf: (sender: string) => options.names.get(sender) ?? sender,
    };
    const items = timeline().slice(first);
    const after = (id: string) => told.filter((block) => block.id.endsWith(`@${id}`));
    return [
      ...after('start'),
      ...items.flatMap((item) => [
        { id: item.eventId, lines: renderItem(item, view) },
        ...after(item.eventId),
      ]),
    ];
  };
  const draw = () => {
    const next = blocks();
    const { up, print, outOfReach } = planUpdate(shown, next, (output.rows || 24) - 2);
    shown = next;
    if (up > 0 || print.length > 0) replaceAbovePrompt(rl, output, up, print);
    for (const id of outOfReach) tellAgain(id);
  };
  /** A line for the person alone, below the newest message. */
  const tell = (text: string) => {
    toldCount += 1;
    const place = timeline().at(-1)?.eventId ?? 'start';
    const lines = wrap(text, columns()).map((line) => paint('dim', line));
    told.push({ id: `told${toldCount}@${place}`, lines: [...lines, ''] });
    draw();
  };
  /** A card that changed above the screen is named below. */
  const tellAgain = (id: string) => {
    const item = timeline().find(({ eventId }) => eventId === id);
    if (!item || cardNumber(item, seat.botId) === undefined) return;
    if (!isOpenCard(item, seat.botId)) tell(`↑ ${item.body.split('\n')[0] ?? ''}`);
  };
  const obey = async (line: string) => {
    const input = parseInput(line);
    switch (input.kind) {
      case 'nothing':
        return;
      case 'quit':
        return rl.close();
      case 'help':
        return tell(INPUT_HELP);
      case 'wrong':
        return tell(input.complaint);
      case 'history':
        first = Math.max(0, timeline().length - HISTORY * 2);
        shown = [];
        return draw();
      default: {
        const acted = await act(seat, input);
        if (acted.kind === 'told') tell(acted.text);
      }
    }
  };

  rl.on('line', (line) => {
    eraseTyped(output, line, columns());
    rl.prompt();
    obey(line).catch((error: unknown) => tell(`That did not work: ${String(error)}`));
  });
  rl.on('SIGINT', () => rl.close());
  rl.on('close', () => left.resolve());
  output.write(`${wrap(options.welcome, columns()).join('\n')}\n\n`);
  const unsubscribe = seat.user.onChange(draw);
  rl.prompt();
  draw();
  await left.promise;
  unsubscribe();
  output.write('\n');
}

/** Rewrites lines above the prompt; what is being typed stays. */
function replaceAbovePrompt(
  rl: Interface,
  output: WriteStream,
  up: number,
  lines: readonly string[],
): void {
  cursorTo(output, 0);
  moveCursor(output, 0, -(rl.getCursorPos().rows + up));
  clearScreenDown(output);
  output.write(lines.map((line) => `${line}\n`).join(''));
  rl.prompt(true);
}

/** The typed line comes back as a message of the room: it need not stand there twice. */
function eraseTyped(output: WriteStream, line: string, columns: number): void {
  const rows = Math.floor(displayWidth(PROMPT + line) / columns) + 1;
  moveCursor(output, 0, -rows);
  cursorTo(output, 0);
  clearScreenDown(output);
}
