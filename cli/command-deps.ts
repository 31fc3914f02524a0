import type { Env } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** What commands get from outside. */
export interface CommandDeps {
  readonly terminal: Terminal;
  readonly env: Env;
}
