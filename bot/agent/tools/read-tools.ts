import { and, desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { readNow } from '../../../shared/db/clock.ts';
import { fleetEntities } from '../../../shared/db/entities.ts';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import { readGateGround } from '../../../shared/db/gate-ground.ts';
import { agentSessions, executions } from '../../../shared/db/schema.ts';
import { windowsOfTask } from '../../../shared/db/tasks.ts';
import { isFinal } from '../../../shared/domain/execution.ts';
import { shownObject } from '../../../shared/domain/objects.ts';
import { resolveTarget } from '../../../shared/domain/target.ts';
import { isOpen } from '../../../shared/domain/window.ts';
import { floorOf } from '../../../shared/gate-facts.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolResult } from '../turn-ports.ts';
import type { ToolDeps } from './deps.ts';
import { headline } from './execution-text.ts';
import { endResult } from './run.ts';

/** What the agent may look up about the house itself. */
export function readTools(deps: ToolDeps): Tool[] {
  return [executionStatus(deps), listEntities(deps), getEntity(deps), agentActivity(deps)];
}

function executionStatus(deps: ToolDeps): Tool {
  return defineTool({
    name: 'get_execution_status',
    description: 'Tells where an execution stands and what it printed. Takes its number or its id.',
    schema: z.object({ execution: z.string().describe('e.g. 7, #7 or the short id') }),
    kind: 'read',
    live: true,
    async run({ execution }) {
      const row = await findExecution(deps, execution);
      if (!row) return own(`There is no execution ${execution.slice(0, 40)} in this room.`);
      return isFinal(row.status) ? endResult(deps, row) : own(headline(row));
    },
  });
}

async function findExecution(deps: ToolDeps, written: string): Promise<ExecutionRow | undefined> {
  const wanted = written.trim().replace(/^#/, '').replace(/^run /, '').toLowerCase();
  const [task] = await deps.db
    .select({ roomId: agentSessions.roomId })
    .from(agentSessions)
    .where(eq(agentSessions.id, deps.taskId));
  if (!task) return undefined;
  const rows = await deps.db
    .select()
    .from(executions)
    .where(
      and(
        eq(executions.roomId, task.roomId),
        /^\d{1,9}$/.test(wanted) ? eq(executions.number, Number(wanted)) : undefined,
      ),
    )
    .orderBy(desc(executions.proposedAt))
    .limit(200);
  if (/^\d{1,9}$/.test(wanted)) return rows[0];
  return wanted.length < 6 ? undefined : rows.find(({ id }) => id.startsWith(wanted));
}

function listEntities(deps: ToolDeps): Tool {
  return defineTool({
    name: 'list_entities',
    description: 'Lists the hosts and guests that commands can be aimed at.',
    schema: z.object({}),
    kind: 'read',
    async run() {
      const fleet = await fleetEntities(deps.db);
      if (fleet.length === 0) return own('The fleet is empty: no daemon has reported hosts yet.');
      const lines = fleet.map(({ slug, name, attributes: { host, vmid } }) =>
        host ? `${slug}: guest ${vmid} "${name}" on ${host}` : `${slug}: Proxmox or Linux host`,
      );
      return own(lines.join('\n'));
    },
  });
}

function getEntity(deps: ToolDeps): Tool {
  return defineTool({
    name: 'get_entity',
    description:
      "Shows one host or guest: its place, shell and the risk floor that makes the gate stricter there, and this task's latest executions on it.",
    schema: z.object({ slug: z.string().describe('e.g. lxc:web') }),
    kind: 'read',
    live: true,
    async run({ slug }) {
      const ground = await readGateGround(deps.db);
      const { fleet } = ground;
      const entity = fleet.find((one) => one.slug === slug.trim().toLowerCase());
      if (!entity) {
        return own(
          `No ${slug.slice(0, 60)}; there are: ${fleet.map((one) => one.slug).join(', ')}`,
        );
      }
      const { host, vmid, shell } = entity.attributes;
      const resolved = resolveTarget(entity.slug, fleet);
      const floor = resolved.ok ? floorOf(resolved.target, ground) : undefined;
      const recent = await deps.db
        .select()
        .from(executions)
        .where(and(eq(executions.taskId, deps.taskId), eq(executions.targetSlug, entity.slug)))
        .orderBy(desc(executions.proposedAt))
        .limit(5);
      return own(
        [
          `${entity.slug} "${entity.name}"`,
          ...(host ? [`guest ${vmid} on ${host}`] : ['host']),
          `shell: ${shell ?? 'not known yet, judged as plain sh'}`,
          `risk floor: ${floor ?? 'none: each command is judged by itself'}`,
          ...recent.map(headline),
        ].join('\n'),
      );
    },
  });
}

function agentActivity(deps: ToolDeps): Tool {
  return defineTool({
    name: 'get_agent_activity',
    description: 'Lists the latest executions of this room and the open approval windows.',
    schema: z.object({ limit: z.number().int().min(1).max(50).default(15) }),
    kind: 'read',
    live: true,
    async run({ limit }) {
      const now = await readNow(deps.db);
      const rows = await deps.db
        .select({ execution: executions })
        .from(executions)
        .innerJoin(agentSessions, eq(agentSessions.roomId, executions.roomId))
        .where(eq(agentSessions.id, deps.taskId))
        .orderBy(desc(executions.proposedAt))
        .limit(limit);
      const open = (await windowsOfTask(deps.db, deps.taskId)).filter((one) => isOpen(one, now));
      const lines = [
        ...rows.map(({ execution }) => headline(execution)),
        ...open.map(
          (one) =>
            `${one.kind} window${one.object ? ` for ${shownObject(one.object)}` : ''} until ${one.expiresAt.toISOString()}`,
        ),
      ];
      return own(lines.length > 0 ? lines.join('\n') : 'Nothing was done in this room yet.');
    },
  });
}

/** Facts of the house; commands in them were the agent's own. */
function own(text: string): ToolResult {
  return { text, origins: ['oikos'] };
}
