/** What a tool of the stand-in says: the exit code and what goes to its two streams. */
export interface Answer {
  readonly code: number;
  readonly out?: string;
  readonly err?: string;
}

export const SILENT: Answer = { code: 0 };

export function printed(out: string): Answer {
  return { code: 0, out };
}

/** One error line on stderr; 255 is what most Proxmox commands exit with. */
export function refused(message: string, code = 255): Answer {
  return { code, err: `${message}\n` };
}
