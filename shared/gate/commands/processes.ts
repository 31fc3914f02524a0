import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  lineOf,
  type Match,
  type Program,
  phrase,
  reads,
  refuse,
  theTarget,
} from '../rule.ts';
import { allTexts, isNoOption, PLAIN_OUTPUT } from '../value.ts';

const VALUE_OPTIONS = /^-?[a-zA-Z]*[oOpCuUtgG]$|^--(sort|ppid|pid|user|format)$/;

/** `ps` knows options with and without a dash; `e` without one prints environments. */
export function ps(call: Call): Match {
  const texts = call.args.map((arg) => arg.text);
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i];
    if (text === undefined) {
      // Process numbers, however many: `ps -p $(pgrep nginx)`.
      const numbers = call.args[i]?.pattern === PLAIN_OUTPUT;
      if ((call.args[i]?.words !== 'one' && !numbers) || !VALUE_OPTIONS.test(texts[i - 1] ?? '')) {
        return refuse('a computed word could be an option');
      }
    } else if (!knownPsWord(text, texts[i - 1])) {
      return refuse(`the word ${text} is not known to be harmless`);
    }
  }
  return { matches: true, reads: [] };
}

function knownPsWord(text: string, before: string | undefined): boolean {
  if (before !== undefined && VALUE_OPTIONS.test(before)) return true;
  if (text.startsWith('--')) {
    return /^--(sort|ppid|pid|user|no-headers?|headers?|forest|format|cols|columns|width|rows)(=|$)/.test(
      text,
    );
  }
  if (text.startsWith('-')) return /^-[AaefFlyjCopuUtHLTwcMVZNd]+$|^-[opCuUt]./.test(text);
  return /^[auxfjlvwSTrgcnmskh]+$|^\d+(,\d+)*$/.test(text) || /^[a-z]*o$/.test(text);
}

const ENVIRON = /(^-\w*o|^|[,=\s])environ(?=$|[,=:\s])/i;

/** The BSD letter `e`, not as the value of an option, or the column of that name. */
export const printsEnvironment = (call: Call): boolean =>
  call.args.some((arg, i) => {
    if (ENVIRON.test(arg.text ?? '')) return true;
    const before = call.args[i - 1]?.text ?? '';
    return /^[a-zA-Z]*e[a-zA-Z]*$/.test(arg.text ?? '') && !VALUE_OPTIONS.test(before);
  });

function top(call: Call): Match {
  const texts = allTexts(call.args);
  if (!texts) return refuse('a word is decided at run time');
  const batch = texts.some((text) => /^-[a-zA-Z]*b/.test(text));
  const counted = /(^| )-[a-zA-Z]*n ?[1-9]\d{0,2}( |$)/.test(texts.join(' '));
  const known = texts.every((text) =>
    /^-[bn1cHiSwoEep]+[\d.kmg]*$|^[\d.,]+$|^[-+]?%?[A-Z]+$|^[kmg]$/.test(text),
  );
  return batch && counted && known
    ? { matches: true, reads: [] }
    : refuse('it waits for keys without -b and -n');
}

function lsof(call: Call): Match {
  for (const [i, arg] of call.args.entries()) {
    const text = arg.text;
    const before = call.args[i - 1]?.text ?? '';
    const value = /^[-+][pucd]$|^-[a-zA-Z]*i$/.test(before) && arg.words === 'one';
    if (value && isNoOption(arg)) continue;
    if (text === undefined) {
      if (arg.words === 'one' && arg.prefix.startsWith('/')) continue;
      return refuse('a computed word could be an option');
    }
    const known =
      /^-[nPtlURabKO]+$|^-[nPt]*i\S*$|^-s(TCP|UDP):\w+$|^[-+][pucd].*$|^\+(D|d|L1?)$|^[/:]/;
    if (!known.test(text)) return refuse(`the word ${text} is not known to be harmless`);
  }
  return { matches: true, reads: [] };
}

function sleep(call: Call): Match {
  const [time] = call.args;
  const short = call.args.length === 1 && /^\d{1,2}(\.\d+)?s?$|^0?\.\d+$/.test(time?.text ?? '');
  return short ? { matches: true, reads: [] } : refuse('it waits too long');
}

const stops = (names: string, why: string, example: string): Program => ({
  names: names.split(' '),
  operands: 'named',
  rules: [changes('', why, [example], ['ls x'])],
});

const down = (names: string, example: string, unless = /^$/): Program => ({
  names: names.split(' '),
  operands: 'named',
  rules: [
    destroys('', 'takes the machine down', [example], ['ls x'], {
      if: (call) => !hasWord(unless)(call),
      objects: theTarget,
    }),
  ],
});

/** Running processes, and the machine itself going up and down. */
export const PROCESSES: readonly Program[] = [
  {
    names: ['ps'],
    operands: 'named',
    rules: [
      checked(
        '',
        'lists processes',
        ps,
        ['ps aux --sort=-%cpu', 'ps -eo pid,cmd'],
        ['ps auxe', 'ps --frob'],
      ),
      destroys(
        '',
        'prints the environment of processes, which can hold secrets',
        ['ps auxe', 'ps -ef e', 'ps -eo pid,environ'],
        ['ps aux'],
        {
          if: printsEnvironment,
          flags: ['secret'],
        },
      ),
    ],
  },
  {
    names: ['top'],
    operands: 'named',
    rules: [
      checked('', 'shows the busiest processes', top, ['top -bn1', 'top -b -n 1 -o %MEM'], ['top']),
      changes('', 'waits for keys', ['top'], ['top -bn1'], {
        flags: ['unbounded'],
        safer: 'top -b -n 1',
        if: (call) => !top(call).matches,
      }),
    ],
  },
  {
    names: [
      'htop',
      'atop',
      'btop',
      'glances',
      'ncdu',
      'nload',
      'iftop',
      'mc',
      'nethogs',
      'bmon',
      'tmux',
      'screen',
    ],
    operands: 'read',
    launches: true,
    rules: [
      changes('', 'waits for keys until it is stopped', ['htop'], ['top -bn1'], {
        flags: ['unbounded'],
        safer: 'top -b -n 1',
      }),
    ],
  },
  {
    names: ['iotop'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows which processes use the disks',
        /^(-[oPkqatb]+ )*-[boPkqat]*b[oPkqat]*( -[oPkqat]+)*( -n ?|n ?)[1-9]\d?( -[oPkqat]+)*$/,
        ['iotop -bon1', 'iotop -b -n 3'],
        ['iotop'],
      ),
      changes('', 'waits for keys until it is stopped', ['iotop'], ['iotop -bon1'], {
        flags: ['unbounded'],
        safer: 'iotop -bon1',
        if: (call) => !/(^| )-\w*n ?[1-9]\d?( |$)/.test(lineOf(call)),
      }),
    ],
  },
  {
    names: ['pgrep', 'pidof', 'pstree'],
    operands: 'named',
    rules: [
      reads(
        '',
        'finds processes',
        {
          anyOption: true,
          check: (_p, call) =>
            hasWord(/^--(signal|logpidfile|pidfile)|^-F/)(call)
              ? 'an option is not known to be harmless'
              : undefined,
        },
        ['pgrep -a nginx'],
        ['pgrep -F x'],
      ),
    ],
  },
  {
    names: ['pmap', 'pwdx'],
    operands: 'named',
    rules: [
      reads(
        '',
        'looks at a process',
        { short: 'xXdq', operands: /^\d+$/ },
        ['pmap -x 1'],
        ['pmap -N x'],
      ),
    ],
  },
  {
    names: ['lsof'],
    operands: 'named',
    rules: [checked('', 'lists open files', lsof, ['lsof -i :80', 'lsof +D /mnt'], ['lsof -D b'])],
  },
  {
    names: ['fuser'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows who uses a file or port',
        { short: 'vmu46a', shortValue: 'n' },
        ['fuser -v 80/tcp'],
        ['fuser -k 22/tcp'],
      ),
    ],
  },
  {
    names: ['sleep'],
    operands: 'named',
    rules: [
      checked('', 'waits a moment', sleep, ['sleep 2'], ['sleep 9999']),
      changes('', 'waits', ['sleep infinity'], ['sleep 2'], {
        flags: ['unbounded'],
        if: (call) => !sleep(call).matches,
      }),
    ],
  },
  {
    names: ['yes'],
    operands: 'named',
    rules: [changes('', 'never ends', ['yes'], ['ls'], { flags: ['unbounded'] })],
  },
  {
    names: ['kill'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists signals or asks whether a process lives',
        /^(-l|-0 \d+)$/,
        ['kill -l'],
        ['kill 1'],
      ),
      changes('', 'stops a process', ['kill -9 1'], ['kill -l'], {
        if: (call) => !/^-(l|0)$/.test(call.args[0]?.text ?? ''),
      }),
    ],
  },
  stops('pkill killall skill', 'stops processes', 'pkill x'),
  stops('renice', 'changes how processes are scheduled', 'renice -n 5 1'),
  stops('modprobe rmmod insmod depmod', 'loads or removes kernel modules', 'modprobe x'),
  down('reboot poweroff halt', 'reboot -f'),
  down('shutdown', 'shutdown -r now', /^-c$/),
  {
    names: ['init', 'telinit'],
    operands: 'named',
    rules: [
      destroys('', 'takes the machine down', ['init 0'], ['init q'], {
        if: hasWord(/^[0-6sS]$/),
        objects: theTarget,
      }),
    ],
  },
  down('kexec', 'kexec -e', /^(-l|-p)$/),
  {
    names: ['rtcwake'],
    operands: 'named',
    rules: [
      destroys('', 'puts the machine to sleep', ['rtcwake -m mem'], ['ls'], {
        objects: theTarget,
        confirmVerb: 'suspend',
      }),
    ],
  },
];
