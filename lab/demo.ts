import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../shared/db/client.ts';
import { untilIdle } from './idle.ts';
import { openTranscript } from './transcript.ts';
import { startWorld, type World } from './world.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { script: { type: 'string' }, dir: { type: 'string' } } });

const world = await start();
const code =
  values.script === undefined ? await untilStopped(world) : await play(world, values.script);
await world.stop();
process.exit(code);

async function start(): Promise<World> {
  try {
    return await startWorld({
      root: ROOT,
      dir: resolve(values.dir ?? join(ROOT, '.oikos', 'demo')),
      say: (line) => console.error(line),
    });
  } catch (error) {
    console.error(
      `The demo cannot start: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exit(1);
  }
}

/** Says each line as the operator and waits until everything that follows from it is over. */
async function play(running: World, file: string): Promise<number> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const { db, close } = connect(running.connection.database_url, { maxConnections: 2 });
  const transcript = openTranscript(running.names);
  // What an earlier start left in the room is not part of this conversation.
  transcript.news(running.timeline());
  let code = 0;
  try {
    for (const line of lines) {
      const eventId = await running.say(line);
      await untilIdle(db, { eventId });
      console.log(`${transcript.news(running.timeline())}\n`);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    code = 1;
  } finally {
    await close();
  }
  const failures = await running.failures();
  for (const failure of failures) console.error(failure);
  return failures.length > 0 ? 1 : code;
}

async function untilStopped(running: World): Promise<number> {
  const { homeserver_url, room_id, operator_id } = running.connection;
  console.error(
    [
      '',
      `Oikos runs. Homeserver ${homeserver_url}, room ${room_id}, you are ${operator_id}.`,
      `Log in there with Element as ${operator_id}, password "${running.operatorPassword}".`,
      `All addresses and the access token: ${join(running.dir, 'connection.json')}. Ctrl-C ends everything.`,
    ].join('\n'),
  );
  const stopped = Promise.withResolvers<number>();
  process.on('SIGINT', () => stopped.resolve(0));
  process.on('SIGTERM', () => stopped.resolve(0));
  void running.ended.then((name) => {
    console.error(`The ${name} ended; its log is in ${running.dir}.`);
    stopped.resolve(1);
  });
  return stopped.promise;
}
