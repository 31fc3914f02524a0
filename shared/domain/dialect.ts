/** The shell that a command was judged for and is run by; part of what a yes is given to. */
export const DIALECTS = ['bash', 'posix'] as const;
export type Dialect = (typeof DIALECTS)[number];
