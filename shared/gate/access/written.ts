import { isNoOption, literal, type Value } from '../value.ts';

// Programs that only read the files they name, or whose words are no files.
const READS_ONLY =
  /^(less|more|most|man|view|info|git|gh|zip|7z|gzip|bzip2|xz|zstd|restic|borg|rclone|duplicity|grep|egrep|fgrep|rg|zgrep|jq|yq|wc|cat|head|diff|cmp|comm|md5sum|sha\d+sum|source|\.|logger|echo|printf|systemctl|journalctl|service|docker-compose|podman-compose|pvesh|pveum|pvesm|ssh|sudo|doas|test|\[|ls|stat|file|getfacl|strings|od|xxd|base64|tcpdump|tshark|openssl|visudo|cd|pushd|read|export|local|declare|wall|write|mail|sendmail|mutt|apt|apt-get|dpkg|systemd-analyze|kill|pkill)$/;
const COPIES = /^(cp|install|ln|rsync|scp|link)$/;
const AWK = /^(awk|gawk|mawk|nawk)$/;

/** The words of a changing call that name what it writes or deletes. */
export function writtenWords(name: string, args: readonly Value[]): readonly Value[] {
  if (COPIES.test(name)) return destinations(args);
  if (name === 'curl' || name === 'wget')
    return valuesAfter(args, /^(-o|-O|-P|--output.*|--directory-prefix)$/);
  if (name === 'tar' || name === 'bsdtar') return unpacked(args);
  if (name === 'dd') return args.filter((arg) => arg.prefix.startsWith('of='));
  if (name === 'sed') return edited(args);
  if (AWK.test(name)) return args.filter((arg) => /[\s{}>|]/.test(arg.text ?? ''));
  if (name === 'git') return args[0]?.text === 'clone' ? args.slice(2) : [];
  if (name === 'pct' || name === 'qm') return copiedFrom(args, /^(pu\w*)$/);
  if (/^(docker|podman|nerdctl|kubectl|lxc|incus)$/.test(name))
    return copiedFrom(args, /^(cp|file)$/);
  return READS_ONLY.test(name) ? [] : args;
}

/** Where copies land: the last operand or -t, as it stands and with each source's name below it. */
function destinations(args: readonly Value[]): readonly Value[] {
  const into = valuesAfter(args, /^(-t|--target-directory)$/);
  const operands = args.filter((arg) => isNoOption(arg) || arg.prefix.startsWith('/'));
  const target = into[0] ?? operands.at(-1);
  if (target === undefined) return [];
  const sources = operands.filter((operand) => operand !== target);
  return [target, ...sources.flatMap((source) => below(target, source))].map(withoutHost);
}

function below(target: Value, source: Value): readonly Value[] {
  const name = source.text?.replace(/\/+$/, '').split('/').pop();
  if (target.text === undefined || !name || name === '.') return [];
  return [literal(`${target.text.replace(/\/+$/, '')}/${name}`)];
}

function withoutHost(value: Value): Value {
  const found = /^[\w.@-]+:{1,2}(.+)$/.exec(value.text ?? '');
  return found?.[1] === undefined ? value : literal(found[1]);
}

function valuesAfter(args: readonly Value[], option: RegExp): readonly Value[] {
  return args.flatMap((arg, index) => {
    const text = arg.text ?? '';
    const next = args[index + 1];
    if (option.test(text)) return next ? [next] : [];
    const attached = /^(-[oOPtC])(.+)$|^(--[\w-]+)=(.*)$/s.exec(text);
    const known = attached && option.test(attached[1] ?? attached[3] ?? '');
    return known ? [literal(attached[2] ?? attached[4] ?? '')] : [];
  });
}

// Where an archive is unpacked, the tree counts: the names inside it cannot be seen.
function unpacked(args: readonly Value[]): readonly Value[] {
  const texts = args.map((arg) => arg.text ?? '');
  const extracts = texts.some(
    (text, i) =>
      /^--(extract|get)$/.test(text) ||
      /^-[a-zA-Z]*x/.test(text) ||
      (i === 0 && /^[a-zA-Z]*x/.test(text)),
  );
  if (!extracts) return [];
  const into = valuesAfter(args, /^(-C|--directory)$/);
  return into.map((tree) =>
    /^\/(etc|root)?\/?$/.test(tree.text ?? '') ? literal('/etc/passwd') : tree,
  );
}

function edited(args: readonly Value[]): readonly Value[] {
  const inPlace = args.some((arg) => /^-[nErsuz]*i|^--in-place/.test(arg.text ?? ''));
  return inPlace ? args : args.filter((arg) => /(^|[\s;/}])w\s*\//.test(arg.text ?? ''));
}

/** The words after a copying verb: `pct push 101 key /root/.ssh/authorized_keys`. */
function copiedFrom(args: readonly Value[], verb: RegExp): readonly Value[] {
  const at = args.findIndex((arg) => verb.test(arg.text ?? ''));
  return at < 0 ? [] : destinations(args.slice(at + 1));
}
