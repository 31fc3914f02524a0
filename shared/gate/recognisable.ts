import type { Value } from './value.ts';

/**
 * Whether secrets in what a pipe carries would still be recognised. Whole settings (a container's
 * description, a unit file, a manifest) are struck out by the names that stand before the values:
 * once a later program keeps the values and drops the names, or respells either, nobody would know.
 */

/** Whole settings whose secrets only their names give away. */
export function printsSettings(words: readonly (string | undefined)[]): boolean {
  const line = words.map((word) => word ?? '…').join(' ');
  return isDescription(line) || isUnitSettings(line) || isManifest(line) || isStackFile(line);
}

function isDescription(line: string): boolean {
  const inspects =
    /\b(docker|podman|nerdctl|crictl|incus|lxc)\b.* (inspect[ip]?|config show)( |$)/.test(line);
  const whole = !/ (-\w*f|--format)[ =]|\b(network|volume|manifest|buildx) inspect\b/.test(line);
  return inspects && whole;
}

function isUnitSettings(line: string): boolean {
  return (
    /\bsystemctl\b.* cat( |$)/.test(line) ||
    (/\bsystemctl\b.* show( |$)/.test(line) && !/ (-p|-P|--property)/.test(line))
  );
}

function isManifest(line: string): boolean {
  return (
    /\b(kubectl|oc)\b.* get .*(-o|--output)[ =]?(yaml|json)( |$)/.test(line) ||
    /\b(kubectl|oc)\b.* describe /.test(line) ||
    /\bhelm\b.* get /.test(line)
  );
}

// These files are made to hold the environment of services, or the passwords of networks.
const STACK_FILE = /(^|\/)[\w.-]*compose[\w.-]*\.ya?ml$|\/netplan\/|\/stack\.ya?ml$/;

function isStackFile(line: string): boolean {
  const [program = '', ...words] = line.split(' ');
  return /^(cat|tac|nl|head|tail)$/.test(program) && words.some((word) => STACK_FILE.test(word));
}

/** Whether a program for texts works on such a file itself: `cut -d: -f2 compose.yaml`. */
export function readsStackFile(name: string, args: readonly Value[]): boolean {
  const forTexts =
    /^(awk|gawk|mawk|sed|cut|tr|rev|fold|paste|grep|egrep|fgrep|rg|jq|yq|strings|tac|head|tail)$/;
  return forTexts.test(name) && args.some((arg) => STACK_FILE.test(arg.text ?? arg.pattern));
}

/** Whether whole settings leave this command, given whether they came in. */
export function carriesSettings(words: readonly Value[], came: boolean): boolean {
  if (printsSettings(words.map((word) => word.text))) return true;
  const [program, ...args] = words;
  const name = program?.text ?? '';
  return (came || readsStackFile(name, args)) && leavesOf(name, args) !== 'part';
}

/** What a program leaves of settings: whole lines, a part that is no secret, or bare values. */
export type Leaves = 'lines' | 'part' | 'values';

/** What is left of whole settings behind this program. Anything but a plain choice: bare values. */
export function leavesOf(name: string, args: readonly Value[]): Leaves {
  const texts = args.map((arg) => arg.text ?? '…');
  switch (name) {
    case 'wc':
    case 'md5sum':
    case 'sha256sum':
      return 'part';
    case 'sort':
    case 'uniq':
    case 'nl':
    case 'column':
    case 'less':
      return 'lines';
    case 'cat':
    case 'head':
    case 'tail':
    case 'tac':
      return texts.some((text) => /^-\w*[csrb]|^--(bytes|separator|regex)/.test(text))
        ? 'values'
        : 'lines';
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return grepLeaves(texts);
    case 'sed':
      return sedLeaves(texts);
    case 'awk':
    case 'gawk':
    case 'mawk':
      return awkLeaves(texts);
    case 'jq':
    case 'yq':
      return filterLeaves(texts);
    default:
      return 'values';
  }
}

const SECRET_WORD =
  /env|pass|pw|secret|tok|key|cred|auth|user|url|dsn|cert|priv|arg|cmd|command|exec|label|value/i;

// Fields that descriptions and stack files have. In capitals it could be part of a variable's name.
const FIELD =
  /^\^?["' ]*(image:?|(kind|phase|replicas|restart|container_name|hostname|ports|network_mode|nodeName|podIP|hostIP|restartCount|containerPort|hostPort):|(?=.{4})[A-Z]+[a-z]+[A-Za-z]*)[":= ]*$/;

/** A field that no secret is named by; the search must mind capitals. */
function isTold(pattern: string): boolean {
  const words = pattern.split(/\\?\|/);
  return words.every((word) => FIELD.test(word) && !SECRET_WORD.test(word));
}

/** Printing or dropping whole lines. */
function sedLeaves(texts: readonly string[]): Leaves {
  const scripts = texts.filter(
    (text) => !/^-[nEr]+$|^-e$|\//.test(text) || /^\/.*\/[pdI]+$/.test(text),
  );
  const whole = /^([\d,$+~]*|\/[\w .:-]+\/I?)(p|d|q|Q|=)$/;
  return scripts.length > 0 && scripts.every((script) => whole.test(script)) ? 'lines' : 'values';
}

function grepLeaves(texts: readonly string[]): Leaves {
  if (texts.some((text) => /^-\w*o|^--only|^-\w*[fz]/.test(text))) return 'values';
  if (texts.some((text) => /^-\w*[cqlL]|^--(count|quiet)/.test(text))) return 'part';
  const widens = /^-\w*[ivABC]|^--(ignore|invert|after|before|context)/;
  const pattern = texts.find((text) => !text.startsWith('-'));
  const told = pattern !== undefined && isTold(pattern);
  return told && !texts.some((text) => widens.test(text)) ? 'part' : 'lines';
}

/** `/MainPID/ {print $2}` takes a field of lines that hold none. */
function awkLeaves(texts: readonly string[]): Leaves {
  const program = texts.find((text) => /[{}/]|NR/.test(text)) ?? '';
  const chosen = /^\/([^/]+)\/\s*\{/.exec(program)?.[1];
  if (chosen !== undefined && isTold(chosen)) return 'part';
  return /^(NR[\d<>=!&| NR]+|\/[^/]+\/)$/.test(program) ? 'lines' : 'values';
}

const WHOLE_FILTER = /^\.?(\[\d*\])*$/;
const CHOOSING = /^select\([^()]*\)$|^(first|last|sort|unique|sort_by\([^()]*\)|@tsv|@csv)$/;
const WORDS_OF_FILTERS =
  /^(keys|length|select|map|sort_by|sort|unique|first|last|has|not|and|or|type|test|contains|startswith|endswith|null|true|false|tsv|csv)$/;

/** `.[0].State`, `.[] | [.Name, .State.Status] | @tsv`: fields by their names, and no secret's. */
function filterLeaves(texts: readonly string[]): Leaves {
  const filter = texts.find((text) => !text.startsWith('-')) ?? '.';
  const oneLine = texts.some((text) => /^-\w*[cj]/.test(text));
  if (WHOLE_FILTER.test(filter)) return oneLine ? 'values' : 'lines';
  // Plain text inside quotes is printed as it stands; only what is computed in it counts.
  const plain = filter.replace(/"(?:[^"\\]|\\[^(])*"/g, ' ').replace(/\.?(\[-?\d*\])+\.?/g, '.');
  // A computed key, another stage of the tree, a variable, a slice: nobody follows these here.
  if (/\[\s*"|\.\.|\/|\$|\[[^\]]*:/.test(filter)) return 'values';
  const names = plain.match(/\.[A-Za-z_]\w*/g) ?? [];
  const words = plain.replace(/\.[A-Za-z_]\w*|\w+\s*:/g, ' ').match(/[A-Za-z_]\w*/g) ?? [];
  const known = words.every((word) => WORDS_OF_FILTERS.test(word));
  const secret = names.some((name) => SECRET_WORD.test(name) || isWhole(name));
  return known && !secret && picksFields(plain) ? 'part' : 'values';
}

const isWhole = (name: string): boolean => /^\.(config|spec|data|stringData|template)$/i.test(name);

/** Whether the last stage that forms the output takes something named wherever it takes anything. */
function picksFields(filter: string): boolean {
  const stages = filter.split('|').map((stage) => stage.trim());
  while (stages.length > 1 && CHOOSING.test(stages.at(-1) ?? '')) stages.pop();
  const last = stages.at(-1) ?? '';
  if (/^(keys|length|type)\.?$/.test(last)) return true;
  const takes = last.split(/[,(){}[\]"\\]/).filter((piece) => piece.includes('.'));
  return takes.length > 0 && takes.every((piece) => /^[^.]*\.[A-Za-z_]/.test(piece));
}
