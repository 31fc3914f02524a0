import { classOfSql } from '../checkers/sql.ts';
import { type Call, changes, checked, destroys, type Rule, refuse } from '../rule.ts';
import { spokenTo } from '../spoken.ts';

/** A word that makes a client run statements out of a file. */
const FROM_FILE = /^(-f|--file|-init|--init-file|-F)(=|$)|^-f.|^\\ir? |^(source|\\\.) |^\.read /i;
const SCRIPT_FILE = /\.(js|mongodb|sql)$/;

/** `\! cmd`, `.shell cmd`, `system cmd`, `copy … to program 'cmd'`. */
const SHELLS = [
  /\\!\s*(.+)/g,
  /^\s*\.(?:shell|system)\s+(.+)$/gm,
  /(?:^|;)\s*system\s+(.+)$/gm,
  /\bprogram\s+'((?:[^']|'')+)'/gi,
];

/** Its statements: among its words, and where they are told on its input. */
function statements(call: Call): readonly string[] {
  const spoken = spokenTo(call.input);
  const words = call.args.map((arg) => arg.text ?? '');
  return typeof spoken === 'object' ? [...words, spoken.text] : words;
}

function commandsIn(call: Call): readonly string[] {
  return statements(call).flatMap((text) =>
    SHELLS.flatMap((form) => [...text.matchAll(form)].map((found) => found[1] ?? '')),
  );
}

function readsScripts(call: Call): boolean {
  const named = call.args.some(
    ({ text }) => FROM_FILE.test(text ?? '') || SCRIPT_FILE.test(text ?? ''),
  );
  const evaluates =
    /^mongo/.test(call.program) && call.args.some(({ text }) => /^--eval/.test(text ?? ''));
  return named || evaluates || spokenTo(call.input) !== undefined;
}

/** What a client does that is given its statements by a file or on its input; `look` needs neither. */
export function inputRules(name: string, look: Rule): readonly Rule[] {
  const beyond = (call: Call): boolean => !look.when(call).matches;
  return [
    destroys(
      '',
      'is told to drop or empty what a database holds',
      [`${name} 'drop table x'`],
      [`${name} --version`],
      {
        if: (call) =>
          beyond(call) &&
          statements(call).some(
            (text) => classOfSql(text) === 'destructive' || /^\s*\.restore\b/m.test(text),
          ),
      },
    ),
    changes(
      '',
      'runs statements out of a file or its input',
      [`${name} -f x`],
      [`${name} --version`],
      {
        if: (call) => beyond(call) && readsScripts(call),
        flags: ['opaque'],
      },
    ),
    {
      ...checked(
        '',
        'runs commands out of a database client',
        (call) => {
          const commands = beyond(call) ? commandsIn(call) : [];
          if (commands.length === 0) return refuse('it runs no command');
          const opens = commands.map((text) => ({ kind: 'script', text, shell: 'posix' }) as const);
          return { matches: true, opens };
        },
        [`${name} '\\! id'`],
        [`${name} --version`],
      ),
      class: 'config_mutation',
    },
  ];
}
