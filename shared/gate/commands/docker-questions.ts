import { namesOutside } from '../checkers/hosts.ts';
import { refuseTemplate } from '../checkers/templates.ts';
import {
  type Call,
  checked,
  destroys,
  type Match,
  matchUse,
  operandsOf,
  type Rule,
  refuse,
} from '../rule.ts';
import { canBeSecret } from '../secrets.ts';
import { isNoOption, literal } from '../value.ts';
import { printsEnvironment, ps } from './processes.ts';

function refuseFormat(call: Call): string | undefined {
  for (const [i, arg] of call.args.entries()) {
    const follows = /^(-\w*f|--format)$/.test(call.args[i - 1]?.text ?? '');
    const computed = arg.text === undefined && (follows || /^-/.test(arg.prefix));
    if (computed) return 'the format is decided at run time';
    // As one line of JSON the values are no longer told apart by their names.
    if (/^(--format=|-\w*f=?)?json$/.test(arg.text ?? '') && (follows || arg.text !== 'json')) {
      return 'it prints the whole description on one line';
    }
    const refusal = refuseTemplate(arg.text ?? '');
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Environment variables of a container often are passwords. */
export function inspect(call: Call): Match {
  return matchUse(
    {
      anyOption: true,
      check: () => refuseFormat(call),
    },
    call,
  );
}

const REGISTRIES =
  /^(docker\.io|registry-1\.docker\.io|ghcr\.io|quay\.io|lscr\.io|registry\.k8s\.io|gcr\.io|mcr\.microsoft\.com)$/;

/** An image name may begin with the host it is asked for at. */
export function asksOddRegistry(call: Call): boolean {
  return operandsOf(call).some(({ text }) => {
    const host = /^([^/]+)\//.exec(text ?? '')?.[1]?.replace(/:\d+$/, '');
    return (
      text === undefined || (host !== undefined && namesOutside(host) && !REGISTRIES.test(host))
    );
  });
}

/** `docker top NAME …` hands the words after the name to ps. */
function top(call: Call): Match {
  const [name, ...words] = call.args;
  if (name === undefined || !isNoOption(name) || name.words !== 'one') {
    return refuse('the container is decided at run time');
  }
  return ps({ ...call, args: words });
}

/** The rules of `docker top` under one of its verbs. */
export function tops(verb: string): readonly Rule[] {
  const why = 'prints the environment of processes, which can hold secrets';
  return [
    checked(
      verb,
      'lists processes of a container',
      top,
      [`docker ${verb} web`, `docker ${verb} web -o pid,cmd`],
      [`docker ${verb} web e`],
    ),
    destroys(verb, why, [`docker ${verb} web eww`], [`docker ${verb} web`], {
      if: (call) => printsEnvironment({ ...call, args: call.args.slice(1) }),
      flags: ['secret'],
    }),
  ];
}

/** `docker cp NAME:/path …`: the file is one inside the container. */
export function copiesSecret(call: Call): boolean {
  return call.args.some((arg) => {
    const file = /^[\w.-]+:(\/.*)$/s.exec(arg.text ?? '')?.[1];
    return file !== undefined && canBeSecret(literal(file), call.directories);
  });
}
