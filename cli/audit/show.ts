import type { StorySubject } from '../../shared/db/story.ts';

/** `#7`, `T3`, or the id of an execution or the beginning of one; undefined for anything else. */
export function readSubject(written: string, room?: string): StorySubject | undefined {
  const named = /^(#|t)(\d{1,9})$/i.exec(written.trim());
  if (named) {
    const kind = named[1] === '#' ? 'card' : 'task';
    return { kind, number: Number(named[2]), ...(room !== undefined && { room }) };
  }
  const id = written.trim().toLowerCase();
  return /^[0-9a-f-]{6,36}$/.test(id) ? { kind: 'execution', id } : undefined;
}
