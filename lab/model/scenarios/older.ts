import { type View, viewOf, type WireMessage } from '../view.ts';

/**
 * When Oikos tells how a command went, the operator may have spoken of something else since it was
 * proposed: then the view is that of the request it belongs to, with later words left out.
 */
export function aboutNote(view: View): View {
  const { note, messages } = view;
  const number = note === undefined ? undefined : /^\[oikos\] #(\d+)\b/.exec(note)?.[1];
  if (number === undefined) return view;
  const proposed = messages.findIndex(
    ({ role, content }) => role === 'tool' && mentions(firstLine(content), number),
  );
  if (proposed < 0) return view;
  const kept = messages.filter((message, index) => index < proposed || !isWords(message));
  if (kept.length === messages.length) return view;
  return { ...viewOf({ model: '', messages: kept }, view.attempt), tools: view.tools };
}

function isWords({ role, content }: WireMessage): boolean {
  return role === 'user' && !(content ?? '').startsWith('[oikos] ');
}

function firstLine(content: string | null | undefined): string {
  return (content ?? '').split('\n')[0] ?? '';
}

function mentions(line: string, number: string): boolean {
  return new RegExp(`#${number}(?!\\d)`).test(line);
}
