import type { DecisionRow } from '../../shared/db/approvals.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { Story, StoryEvent } from '../../shared/db/story.ts';

/** The story as a person reads it: what it is about, then one line an event, oldest first. */
export function storyLines({ task, executions, decisions, events }: Story): string[] {
  const names = new Map(executions.map((row) => [row.id, nameOf(row)]));
  return [
    ...(task ? [`T${task.number} "${oneLine(task.goal)}" in ${task.roomId}: ${task.status}`] : []),
    ...executions.flatMap(aboutExecution),
    '',
    ...events.flatMap((event) => eventLines(event, names, decisions)),
  ];
}

function aboutExecution(row: ExecutionRow): string[] {
  const exit = row.exitCode === null ? '' : `, exit code ${row.exitCode}`;
  const why = row.reason === null ? '' : ` (${oneLine(row.reason)})`;
  return [
    `${nameOf(row)} on ${row.targetSlug}, ${row.risk}: ${row.status}${exit}${why}`,
    `    ${oneLine(row.command)}`,
    `    id ${row.id}, hash ${row.specHash}`,
  ];
}

function eventLines(
  event: StoryEvent,
  names: ReadonlyMap<string, string>,
  decisions: readonly DecisionRow[],
): string[] {
  const name = names.get(event.executionId ?? '');
  const place = event.place === null ? 'NOT CHAINED' : `${event.place}`;
  const said = decisions.find(
    ({ eventId, approvalId }) =>
      eventId !== null && (eventId === event.eventId || approvalId === event.approvalId),
  );
  const facts = [
    ...Object.entries(event.data).map(([key, value]) => `${key} ${factText(value)}`),
    ...(event.eventId ? [`event ${event.eventId}`] : []),
    ...(said?.words && isDecision(event) ? [`words ${JSON.stringify(said.words)}`] : []),
  ];
  return [
    `${place.padStart(6)}  ${event.at.toISOString()}  ${event.kind}${name ? ` ${name}` : ''} by ${event.actor}`,
    ...(facts.length > 0 ? [`        ${facts.join(', ')}`] : []),
  ];
}

function isDecision({ kind }: StoryEvent): boolean {
  return kind === 'execution.granted' || kind === 'execution.denied';
}

function factText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function nameOf(row: ExecutionRow): string {
  return row.number === null ? `run ${row.id.slice(0, 8)}` : `#${row.number}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
