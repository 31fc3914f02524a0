import type { TaskRow } from '../../shared/db/tasks.ts';
import { type MessageContent, OWN_MARK, type OwnMark } from './ports.ts';

/** A rendered document as a message of ours: marked with its task, in the task's thread. */
export function contentFor(
  task: Pick<TaskRow, 'id' | 'threadRoot'> | undefined,
  mark: Omit<OwnMark, 'task'>,
  rendered: { readonly body: string; readonly formatted_body: string },
  msgtype: MessageContent['msgtype'],
  mentions: readonly string[] = [],
): MessageContent {
  return {
    msgtype,
    body: rendered.body,
    format: 'org.matrix.custom.html',
    formatted_body: rendered.formatted_body,
    // Always present, so that no client guesses a mention from the text.
    'm.mentions': mentions.length > 0 ? { user_ids: mentions } : {},
    ...(task && { [OWN_MARK]: { task: task.id, ...mark } }),
    ...(task?.threadRoot != null && { 'm.relates_to': threadRelation(task.threadRoot) }),
  };
}

function threadRelation(root: string): Record<string, unknown> {
  return {
    rel_type: 'm.thread',
    event_id: root,
    is_falling_back: true,
    'm.in_reply_to': { event_id: root },
  };
}
