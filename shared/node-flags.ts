/**
 * What Node is told for bot and daemon, wherever they are started. V8 lets the space for young objects
 * grow to 48 MB and keeps it: both hold little, and what streams through them is garbage at once. An
 * idle daemon is 100 MB smaller so.
 */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=DEP0060',
  '--max-semi-space-size=4',
  // For daemon/latest.ts, which drops much in a short time.
  '--expose-gc',
];
