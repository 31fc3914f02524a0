import { type Call, type Match, refuse } from '../rule.ts';
import { unknownWord, type Value } from '../value.ts';
import { afterOptions } from './prefixes.ts';

/** `pct exec 101 -- command`, `qm guest exec 100 -- command`. */
export function openGuest(call: Call): Match {
  const [id, ...rest] = call.args;
  if (id === undefined || id.words !== 'one') return refuse('the guest is decided at run time');
  if (id.text !== undefined && !/^\d+$/.test(id.text)) return refuse('it names no guest');
  const argv = rest[0]?.text === '--' ? rest.slice(1) : rest;
  if (argv.length === 0) return refuse('it opens a shell');
  if (argv[0]?.text?.startsWith('-')) return refuse('an option is not known to be harmless');
  const guest = call.program === 'pct' ? guestOf(id) : {};
  return { matches: true, reads: [], opens: [{ kind: 'argv', argv, elsewhere: id, ...guest }] };
}

function guestOf({ text }: Value): { readonly guest?: string } {
  return text !== undefined && /^\d+$/.test(text) ? { guest: `lxc/${text}` } : {};
}

/** `lxc-attach -n 101 -- command`. */
export function openAttached(call: Call): Match {
  const end = call.args.findIndex((arg) => arg.text === '--');
  const [option, name, ...more] = call.args.slice(0, Math.max(0, end));
  if (end < 0) return refuse('it opens a shell');
  const known =
    /^(-n|--name)$/.test(option?.text ?? '') && name?.words === 'one' && more.length === 0;
  if (!known) return refuse('an option is not known to be harmless');
  const argv = call.args.slice(end + 1);
  const elsewhere = name ?? unknownWord('one');
  return {
    matches: true,
    reads: [],
    opens: [{ kind: 'argv', argv, elsewhere, ...guestOf(elsewhere) }],
  };
}

/** `docker exec [options] container command`: options from these lists, then one word, then the command. */
export function openContainer(
  flags: readonly string[],
  valued: readonly string[],
): (call: Call) => Match {
  const attached = valued.filter((option) => option.startsWith('--')).map((option) => `${option}=`);
  return (call) => {
    const start = afterOptions(call.args, { flags, valued, attached, openOperand: true });
    return typeof start === 'string' ? refuse(start) : openAfterName(call.args, start);
  };
}

function openAfterName(args: readonly Value[], at: number): Match {
  const name = args[at];
  if (name === undefined || name.words !== 'one')
    return refuse('the container is decided at run time');
  const rest = args.slice(at + 1);
  const argv = rest[0]?.text === '--' ? rest.slice(1) : rest;
  if (argv.length === 0) return refuse('it opens a shell');
  return { matches: true, reads: [], opens: [{ kind: 'argv', argv, elsewhere: name }] };
}
