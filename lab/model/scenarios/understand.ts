import { GUEST_HOST, type GuestRef, guestIn, HOSTS, placesOf, targetIn, unitIn } from './places.ts';

export const SERVICE_VERBS = ['restart', 'start', 'stop', 'reload'] as const;
export const GUEST_VERBS = ['reboot', 'start', 'stop'] as const;

/** One thing that changes something, and that a plan may hold. */
export type Change =
  | {
      readonly kind: 'service';
      readonly verb: (typeof SERVICE_VERBS)[number];
      readonly unit: string;
      readonly target: string;
    }
  | {
      readonly kind: 'guest';
      readonly verb: (typeof GUEST_VERBS)[number];
      readonly guest: GuestRef;
      readonly host: string;
    }
  | { readonly kind: 'install'; readonly name: string; readonly target: string }
  | { readonly kind: 'remove'; readonly path: string; readonly target: string }
  | { readonly kind: 'destroy'; readonly vmid: string; readonly host: string };

/** What an operator wants, as far as the scripted model can tell. */
export type Request =
  | Change
  | { readonly kind: 'exact'; readonly command: string; readonly target: string }
  | {
      readonly kind: 'disks' | 'memory' | 'load' | 'failed';
      readonly targets: readonly string[];
    }
  | { readonly kind: 'containers' | 'services' | 'docker'; readonly target: string }
  | { readonly kind: 'logs'; readonly unit: string | undefined; readonly target: string }
  | { readonly kind: 'status'; readonly unit: string; readonly target: string }
  | { readonly kind: 'version'; readonly program: string; readonly target: string }
  | { readonly kind: 'plan'; readonly steps: readonly Change[] }
  | { readonly kind: 'proceed' }
  | { readonly kind: 'which'; readonly unit: string; readonly places: readonly string[] };

/** Undefined when the words are not understood: then nothing is done. */
export function understand(said: string): Request | undefined {
  const words = plain(said);
  for (const reader of READERS) {
    const request = reader(words);
    if (request !== undefined) return request;
  }
  return undefined;
}

/** A change alone, for the steps of a plan. */
export function understandChange(said: string): Change | undefined {
  const request = understand(said);
  switch (request?.kind) {
    case 'service':
    case 'guest':
    case 'install':
    case 'remove':
    case 'destroy':
      return request;
    default:
      return undefined;
  }
}

type Reader = (words: string) => Request | undefined;

/** In order: what says more comes before what says less. */
const READERS: readonly Reader[] = [
  exact,
  plan,
  proceed,
  version,
  logs,
  remove,
  destroy,
  install,
  service,
  guest,
  failed,
  status,
  figures,
  docker,
  running,
];

/** Courtesy taken off, one space between words. */
function plain(said: string): string {
  return said
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:hey |hi |hello |ok(?:ay)?,? )*(?:nomos[,:]? )?/i, '')
    .replace(/^(?:please |kindly |now )+/i, '')
    .replace(/^(?:can|could|would|will) you (?:please )?/i, '')
    .replace(
      /^(?:i(?:'d| would) like (?:you )?to |i want (?:you )?to |i need (?:you )?to |let's |go and )/i,
      '',
    )
    .replace(/[,]? (?:please|for me|right now|now)([.!?]*)$/i, '$1');
}

function exact(words: string): Request | undefined {
  const match =
    /^(?:run|execute) (`?)(.+)\1 (?:on|in) ((?:(?:host|lxc|vm):)?[\w.@:-]*\w)[.!]?$/is.exec(words);
  return match?.[2] === undefined
    ? undefined
    : { kind: 'exact', command: match[2], target: match[3] ?? '' };
}

/** `plan restarting nginx on web and dnsmasq on dns`: a step without a verb has the one before. */
function plan(words: string): Request | undefined {
  const rest = /^(?:make a |write a |give me a )?plan(?: to| how to| for|:)? (.+)$/i.exec(
    words,
  )?.[1];
  if (rest === undefined) return undefined;
  let verb = '';
  const steps = infinitives(rest)
    .replace(/^(?:to|how to) /i, '')
    .split(/(?:,|;)? ?\b(?:and then|then|and)\b |[,;] /i)
    .flatMap((piece) => {
      const spoken = /^(restart|start|stop|reload|reboot|install|destroy|delete|remove)\b/i.exec(
        piece.trim(),
      )?.[1];
      verb = spoken ?? verb;
      return understandChange(spoken === undefined ? `${verb} ${piece.trim()}` : piece) ?? [];
    });
  return steps.length === 0 ? undefined : { kind: 'plan', steps };
}

function infinitives(text: string): string {
  return text
    .replaceAll(/\b(restart|start|reload|reboot|install|destroy)ing\b/gi, '$1')
    .replaceAll(/\bstopping\b/gi, 'stop')
    .replaceAll(/\b(?:deleting|removing)\b/gi, 'remove');
}

function proceed(words: string): Request | undefined {
  return /^(?:proceed|continue|carry on|go on|(?:do|execute|start|follow) the plan)\b/i.test(words)
    ? { kind: 'proceed' }
    : undefined;
}

function version(words: string): Request | undefined {
  const program =
    /\b(?:which|what) version of ([\w.+-]+)/i.exec(words)?.[1] ??
    /\b(?:which|what) ([\w.+-]+) version\b/i.exec(words)?.[1];
  const target = targetIn(words);
  return program === undefined || target === undefined
    ? undefined
    : { kind: 'version', program, target };
}

const LOG_WORDS =
  /\blogs?\b|\bjournal\b|\bwhat (?:does|did|do) .+ (?:say|log)\b|\bwhy (?:did|does|is|has|was) .+ (?:fail|failed|failing|down|stop|stopped|crash|crashed|dead|not running|not start)\b|\bwhat (?:happened|went wrong|is wrong|is the matter) (?:to|with|in)\b|\bwhat'?s wrong with\b/i;

function logs(words: string): Request | undefined {
  if (!LOG_WORDS.test(words)) return undefined;
  const unit = unitIn(words);
  const target = targetIn(words);
  if (unit !== undefined)
    return placed(unit, target, (place) => ({ kind: 'logs', unit, target: place }));
  return target === undefined ? undefined : { kind: 'logs', unit: undefined, target };
}

function remove(words: string): Request | undefined {
  const path =
    /\b(?:delete|remove|rm|clean up|get rid of) (?:the )?(?:file |old )*(\/[\w./-]*[\w-])/i.exec(
      words,
    )?.[1];
  return path === undefined
    ? undefined
    : { kind: 'remove', path, target: targetIn(words.replace(path, '')) ?? GUEST_HOST };
}

function destroy(words: string): Request | undefined {
  // A typed sentence that meets no card is no new request.
  if (/^i confirm\b/i.test(words)) return undefined;
  if (!/\b(?:destroy|delete|remove|wipe|get rid of|throw away)\b/i.test(words)) return undefined;
  const wanted = guestIn(words);
  const host = /\bhost:[\w.-]*\w/.exec(words)?.[0] ?? GUEST_HOST;
  return wanted && { kind: 'destroy', vmid: wanted.vmid, host };
}

function install(words: string): Request | undefined {
  const name = /\b(?:install|set up|add) (?:the )?(?:package )?([a-z0-9][a-z0-9.+-]*)\b/i.exec(
    words,
  )?.[1];
  const target = targetIn(words);
  return name === undefined || target === undefined
    ? undefined
    : { kind: 'install', name: name.toLowerCase(), target };
}

function service(words: string): Request | undefined {
  const verb = verbIn(words, [
    ['restart', /\b(?:re-?start|bounce|kick)\b/i],
    ['reload', /\breload\b/i],
    ['start', /\b(?:start|bring (?:up|back)|turn on)\b|^bring .+ (?:up|back)\b/i],
    ['stop', /\b(?:stop|turn off|shut ?down|halt)\b/i],
  ] as const);
  const unit = unitIn(words);
  if (verb === undefined || unit === undefined) return undefined;
  return placed(unit, targetIn(words), (target) => ({ kind: 'service', verb, unit, target }));
}

function guest(words: string): Request | undefined {
  const verb = verbIn(words, [
    ['reboot', /\b(?:re-?boot|re-?start)\b/i],
    ['start', /\b(?:start|boot|power on|turn on|bring (?:up|back))\b|^bring .+ (?:up|back)\b/i],
    ['stop', /\b(?:stop|shut ?down|power off|turn off|halt)\b/i],
  ] as const);
  const wanted = guestIn(words);
  return verb && wanted && { kind: 'guest', verb, guest: wanted, host: GUEST_HOST };
}

function failed(words: string): Request | undefined {
  const asks =
    /\b(?:what|which|any|anything|something|is there)\b.*\b(?:fail(?:ed|ing|ures?)?|broken|down|wrong|dead|trouble|problems?)\b|\b(?:everything|all|things?) (?:is |are )?(?:ok|okay|fine|well|good|all right|healthy)\b|\bhealth(?:y)?\b|\bhow (?:is|are) (?:everything|things|the (?:lab|house|hosts?))\b/i;
  if (!asks.test(words) || unitIn(words) !== undefined) return undefined;
  return { kind: 'failed', targets: targetsIn(words) };
}

function status(words: string): Request | undefined {
  const asks =
    /\b(?:status|state|running|up|alive|ok|okay|doing|active|healthy|down|works?|working)\b|\bdoes .+ run\b/i;
  const unit = unitIn(words);
  if (unit === undefined || !asks.test(words)) return undefined;
  return placed(unit, targetIn(words), (target) => ({ kind: 'status', unit, target }));
}

function figures(words: string): Request | undefined {
  const targets = targetsIn(words);
  if (
    /\b(?:how full|disks?|disk space|free space|space (?:is )?left|storage|file ?systems?|df)\b|\bspace\b/i.test(
      words,
    )
  )
    return { kind: 'disks', targets };
  if (/\b(?:memory|ram)\b/i.test(words)) return { kind: 'memory', targets };
  return /\b(?:uptime|load|how long .+ up|busy)\b/i.test(words)
    ? { kind: 'load', targets }
    : undefined;
}

function docker(words: string): Request | undefined {
  return /\bdocker\b/i.test(words)
    ? { kind: 'docker', target: targetIn(words) ?? GUEST_HOST }
    : undefined;
}

function running(words: string): Request | undefined {
  const asks =
    /\bwhat(?:'s| is| else| all)? (?:runs|running|is running)\b|\b(?:list|show|which|what|how many)\b.*\b(?:containers?|guests?|services?|cts?)\b/i;
  if (!asks.test(words)) return undefined;
  const target = targetIn(words) ?? GUEST_HOST;
  const inGuest = target.startsWith('lxc:') || /\bservices?\b/i.test(words);
  return { kind: inGuest ? 'services' : 'containers', target };
}

/** A unit without a place is where the lab has it; in several places the operator is asked. */
function placed(
  unit: string,
  target: string | undefined,
  build: (target: string) => Request,
): Request | undefined {
  if (target !== undefined) return build(target);
  const places = placesOf(unit);
  const [only] = places;
  if (only !== undefined && places.length === 1) return build(only);
  return places.length === 0 ? undefined : { kind: 'which', unit, places };
}

function targetsIn(words: string): readonly string[] {
  const target = targetIn(words);
  return target === undefined ? HOSTS : [target];
}

function verbIn<V extends string>(
  words: string,
  patterns: readonly (readonly [V, RegExp])[],
): V | undefined {
  return patterns.find(([, pattern]) => pattern.test(words))?.[0];
}
