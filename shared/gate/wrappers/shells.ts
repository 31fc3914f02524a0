import { namesOutside } from '../checkers/hosts.ts';
import { type Call, changes, type Match, type Rule, refuse } from '../rule.ts';
import { allTexts, literal, type Value } from '../value.ts';

/** `bash -c 'script'`. */
export function openShell(shell: 'bash' | 'posix'): (call: Call) => Match {
  return (call) => {
    if (call.args.length === 1 && call.args[0]?.text === '--version') return { matches: true };
    const given = scriptGiven(call);
    if (given !== undefined) {
      return { matches: true, reads: [], opens: [{ kind: 'script', text: given, shell }] };
    }
    const at = call.args.findIndex((arg) => !/^-[leu]+$/.test(arg.text ?? ''));
    const option = call.args[at]?.text ?? '';
    if (at < 0 || !/^-[leu]*c$/.test(option)) return refuse('it runs a script that cannot be seen');
    const script = call.args[at + 1]?.text;
    if (script === undefined) return refuse('the script is decided at run time');
    const computes = call.args.length > at + 2 && /\$/.test(script);
    const remark = {
      class: 'config_mutation',
      why: 'the script runs with arguments of its own',
    } as const;
    return {
      matches: true,
      reads: [],
      remarks: computes ? [remark] : [],
      opens: [{ kind: 'script', text: script, shell }],
    };
  };
}

/** What a shell without a script of its own is given on its input, where that is known. */
function scriptGiven({ args, input }: Call): string | undefined {
  return input.kind === 'text' && readsScript(args) ? input.script : undefined;
}

/** `bash`, `bash -s`, `sh -es -`: the shell takes its script from its input. */
export function readsScript(args: readonly Value[]): boolean {
  return args.every(({ text }) => /^(-[eu]*s?[eu]*|--)$/.test(text ?? '?'));
}

/** Says that a shell runs what cannot be looked through. */
export function runsText(name: string): Rule {
  return changes(
    '',
    'runs commands that cannot be seen beforehand',
    [`${name} x.sh`, name],
    [`${name} -c ls`],
    {
      flags: ['opaque'],
      if: (call) => !openShell('bash')(call).matches,
    },
  );
}

/** `su - user -c 'script'`, `runuser -u user -- command`: judged as if root ran it. */
export function openSu(call: Call): Match {
  const texts = allTexts(call.args);
  if (texts === undefined) return refuse('a word is decided at run time');
  const direct = /^-u (?:[\w.-]+) (-- )?/.test(`${texts.join(' ')} `);
  if (direct && call.program === 'runuser') {
    const argv = call.args.slice(texts[2] === '--' ? 3 : 2);
    if (argv.length === 0 || argv[0]?.text?.startsWith('-')) return refuse('it opens a shell');
    return { matches: true, reads: [], opens: [{ kind: 'argv', argv }] };
  }
  const at = texts.findIndex((text) => /^(-c|--command|-l?c)$/.test(text));
  const script = texts[at + 1];
  const others = texts.filter((_, i) => i !== at && i !== at + 1);
  const known = others.every((text) => /^(-|-l|--login|[a-z_][\w.-]*)$/.test(text));
  if (at < 0 || script === undefined || !known) return refuse('it opens a shell');
  return { matches: true, reads: [], opens: [{ kind: 'script', text: script, shell: 'posix' }] };
}

const FLAGS = /^-[46CnqTtvxak]+$/;
const SETTING =
  /^(ConnectTimeout|BatchMode|StrictHostKeyChecking|LogLevel|ServerAliveInterval|UserKnownHostsFile)=[\w/.-]+$/i;

/** `ssh [options] host command`: the far shell reads the words joined by blanks. */
export function openSsh(call: Call): Match {
  const start = hostAt(call.args);
  if (typeof start === 'string') return refuse(start);
  const [host, ...after] = call.args.slice(start);
  // Options may also follow the host; this ends them.
  const rest = after[0]?.text === '--' ? after.slice(1) : after;
  if (host?.text === undefined || !/^([\w.-]+@)?[\w.-]+$/.test(host.text))
    return refuse('the host is decided at run time');
  const texts = allTexts(rest);
  if (texts === undefined || texts.length === 0)
    return refuse('the command is missing or decided at run time');
  return {
    matches: true,
    reads: [],
    touches: 'unknown',
    flags: namesOutside(host.text) ? ['egress', 'outside_text'] : ['outside_text'],
    opens: [
      {
        kind: 'script',
        text: texts.join(' '),
        shell: 'posix',
        elsewhere: literal(host.text.replace(/^.*@/, '')),
      },
    ],
  };
}

function hostAt(args: readonly Value[]): number | string {
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text;
    if (text === undefined) return 'the host is decided at run time';
    if (!text.startsWith('-')) return at;
    if (FLAGS.test(text)) continue;
    const value = args[++at]?.text;
    const known = text === '-p' || text === '-l' || (text === '-o' && SETTING.test(value ?? ''));
    if (!known || value === undefined) return `the option ${text} is not known to be harmless`;
  }
  return 'it names no host';
}
