import { randomBytes } from 'node:crypto';
import { sweepScript } from './runner/scripts.ts';
import { openSession } from './runner/session.ts';
import type { Transport } from './ssh/transport.ts';

/**
 * Takes away what runs of a week ago left on a host (K17: care of our own leftovers). False: the
 * host could not be asked.
 */
export async function sweepLeftovers(transport: Transport, hostSlug: string): Promise<boolean> {
  const reserved = await transport.reserve(hostSlug);
  if (!reserved.ok) return false;
  const { slot } = reserved;
  try {
    const opened = await slot.open();
    if (!opened.ok) return false;
    const nonce = randomBytes(16).toString('hex');
    const session = openSession(opened.channel, {
      script: sweepScript({ nonce }),
      nonce,
      greetingMs: slot.greetingMs,
      attached: false,
      onData: () => undefined,
    });
    return (await session.end).kind === 'swept';
  } finally {
    slot.release();
  }
}
