import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { closeInTime } from '../shared/close-in-time.ts';
import type { BotConfig } from '../shared/config.ts';
import { connect } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { inboxStore } from '../shared/db/inbox.ts';
import { watchLedger } from '../shared/db/ledger-watch.ts';
import { listen } from '../shared/db/listen.ts';
import { holdLock } from '../shared/db/lock.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import { registerOwnFolders } from '../shared/db/own-places.ts';
import { forgetCompany } from '../shared/db/rooms.ts';
import type { TurnRow } from '../shared/db/turns.ts';
import { endOutlivedWindows } from '../shared/db/windows.ts';
import { markPath } from '../shared/ledger-mark.ts';
import type { Log } from '../shared/log.ts';
import { findOwnFolders } from '../shared/own-place.ts';
import { propose } from '../shared/propose.ts';
import { LOOK_PATIENCE_MS } from '../shared/propose-types.ts';
import { connectDoorbell } from '../shared/queue/executions.ts';
import { createRedactor } from '../shared/redact.ts';
import type { Sealer } from '../shared/seal.ts';
import { connectLlm } from './agent/llm.ts';
import { systemPrompt } from './agent/prompt.ts';
import type { ToolRegistry } from './agent/registry.ts';
import { toolRegistry } from './agent/tools/index.ts';
import { startChores } from './chores/chores.ts';
import { liveCards } from './chores/live-cards.ts';
import { remindOfCards } from './chores/remind.ts';
import { completeTask } from './conversation/complete.ts';
import { scheduleContinuation, tasksWithNews } from './conversation/continuation.ts';
import type { ConversationDeps } from './conversation/deps.ts';
import { openMailbox } from './conversation/mailbox.ts';
import { startReader } from './conversation/reader.ts';
import { mayInvite } from './conversation/standing.ts';
import { watchForTampering } from './conversation/tampering.ts';
import { decisionRoutes } from './http/decisions.ts';
import { type BotHealth, startBotHttp } from './http/health.ts';
import { OikosMatrixClient } from './matrix/client.ts';
import { roomTroubleOf } from './matrix/errors.ts';
import { createPeople } from './matrix/people.ts';
import { createRoomPort } from './matrix/room.ts';
import { incomingOf, roomPort } from './matrix-ports.ts';
import { startRelay } from './relay.ts';
import { identify } from './session.ts';
import { watchEnds } from './wait-for-end.ts';

export const AGENT = 'nomos';

export interface RunningBot {
  readonly httpPort: number;
  stop(): Promise<void>;
}

export interface BotOptions {
  readonly log: Log;
  /** Values that no message may show: those of the settings, and the seal keys. */
  readonly secrets: readonly string[];
  readonly seals: Sealer;
  /** Something that the bot cannot live with: its process should end. */
  readonly onFatal: (error: Error) => void;
}

/** The bot's composition root: everything is built here, once, and handed down. */
export async function startBot(
  config: BotConfig,
  { log, secrets, seals, onFatal }: BotOptions,
): Promise<RunningBot> {
  await using stack = new AsyncDisposableStack();
  await migrateDatabase(config.databaseUrl);
  const { db, close } = connect(config.databaseUrl, {
    name: 'oikos-bot',
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  stack.defer(closeInTime('database', close, log));
  const lock = await holdLock(config.databaseUrl, 'oikos-bot', {
    onWait: () => log.info('another bot runs on this database; waiting for it to end'),
    takenBy: 'another bot runs on this database',
    // Two bots would answer everything twice: nobody catches this, and the process ends in order.
    onLost: (error) => {
      throw error;
    },
  });
  stack.defer(closeInTime('lock', () => lock.release(), log));
  // After the lock: a standby must not judge a database that somebody else is at work on.
  const ledger = await watchLedger({
    db,
    path: markPath(config.sealKeyFile),
    actor: 'bot',
    onReplaced: onFatal,
    onError: (error) => log.warn({ err: error }, 'the ledger could not be looked at'),
  });
  stack.defer(closeInTime('ledger', () => ledger.close(), log, 1_000));
  if (ledger.restored)
    log.warn('the database was restored from an older copy, or altered; nothing of it runs');
  await registerOwnFolders(db, 'bot', findOwnFolders());
  await forgetCompany(db);
  const session = await identify(config, db);
  const redact = createRedactor([...secrets, session.accessToken]);
  const nonce = () => randomBytes(6).toString('hex');
  const doorbell = connectDoorbell(config.redisUrl, {
    onError: (error) => log.warn({ err: error }, 'the queue does not answer'),
  });
  stack.defer(closeInTime('queue', () => doorbell.close(), log));

  const operators = new Set(config.operators);
  const viewers = new Set(config.viewers);
  const isOperator = (userId: string) => operators.has(userId);
  if (operators.size === 0) log.warn('MATRIX_OPERATORS is empty: nobody will be obeyed');

  const wakers: { reader?: () => void } = {};
  const client = new OikosMatrixClient({
    homeserverUrl: config.matrixHomeserverUrl,
    accessToken: session.accessToken,
    store: inboxStore(db, seals),
    log,
    now: () => new Date(),
    onInvite: async (_roomId, inviter) =>
      (await mayInvite({ db, isOperator, seals }, inviter)) ? 'join' : 'ignore',
    onCommitted: () => wakers.reader?.(),
  });
  const deps: ConversationDeps = {
    db,
    log,
    isOperator,
    isViewer: (userId) => viewers.has(userId),
    operators: config.operators,
    room: roomPort(createRoomPort(client), createPeople(client)),
    userId: session.userId,
    agent: AGENT,
    ring: (execution) => doorbell.ring(execution),
    reactionsOpenWindow: config.reactionsOpenWindow,
    graceMs: config.graceMs,
    staleYesMs: config.staleYesMs,
    timeZone: config.timeZone,
    seals,
  };
  const ends = watchEnds(db);
  const waitForLook = (id: string) => ends.waitForLook(id, LOOK_PATIENCE_MS);
  const toolsFor = (turn: Pick<TurnRow, 'id' | 'taskId'>): ToolRegistry =>
    toolRegistry({
      db,
      redact,
      nonce,
      taskId: turn.taskId,
      turnId: turn.id,
      propose: (ask) => propose({ ...deps, waitForLook }, ask),
      waitForEnd: ends.waitForEnd,
      completeTask: (end) => completeTask(db, turn.taskId, AGENT, end),
    });
  const soul = readFileSync(new URL('../SOUL.md', import.meta.url), 'utf8');
  const system = systemPrompt({ soul, tools: toolsFor({ id: '', taskId: '' }).tools });
  const llm = connectLlm({
    baseUrl: config.openaiBaseUrl,
    apiKey: config.openaiApiKey ?? '',
    model: config.openaiModel,
    idleMs: config.llmIdleMs,
    totalMs: config.llmTotalMs,
    onRetry: (error, waitMs) => log.warn({ kind: error.kind, waitMs }, 'the model is asked again'),
  });

  for (const taskId of await tasksWithNews(db)) {
    await scheduleContinuation({ db, redact, nonce }, taskId);
  }
  const mailbox = openMailbox({ ...deps, llm, system, toolsFor, redact, nonce });
  stack.defer(closeInTime('mailbox', () => mailbox.close(), log, 5_000));
  const relay = startRelay({ ...deps, redact, nonce, troubleOf: roomTroubleOf });
  stack.defer(closeInTime('relay', () => relay.close(), log, 4_000));
  const { wakingHours, timeZone } = config;
  const chores = startChores(
    {
      'window ends': async () => endOutlivedWindows(db, await readNow(db)),
      reminders: () => remindOfCards({ db, wakingHours, timeZone }),
      tampering: watchForTampering(db, seals),
      'live cards': liveCards({ ...deps, redact, nonce }),
    },
    log,
  );
  stack.defer(closeInTime('chores', () => chores.close(), log));
  const reader = startReader({
    ...deps,
    parse: incomingOf,
    interrupt: (taskIds) => mailbox.interrupt(taskIds),
  });
  stack.defer(closeInTime('reader', () => reader.close(), log));
  wakers.reader = reader.wake;
  const listening = listen(
    config.databaseUrl,
    ['oikos_outbox', 'oikos_turn', 'oikos_execution'],
    (channel, payload) => {
      if (channel === 'oikos_outbox') relay.wake();
      else if (channel === 'oikos_turn') mailbox.wake();
      else ends.notify(payload);
    },
    (error) => log.warn({ err: error }, 'notifications broke; polling meanwhile'),
  );
  stack.defer(closeInTime('notifications', () => listening.close(), log));
  await client.start();
  stack.defer(closeInTime('sync', () => client.stop(), log));

  const health: BotHealth = {
    db,
    queueAnswers: () => doorbell.ping(),
    lastSyncAt: () => client.lastSyncAt,
    fatal: () => client.fatal?.errcode ?? null,
    busy: () => !(reader.idle() && relay.idle() && mailbox.idle()),
  };
  const http = await startBotHttp(
    { port: config.httpPort, more: decisionRoutes(deps) },
    health,
    log,
  );
  stack.defer(closeInTime('http', () => http.close(), log));
  log.info({ userId: session.userId, httpPort: http.port, operators: operators.size }, 'bot ready');
  const running = stack.move();
  return { httpPort: http.port, stop: () => running.disposeAsync() };
}
