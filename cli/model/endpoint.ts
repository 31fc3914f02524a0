import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { reasonOf } from '../reason.ts';

export interface ModelAccess {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly fetch: typeof fetch;
}

const PATIENCE_MS = 30_000;
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

export type Catalogue =
  | { readonly kind: 'models'; readonly names: readonly string[] }
  /** It answers, but offers no such list: not every endpoint does. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong_key' }
  | { readonly kind: 'web_page' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The models that the endpoint offers: the cheapest question that shows what kind of server it is. */
export async function readCatalogue(at: ModelAccess): Promise<Catalogue> {
  try {
    const response = await at.fetch(`${trimmed(at.baseUrl)}/models`, {
      headers: headers(at),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.status === 401 || response.status === 403) return { kind: 'wrong_key' };
    const parsed = modelList.safeParse(parseJson(text));
    if (parsed.success) return { kind: 'models', names: parsed.data.data.map(({ id }) => id) };
    return /^\s*<(?:!doctype|html)/i.test(text) ? { kind: 'web_page' } : { kind: 'none' };
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

/**
 * Whether an answer comes in pieces. Asked by hand, because the agent's client hides it: a server
 * that sends everything at once works, but looks dead while it thinks.
 */
export async function streams(at: ModelAccess): Promise<boolean> {
  const response = await at.fetch(`${trimmed(at.baseUrl)}/chat/completions`, {
    method: 'POST',
    headers: headers(at),
    body: JSON.stringify({
      model: at.model,
      stream: true,
      messages: [{ role: 'user', content: 'Count from 1 to 5.' }],
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const pieces = (await response.text()).match(/^data: ?\{/gm) ?? [];
  return response.ok && pieces.length > 1;
}

function headers({ apiKey }: ModelAccess): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
  };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}
