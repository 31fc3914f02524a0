/**
 * What Node is told for bot and daemon, wherever they are started. V8 lets the space for young objects
 * grow to 48 MB and keeps it: both hold little, and what streams through them is garbage at once. A
 * daemon that passes 1 GB of output on then needs some 30 MB more than an idle one, which itself is
 * 100 MB smaller.
 */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=DEP0060',
  '--max-semi-space-size=4',
];
