import type { GatePart, GateResult } from '../domain/gate-result.ts';
import { clip } from './value.ts';

/** One plain sentence for each part, riskiest first, for cards and the command line. */
export function explain(result: GateResult): readonly string[] {
  return [...new Set(result.parts.map(sentence))];
}

function sentence(part: GatePart): string {
  const text = clip(part.text);
  const said = text === '' ? capital(part.why) : `\`${text.replace(/`/g, "'")}\`: ${part.why}`;
  return part.safer === undefined ? `${said}.` : `${said}. Safer: ${part.safer}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
