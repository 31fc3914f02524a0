import { eq } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decisionRoutes } from '../../bot/http/decisions.ts';
import { decideCard, listApprovals } from '../../cli/approvals/decide.ts';
import { unlockPerson } from '../../shared/db/locks.ts';
import { unlistRoom } from '../../shared/db/rooms.ts';
import { approvals, auditEvents, decisions, executions } from '../../shared/db/schema.ts';
import { createToken, listTokens, revokeToken } from '../../shared/db/tokens.ts';
import { startHttpServer } from '../../shared/http/server.ts';
import { lockOperator } from '../../shared/lock-operator.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house, OPERATOR, ROOM, STRANGER } from '../support/house.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { testSeals } from '../support/seals.ts';

async function api(h: House) {
  const server = await startHttpServer({
    port: 0,
    routes: decisionRoutes(h.decideDeps),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => server.close());
  const base = `http://127.0.0.1:${server.port}`;
  return {
    port: server.port,
    async call(method: string, path: string, token?: string, body?: unknown) {
      const answer = await fetch(`${base}${path}`, {
        method,
        ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

async function card(h: House, command: string, target = 'lxc:web'): Promise<string> {
  const { taskId, turnId } = await h.newTask();
  const answer = await propose(h.proposeDeps, {
    taskId,
    turnId,
    callKey: callKey(),
    target,
    command,
    purpose: '',
  });
  if (answer.kind !== 'waiting') throw new Error(`it is ${answer.kind}`);
  const [row] = await h.db
    .select()
    .from(approvals)
    .where(eq(approvals.executionId, answer.execution.id));
  return row?.id ?? '';
}

const statusOf = async (h: House, approvalId: string) => {
  const [row] = await h.db
    .select({ status: executions.status })
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .where(eq(approvals.id, approvalId));
  return row?.status;
};

describe('decisions over HTTP', () => {
  it('take a yes by an operator’s token, and write down who and how', async () => {
    const h = await house();
    const { call } = await api(h);
    const token = await createToken(h.db, testSeals, OPERATOR, 'the test');
    const id = await card(h, 'systemctl restart nginx');
    const listed = await call('GET', '/v1/approvals', token);
    expect(JSON.parse(listed.body)).toMatchObject({
      approvals: [{ id, number: 1, room: ROOM, command: 'systemctl restart nginx', phrase: null }],
    });
    const yes = await call('POST', `/v1/approvals/${id}/decision`, token, { decision: 'granted' });
    expect([yes.status, JSON.parse(yes.body)]).toMatchObject([200, { result: 'granted' }]);
    expect(await statusOf(h, id)).toBe('approved');
    const rows = await h.db.select().from(decisions);
    expect(rows).toMatchObject([{ by: OPERATOR, how: 'http', decision: 'granted' }]);
    const again = await call('POST', `/v1/approvals/${id}/decision`, token, { decision: 'denied' });
    expect(again.status).toBe(409);
  });

  it('need the phrase for what destroys', async () => {
    const h = await house();
    const { call } = await api(h);
    const token = await createToken(h.db, testSeals, OPERATOR, 'the test');
    const id = await card(h, 'pct destroy 102', 'host:lab');
    const path = `/v1/approvals/${id}/decision`;
    for (const phrase of [undefined, 'yes', 'I confirm destroy 101', 'i confirm destroy 102 now']) {
      const answer = await call('POST', path, token, { decision: 'granted', phrase });
      expect(answer.status, phrase).toBe(422);
      expect(answer.body).toContain('I confirm destroy 102');
    }
    expect(await statusOf(h, id)).toBe('pending_approval');
    const phrase = 'I confirm destroy 102';
    expect((await call('POST', path, token, { decision: 'granted', phrase })).status).toBe(200);
  });

  it.each([
    ['no token', undefined],
    ['a made-up token', 'oikos_x'],
  ])('turn away %s', async (_what, token) => {
    const h = await house();
    const { call } = await api(h);
    const id = await card(h, 'systemctl restart nginx');
    for (const [method, path] of [
      ['GET', '/v1/approvals'],
      ['POST', `/v1/approvals/${id}/decision`],
    ] as const) {
      const body = method === 'POST' ? { decision: 'granted' } : undefined;
      expect((await call(method, path, token, body)).status).toBe(401);
    }
    expect(await statusOf(h, id)).toBe('pending_approval');
  });

  it('turn away a revoked token, one of nobody, one of a locked operator, and any unlisted room', async () => {
    const h = await house();
    const { call } = await api(h);
    const id = await card(h, 'systemctl restart nginx');
    const post = async (token: string) =>
      (await call('POST', `/v1/approvals/${id}/decision`, token, { decision: 'granted' })).status;
    const revoked = await createToken(h.db, testSeals, OPERATOR, 'the test');
    const [row] = await listTokens(h.db);
    await revokeToken(h.db, row?.id ?? '', 'the test');
    expect(await post(revoked)).toBe(401);
    expect(await post(await createToken(h.db, testSeals, STRANGER, 'the test'))).toBe(403);
    const own = await createToken(h.db, testSeals, OPERATOR, 'the test');
    await lockOperator(h.decideDeps, OPERATOR, { by: 'the test' });
    // Its card was withdrawn with the lock; another one waits.
    expect(await statusOf(h, id)).toBe('cancelled');
    const next = await card(h, 'systemctl restart dns');
    const path = `/v1/approvals/${next}/decision`;
    expect((await call('POST', path, own, { decision: 'granted' })).status).toBe(403);
    await unlockPerson(h.db, testSeals, OPERATOR, 'the test');
    await unlistRoom(h.db, ROOM, 'the test');
    expect((await call('POST', path, own, { decision: 'granted' })).status).toBe(403);
    expect(await statusOf(h, next)).toBe('pending_approval');
    const ignored = await h.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'decision.ignored'));
    expect(ignored.map(({ data }) => data['why'])).toEqual([
      'not an operator',
      'locked',
      "this room is not on the operators' list",
    ]);
  });

  it('decide nothing by GET, nor by what is no decision', async () => {
    const h = await house();
    const { call } = await api(h);
    const token = await createToken(h.db, testSeals, OPERATOR, 'the test');
    const id = await card(h, 'systemctl restart nginx');
    const path = `/v1/approvals/${id}/decision`;
    expect((await call('GET', `${path}?decision=granted`, token)).status).toBe(404);
    for (const body of [
      {},
      { decision: 'yes' },
      { decision: 'granted', by: STRANGER },
      'granted',
    ]) {
      expect((await call('POST', path, token, body)).status).toBe(400);
    }
    expect((await call('POST', '/v1/approvals/1/decision', token, {})).status).toBe(404);
    expect(await statusOf(h, id)).toBe('pending_approval');
  });
});

describe('oikos approve and deny', () => {
  it('decide by number, with the phrase where one is needed', async () => {
    const h = await house();
    const { port } = await api(h);
    const id = await card(h, 'pct destroy 102', 'host:lab');
    const terminal = scriptedTerminal();
    const deps = {
      env: {
        OIKOS_TOKEN: await createToken(h.db, testSeals, OPERATOR, 'the test'),
        BOT_HTTP_PORT: `${port}`,
      },
      terminal,
      fetch,
    };
    const ask = { decision: 'granted', room: undefined } as const;
    expect(await listApprovals(deps)).toBe(true);
    expect(await decideCard({ ...ask, number: '#1', phrase: undefined }, deps)).toBe(false);
    expect(await decideCard({ ...ask, number: '9', phrase: undefined }, deps)).toBe(false);
    expect(await decideCard({ ...ask, number: '1', phrase: 'I confirm destroy 102' }, deps)).toBe(
      true,
    );
    expect(terminal.lines).toEqual([
      `#1 destructive on host:lab (needs --phrase "I confirm destroy 102"), in ${ROOM}`,
      '    pct destroy 102',
      '#1 destroys something: add --phrase "I confirm destroy 102".',
      'No card 9 waits.',
      '#1 granted.',
    ]);
    expect(await statusOf(h, id)).toBe('approved');
    expect(await h.db.select().from(decisions)).toMatchObject([{ how: 'cli', by: OPERATOR }]);
  });
});
