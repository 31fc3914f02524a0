/** One kind of secret. `replace` keeps what makes the text readable and drops the secret. */
export interface RedactionRule {
  readonly name: string;
  /** Global; every quantifier has an upper bound, so that time grows with length only. */
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
}

export type Redact = (text: string) => string;

/** Longest piece that the rules see at once, in UTF-16 units. */
const PIECE_LENGTH = 256 * 1024;
/** A shorter "secret" would blacken ordinary words. */
const SHORTEST_KNOWN = 6;

/** A rule that replaces the whole match. */
function token(name: string, pattern: RegExp): RedactionRule {
  return { name, pattern, replace: () => mark(name) };
}

/** A rule that keeps its first group and replaces what follows it. */
function after(name: string, pattern: RegExp): RedactionRule {
  return { name, pattern, replace: (_match, kept) => `${kept}${mark(name)}` };
}

function mark(name: string): string {
  return `[redacted:${name}]`;
}

/** Values that are plainly no secrets: placeholders, variables, what was redacted before. */
const NO_SECRET =
  /^["']?(?:null|nil|none|true|false|yes|no|unset|empty|file|\*{1,64}|x{3,64}|\$\{?[A-Za-z_]\w{0,64}\}?|\$\([^)]{0,200}|<[^>]{0,200}>?|\S{0,400}\[redacted.{0,40})["']?$/i;

export const REDACTION_RULES: readonly RedactionRule[] = [
  token('aws-key', /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z2-7]{16}\b/g),
  token('github', /\bgh[pousr]_[A-Za-z0-9]{36,255}|\bgithub_pat_\w{60,255}/g),
  token('gitlab', /\bgl(?:pat|rt|dt|cbt|ptt|soat|agent)-[\w-]{20,255}/g),
  token('model-key', /\bsk-[A-Za-z0-9_-]{20,255}/g),
  token('stripe', /\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}/g),
  token('slack', /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g),
  token('hugging-face', /\bhf_[A-Za-z0-9]{30,255}/g),
  token('npm', /\bnpm_[A-Za-z0-9]{36,255}/g),
  token('google', /\bAIza[\w-]{35}/g),
  token('sendgrid', /\bSG\.[\w-]{16,64}\.[\w-]{16,64}/g),
  token('tailscale', /\btskey-[a-z]{2,20}-[\w-]{10,255}/g),
  token('age', /\bAGE-SECRET-KEY-1[A-Z0-9]{50,255}/g),
  token('matrix', /\b(?:syt|mat|syr|mct|mcr)_[A-Za-z0-9+/=_-]{10,255}/g),
  token('telegram', /\b\d{8,10}:AA[\w-]{30,64}/g),
  token('jwt', /\beyJ[\w-]{10,4096}\.eyJ[\w-]{8,8192}\.[\w-]{10,2048}/g),
  after('proxmox-token', /\b(P(?:VE|BS|MG)APIToken[= ][^\s=:]{1,128}[=:])[0-9a-f-]{36}/g),
  after('proxmox-cookie', /\b(P(?:VE|BS|MG)AuthCookie=)[^\s;]{6,4096}/g),
  after('password-hash', /([^\s:@/]{1,64}:)\$(?:1|2[aby]|5|6|7|y|gy|argon2i?d?)\$[^\s:]{8,512}/g),
  after(
    'authorization',
    /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token|digest)\s{1,3})[^\s'"]{6,4096}/gi,
  ),
  after('wireguard', /\b((?:PrivateKey|PresharedKey)\s{0,8}=\s{0,8})[A-Za-z0-9+/]{42,43}=?/g),
  {
    name: 'url-password',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,64}:)([^\s@/]{1,256})@/gi,
    replace: (_match, kept) => `${kept}${mark('url-password')}@`,
  },
  {
    name: 'assignment',
    pattern:
      /(?<![\w.-])([\w.-]{0,40}(?:password|passwd|passphrase|pwd|secret|api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|token|credential)s?["']?\s{0,3}[:=]\s{0,3})("[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s,;&"'}\]]{4,400})/gi,
    replace: (match, kept = '', value = '') =>
      NO_SECRET.test(value) ? match : `${kept}${mark('assignment')}`,
  },
  after('user-option', /(\s(?:-u|--user)[ =]['"]?[^\s:'"]{1,64}:)[^\s'"]{1,256}/g),
  after(
    'sshpass',
    /(\bsshpass\s{1,4}-p\s{0,4})(?:'[^'\n]{1,256}'|"[^"\n]{1,256}"|[^\s'"]{1,256})/g,
  ),
  after(
    'database-option',
    /(\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;&]{0,200}\s-p)(?:'[^'\n]{1,256}'|[^\s']{1,256})/g,
  ),
];

/**
 * Takes secrets out of text before a model, a database, a room or a log sees it: first the secrets
 * that Oikos knows, however they are encoded, then what looks like one. Escapes must be gone
 * before, cutting comes after: both would hide a secret from it.
 */
export function createRedactor(knownSecrets: readonly string[]): Redact {
  const known = knownForms(knownSecrets);
  return (text) => {
    const withoutKnown = known.reduce(
      (rest, form) => rest.replaceAll(form, () => mark('known-secret')),
      text,
    );
    return pieces(withoutPrivateKeys(withoutKnown)).map(applyRules).join('');
  };
}

function applyRules(piece: string): string {
  return REDACTION_RULES.reduce(
    (rest, { pattern, replace }) => rest.replace(pattern, replace),
    piece,
  );
}

/** The secrets as they are, in URLs, in JSON and in base64, the longest first. */
function knownForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets
    .map((secret) => secret.trim())
    .filter(({ length }) => length >= SHORTEST_KNOWN)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(secret),
    ]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

/**
 * How base64 of any text shows the secret: its core looks different at each of three offsets, as
 * in `Basic base64(user:secret)`.
 */
function base64Forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Characters at the edges also depend on the neighbours of the secret.
    const from = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor(((bytes.length + offset) * 8) / 6);
    const core = encoded.slice(from, whole);
    if (core.length < SHORTEST_KNOWN) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Found by hand because a key may be longer than a piece; one without an end goes to the end. */
function withoutPrivateKeys(text: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    KEY_BEGIN.lastIndex = at;
    const begin = KEY_BEGIN.exec(text);
    if (!begin) return out + text.slice(at);
    out += text.slice(at, begin.index) + mark('private-key');
    KEY_END.lastIndex = KEY_BEGIN.lastIndex;
    if (!KEY_END.test(text)) return out;
    at = KEY_END.lastIndex;
  }
}

/** Cuts at line ends where it can, so that no secret is split between two pieces. */
function pieces(text: string): readonly string[] {
  const cut: string[] = [];
  let at = 0;
  while (text.length - at > PIECE_LENGTH) {
    const line = text.lastIndexOf('\n', at + PIECE_LENGTH - 1);
    const end = line > at ? line + 1 : at + PIECE_LENGTH;
    cut.push(text.slice(at, end));
    at = end;
  }
  cut.push(text.slice(at));
  return cut;
}
