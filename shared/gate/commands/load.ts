import { type Call, changes, checked, type Match, type Program, refuse } from '../rule.ts';
import { allTexts } from '../value.ts';

const SAMPLE = '((?<pause>\\d+)(?<times> [1-9]\\d{0,2})?)?';

/** `vmstat 1` never ends, `vmstat 1 5` does. */
function sampler(options: string): (call: Call) => Match {
  const form = new RegExp(`^((${options})( |$))*${SAMPLE}$`);
  return (call) => {
    const found = form.exec(allTexts(call.args)?.join(' ') ?? '…');
    if (found === null) return refuse('an option is not known to be harmless');
    const { pause, times } = found.groups ?? {};
    const endless = pause !== undefined && times === undefined;
    return { matches: true, reads: [], flags: endless ? ['unbounded'] : [] };
  };
}

function samples(
  name: string,
  why: string,
  options: string,
  example: string,
  not: string,
): Program {
  return {
    names: [name],
    operands: 'named',
    rules: [{ ...checked('', why, sampler(options), [example], [not]), safer: `${name} 1 5` }],
  };
}

/** `iostat 1` alone is taken for a mistake rather than a look. */
function boundedIostat(call: Call): Match {
  const match = sampler('-[xzdchkmtyNp]+|-[xzdchkmtyN]*p \\w+')(call);
  return match.matches && match.flags?.includes('unbounded') ? refuse('it never ends') : match;
}

/** How busy the machine is, now and over time. */
export const LOAD: readonly Program[] = [
  samples('vmstat', 'shows load', '-[swadmStn]+', 'vmstat 1 5', 'vmstat -Z x'),
  samples(
    'mpstat',
    'shows load per processor',
    '-P ALL|-[uA]+',
    'mpstat -P ALL 1 1',
    'mpstat -o JSON -x',
  ),
  samples(
    'pidstat',
    'shows load per process',
    '-[urdhlsw]+|-p \\d+',
    'pidstat -d 1 3',
    'pidstat -e touch x',
  ),
  samples('arcstat', 'shows the ZFS cache', '-[a-z]+', 'arcstat 1 3', 'arcstat -o x'),
  samples('sar', 'shows recorded load', '-[urqbdBWSAn]+|DEV|ALL', 'sar -u 1 3', 'sar -o x 1 1'),
  {
    names: ['iostat'],
    operands: 'named',
    rules: [
      checked(
        '',
        'shows disk load',
        boundedIostat,
        ['iostat -xz 1 3'],
        ['iostat 1', 'iostat -j x'],
      ),
      changes('', 'goes on until it is stopped', ['iostat 1'], ['iostat -xz 1 3'], {
        flags: ['unbounded'],
        safer: 'iostat -xz 1 3',
        if: (call) => call.args.filter((arg) => /^\d+$/.test(arg.text ?? '')).length === 1,
      }),
    ],
  },
];
