/** What `nginx -t` finds in a configuration file: statements end in `;` or open a block, blocks close. Pure. */

export type ConfigVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string };

/** The message is nginx's own, with file and line. */
export function checkConfig(path: string, text: string): ConfigVerdict {
  let depth = 0;
  let open: string | undefined;
  const lines = text.split('\n');
  const numbered = lines.flatMap((line, index) =>
    tokens(line).map((token) => ({ token, line: index + 1 })),
  );
  for (const { token, line } of numbered) {
    const problem = misplaced(token, open, depth);
    if (problem !== undefined) return emerg(`${problem} in ${path}:${line}`);
    depth += DEPTH_STEPS[token] ?? 0;
    open = isPunctuation(token) ? undefined : (open ?? token);
  }
  const expected = open === undefined ? '"}"' : '";" or "}"';
  return depth > 0 || open !== undefined
    ? emerg(`unexpected end of file, expecting ${expected} in ${path}:${lines.length}`)
    : { ok: true };
}

const DEPTH_STEPS: Readonly<Record<string, number>> = { '{': 1, '}': -1 };

function misplaced(token: string, open: string | undefined, depth: number): string | undefined {
  if (token === '}' && open !== undefined) return 'unexpected "}"';
  if (token === '}' && depth === 0) return 'unexpected "}"';
  if (token === '{' && open === undefined) return 'unexpected "{"';
  if (token === ';' && open === undefined) return 'unexpected ";"';
  return undefined;
}

function isPunctuation(token: string): boolean {
  return token === '{' || token === '}' || token === ';';
}

function tokens(line: string): string[] {
  const code = line.replace(/(^|\s)#.*$/, '');
  return code.match(/"[^"]*"|'[^']*'|[{};]|[^\s{};]+/g) ?? [];
}

function emerg(what: string): ConfigVerdict {
  return { ok: false, message: `nginx: [emerg] ${what}` };
}
