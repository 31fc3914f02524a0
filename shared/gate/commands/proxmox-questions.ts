import { type Call, hasWord, type Program, type Rule, reads, type Use } from '../rule.ts';
import { literal, unknownWord, type Value } from '../value.ts';

// Proxmox tools take `-option` and `--option` alike, and shorten both and their verbs.
export const OPTIONS: Use = {
  oneDash: true,
  long: [
    'current',
    'verbose',
    'enabled',
    'full',
    'pretty',
    'noborder',
    'noheader',
    'human-readable',
    'quiet',
  ],
  longValue:
    'snapshot output-format content storage target format vmid type section limit typefilter source since until userfilter statusfilter node timeframe cf start full disk limit namespace store errors max repository ns'.split(
      ' ',
    ),
};

/** A Proxmox tool: its verbs may be shortened. */
export function tool(name: string, ...rules: Rule[]): Program {
  return { names: [name], operands: 'named', abbreviates: true, rules };
}

/** A rule for a question: these options, a few operands. */
export function looks(
  program: string,
  verb: string,
  why: string,
  operands: Use['operands'] = 3,
): Rule {
  const use: Use = {
    ...OPTIONS,
    operands: operands ?? 3,
    check: (parsed) =>
      parsed.operands.some((o) => o.text === undefined && o.words !== 'one')
        ? 'an operand may become several words'
        : undefined,
  };
  return reads(verb, why, use, [`${program} ${verb}`], [`${program} ${verb} --frob 1`]);
}

/** A rule for a question about one guest. */
export function guestLooks(program: string, verb: string, why: string): Rule {
  const use: Use = { ...OPTIONS, anyOption: true, operands: 2 };
  return reads(verb, why, use, [`${program} ${verb} 101`], [`${program} ${verb} 101 102 103`]);
}

/** The guest a call names, right behind the verb: behind an option it could be that one's value. */
export const guestId = (call: Call) =>
  call.args.slice(0, 1).filter((arg) => !/^-/.test(arg.text ?? ''));

/** `--force` in any of its shortened forms. */
export const forced = hasWord(/^--?f(o(r(c(e)?)?)?)?(=|$)/);

const DISK = /^(unused|scsi|sata|ide|virtio|efidisk|tpmstate|mp)\d+$|^rootfs$/;

/** What a list behind this option names; the separators are anybody's choice. */
function listedBehind(option: RegExp, call: Call): readonly Value[] {
  const lists = call.args.flatMap((arg, at) => {
    const found = option.exec(arg.text ?? '');
    if (!found) return [];
    return [found[1] === undefined ? (call.args[at + 1] ?? unknownWord('one')) : literal(found[1])];
  });
  return lists.flatMap((list) =>
    list.text === undefined ? [list] : list.text.split(/[\s,;\0]+/).map(literal),
  );
}

/**
 * The disks whose contents a change of settings deletes: `--delete unused0` always does, of any
 * other disk only `--force`. The option may be shortened.
 */
export function disksDeleted(call: Call): readonly Value[] {
  const all = forced(call);
  return listedBehind(/^--?del(?:e(?:te?)?)?(?:=(.*))?$/s, call).filter(
    ({ text }) => text === undefined || /^unused/.test(text) || (all && DISK.test(text)),
  );
}

/** The disks that `unlink` takes away. */
export function disksUnlinked(call: Call): readonly Value[] {
  return listedBehind(/^--?i\w*(?:=(.*))?$/s, call);
}
