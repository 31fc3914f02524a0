import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

const wellKnown = z.object({ 'm.homeserver': z.object({ base_url: z.url() }) });

/**
 * The client API of a server name, where the server publishes one: `https://example.org` is where
 * the website is, and people give that address first (client-server API, "Well-known URI").
 */
export async function findClientApi(url: string, ask: typeof fetch): Promise<string | undefined> {
  try {
    const response = await ask(new URL('/.well-known/matrix/client', url), {
      signal: AbortSignal.timeout(10_000),
    });
    const parsed = wellKnown.safeParse(parseJson(await response.text()));
    return parsed.success ? parsed.data['m.homeserver'].base_url.replace(/\/+$/, '') : undefined;
  } catch {
    // Only a hint: whoever asks has already said what is wrong.
    return undefined;
  }
}
