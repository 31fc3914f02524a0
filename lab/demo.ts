import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wantsColour } from './chat/paint.ts';
import { chatInTerminal } from './chat/terminal-chat.ts';
import { type DemoOptions, readOptions } from './demo-options.ts';
import { secondsSinceCommand } from './timing.ts';
import { type Played, play } from './tour/play.ts';
import { readScript } from './tour/script.ts';
import { forgetWorld } from './world/database.ts';
import { formLine, labForm } from './world/hosts.ts';
import { DEMO_MARK, endLeftovers } from './world/leftovers.ts';
import { takeFolder } from './world/lock.ts';
import { createSteps } from './world/steps.ts';
import { startWorld, type World } from './world.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TOUR = join(ROOT, 'docs', 'scripts', 'tour.txt');
/** Long enough to read a caption, short enough for five moments in two minutes. */
const TOUR_PAUSE_MS = 2_500;

const read = readOptions(process.argv.slice(2), ROOT);
if (!read.ok) {
  console.error(read.complaint);
  process.exit(2);
}
process.exit(await run(read.options));

/** One demo from the lock to the last process; answers the exit code. */
async function run(options: DemoOptions): Promise<number> {
  const { dir } = options;
  const stopping = Promise.withResolvers<number>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stopping.resolve(signal === 'SIGINT' ? 0 : 1);
      // Whoever asks twice does not want to wait for an orderly end.
      process.once(signal, () => process.exit(130));
    });
  }
  try {
    const lock = takeFolder(dir);
    // Everything started from here on carries the mark, whatever happens to us.
    process.env[DEMO_MARK] = dir;
    const world = start(options);
    // A demo that is stopped while it starts ends its parts by their mark.
    const started = await Promise.race([world, stopping.promise]);
    const code = typeof started === 'number' ? started : await use(started, options, stopping);
    if (typeof started !== 'number') await started.stop();
    await endLeftovers(dir);
    lock.release();
    return code;
  } catch (error) {
    console.error(
      `The demo cannot start: ${error instanceof Error ? error.message : String(error)}`,
    );
    if (process.env[DEMO_MARK] === dir) await endLeftovers(dir);
    return 1;
  }
}

async function start(options: DemoOptions): Promise<World> {
  const { dir } = options;
  const form =
    options.form === 'state'
      ? ({ kind: 'state', reason: 'asked for by --lab state' } as const)
      : await labForm();
  if (options.form === 'namespaces' && form.kind === 'state') throw new Error(form.reason);
  console.error(formLine(form));
  const steps = createSteps(
    {
      write: (text) => void process.stderr.write(text),
      columns: process.stderr.columns || 80,
      live: process.stderr.isTTY === true && process.env['TERM'] !== 'dumb',
    },
    () => performance.now(),
  );
  const left = await endLeftovers(dir);
  if (left > 0) steps.note(`Ended ${left} processes that an earlier demo had left behind.`);
  if (options.reset) await forgetWorld(dir);
  const { homeserver, offline } = options;
  const world = await startWorld({
    root: ROOT,
    dir,
    form,
    steps,
    homeserver: homeserver && { ...homeserver, token: process.env['MATRIX_ACCESS_TOKEN'] },
    model: offline ? {} : process.env,
    redisUrl: process.env['REDIS_URL'],
  });
  steps.note(`${steps.seconds().toFixed(1).padStart(6)} s  in all. ${modelLine(world)}`);
  return world;
}

function modelLine({ modelKind, modelName }: World): string {
  return modelKind === 'real'
    ? `The model is ${modelName}, a real one, from OPENAI_* in your environment.`
    : 'The model is an offline script, no AI; OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL connect a real one.';
}

async function use(
  world: World,
  options: DemoOptions,
  stopping: PromiseWithResolvers<number>,
): Promise<number> {
  void world.ended.then((name) => {
    console.error(`The ${name} ended; its log is in ${world.dir}.`);
    stopping.resolve(1);
  });
  switch (options.mode.kind) {
    case 'chat':
      return Promise.race([talk(world, options), stopping.promise]);
    case 'tour':
      return Promise.race([perform(world, options, TOUR), stopping.promise]);
    case 'script':
      return Promise.race([perform(world, options, options.mode.file), stopping.promise]);
  }
}

async function perform(world: World, options: DemoOptions, file: string): Promise<number> {
  const isTour = options.mode.kind === 'tour';
  const pauseMs = isTour && process.stdout.isTTY ? TOUR_PAUSE_MS : 0;
  const before = secondsSinceCommand();
  const { failures, firstAnswerMs } = await play(world, {
    steps: readScript(readFileSync(file, 'utf8')),
    print: (part) => console.log(shown(part)),
    pauseMs,
  });
  for (const failure of failures) console.error(failure);
  if (options.timing && firstAnswerMs !== undefined) {
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    console.log(
      `Commands typed: 1. From the command to the first answer: ${(before + firstAnswerMs / 1000).toFixed(1)} s; from the question to it: ${seconds(firstAnswerMs)} s.`,
    );
  }
  return failures.length > 0 ? 1 : 0;
}

function shown({ kind, text }: Played): string {
  switch (kind) {
    case 'heading':
      return `── ${text} ──\n`;
    case 'caption':
      return `${text}\n`;
    case 'chat':
      return `${text}\n`;
  }
}

/** The room in this terminal, or where else it can be seen; resolves when the person leaves. */
async function talk(world: World, options: DemoOptions): Promise<number> {
  const { room_id: roomId, bot_id: botId, operator_id: operatorId } = world.connection;
  const { operator, names } = world;
  if (!(operator && process.stdin.isTTY && process.stdout.isTTY)) {
    console.error(whereToConnect(world));
    return new Promise(() => undefined);
  }
  await chatInTerminal({
    seat: { user: operator, roomId, botId, thread: undefined },
    names,
    input: process.stdin,
    output: process.stdout,
    colour: wantsColour({ noColourFlag: options.noColour, env: process.env }),
    welcome: `You are ${operatorId} in the room of Nomos. Try: how full are the disks? · is everything ok? · restart nginx on web. Or help, /help, /quit. With Element: ${world.connection.homeserver_url}, password ${world.operatorPassword}.`,
  });
  console.error('Ending …');
  return 0;
}

function whereToConnect(world: World): string {
  const { homeserver_url, room_id, operator_id, bot_id } = world.connection;
  if (!world.operator) {
    return `\nOikos runs. Open your client as ${operator_id} and accept the invitation of ${bot_id} (room ${room_id}). Ctrl-C ends everything.`;
  }
  return [
    '',
    `Oikos runs. Homeserver ${homeserver_url}, room ${room_id}, you are ${operator_id}.`,
    `Log in there with Element as ${operator_id}, password "${world.operatorPassword}".`,
    `All addresses and the access token: ${join(world.dir, 'connection.json')}. Ctrl-C ends everything.`,
  ].join('\n');
}
