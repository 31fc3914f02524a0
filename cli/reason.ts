const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it broke the connection',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'names cannot be resolved now',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; give Node the CA: NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is self-signed; give Node the CA: NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate cannot be verified; give Node the CA: NODE_EXTRA_CA_CERTS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Why something failed, in a few words: what hides innermost in its causes. */
export function reasonOf(error: unknown): string {
  const innermost = causes(error).at(-1) ?? error;
  if (!(innermost instanceof Error)) return String(innermost);
  if (innermost.name === 'TimeoutError') return 'no answer in time';
  return CODES[codeOf(innermost) ?? ''] ?? firstLine(innermost);
}

/** The code of the innermost cause that has one: `ECONNREFUSED`, `28P01`. */
export function errorCode(error: unknown): string | undefined {
  return causes(error)
    .map(codeOf)
    .findLast((code) => code !== undefined);
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next !== undefined && !chain.includes(next)) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors[0] : causeOf(next);
  }
  return chain;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function firstLine({ message, name }: Error): string {
  const line = message.split('\n')[0]?.trim() ?? '';
  return line === '' ? name : line;
}
