import { type Call, changes, checked, type Match, type Program, phrase, refuse } from '../rule.ts';
import { allTexts, literal } from '../value.ts';

/** `tar -tf archive`: letters only from a short list, and no archive on another host. */
function listArchive(call: Call): Match {
  const texts = allTexts(call.args);
  const [letters, archive, ...rest] = shortForm(texts ?? []);
  if (letters === undefined || archive === undefined)
    return refuse('a word is decided at run time');
  const known = /^-?[tvzjJ]*f$/.test(letters) && letters.includes('t');
  if (!known || archive.includes(':')) return refuse('only listing a local archive is known');
  const odd = rest.find((word) => word.startsWith('-') && !/^-[vz]$/.test(word));
  if (odd !== undefined) return refuse(`the option ${odd} is not known to be harmless`);
  return { matches: true, reads: [literal(archive)] };
}

/** `--list -f a.tar` as the letters say it. */
function shortForm(texts: readonly string[]): readonly string[] {
  const [first, second, ...rest] = texts;
  return first === '--list' && second !== undefined && /^-[vzjJ]*f$/.test(second)
    ? [`-t${second.slice(1)}`, ...rest]
    : texts;
}

const packs = (names: string, why: string, example: string): Program => ({
  names: names.split(' '),
  operands: 'read',
  launches: true,
  rules: [changes('', why, [example], ['ls x'])],
});

export const ARCHIVES: readonly Program[] = [
  {
    names: ['tar'],
    operands: 'read',
    launches: true,
    rules: [
      checked(
        '',
        'lists an archive',
        listArchive,
        ['tar -tf a.tar', 'tar tzf a.tgz', 'tar --list -f a.tar'],
        ['tar xf a.tar', 'tar tf host:/a.tar', 'tar tf a.tar -I sh'],
      ),
    ],
  },
  {
    names: ['unzip'],
    operands: 'read',
    rules: [
      phrase('', 'lists an archive', /^-l [\w./][^\s-]*$/, ['unzip -l a.zip'], ['unzip a.zip']),
    ],
  },
  {
    names: ['gzip', 'xz'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'lists a compressed file',
        /^(-l|--list)( [^-\s]\S*)+$/,
        ['gzip -l a.gz'],
        ['gzip a'],
      ),
    ],
  },
  packs(
    'zip cpio ar bzip2 unxz gunzip bunzip2 zstd lz4 7z',
    'packs or unpacks files',
    'zip a.zip b',
  ),
];
