import { namesOutside, refuseUrl } from '../checkers/hosts.ts';
import { given, type OptionSpec, type Parsed } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  lineOf,
  type Match,
  matchUse,
  operandsOf,
  type Program,
  phrase,
  refuse,
} from '../rule.ts';
import { literal, unknownWord, type Value } from '../value.ts';
import { only } from './builders.ts';

const CURL: OptionSpec = {
  short: 'sSfIkvig46#N',
  shortValue: 'HmowA',
  long: 'silent show-error fail head insecure verbose include compressed globoff fail-with-body ipv4 ipv6 no-progress-meter no-buffer http1.1 http2'.split(
    ' ',
  ),
  longValue:
    'header max-time output connect-timeout retry write-out user-agent unix-socket retry-delay url'.split(
      ' ',
    ),
};
const SOCKETS = /^(\/var)?\/run\/docker\.sock$/;

const textOf = (value: Value): string => value.text ?? '@';

function refuseCurl(parsed: Parsed): string | undefined {
  const bad = (values: readonly Value[], form: RegExp): boolean =>
    values.some((value) => !form.test(textOf(value)));
  if (bad(given(parsed, 'o', 'output'), /^(\/dev\/null|-)$/)) return 'it writes a file';
  if (bad(given(parsed, 'w', 'write-out'), /^(?!.*(%output|%header))[^@]/))
    return 'its format is odd';
  if (
    bad(
      given(parsed, 'H', 'header'),
      /^(?!authorization|x-http-method|cookie|x-.*(key|token))[^@]/i,
    )
  )
    return 'it sends a credential or another method';
  if (bad(given(parsed, 'unix-socket'), SOCKETS)) return 'the socket is unknown';
  return refuseUrls([...parsed.operands, ...given(parsed, 'url')]);
}

/** The `?` of an address is a wildcard to the shell; whatever file it matched, the host is the same. */
function unquotedQuery(url: Value): string | undefined {
  const form = /^https?:\/\/[\w.:[\]-]+\/[^*[\]\\]*$/;
  return url.words === 'files' && form.test(url.pattern) ? url.pattern : undefined;
}

function refuseUrls(urls: readonly Value[]): string | undefined {
  if (urls.length === 0) return 'it names no address';
  for (const url of urls) {
    const text = url.text ?? unquotedQuery(url);
    if (text === undefined) return 'the address is decided at run time';
    const refusal = refuseUrl(text);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const curl = (call: Call): Match =>
  matchUse(
    {
      ...CURL,
      check: (parsed) =>
        refuseCurl(parsed) ?? { matches: true, reads: [], flags: ['outside_text'] },
    },
    call,
  );

const WGET: OptionSpec = {
  short: 'qS46',
  shortValue: 'OTt',
  long: ['quiet', 'spider', 'server-response', 'no-check-certificate', 'no-verbose'],
  longValue: ['timeout', 'tries', 'output-document'],
};

function wget(call: Call): Match {
  return matchUse(
    {
      ...WGET,
      check: (parsed) => {
        const outputs = given(parsed, 'O', 'output-document');
        const harmless = outputs.every((value) => /^(-|\/dev\/null)$/.test(textOf(value)));
        if (!harmless || (outputs.length === 0 && given(parsed, 'spider').length === 0))
          return 'it writes a file';
        return refuseUrls(parsed.operands) ?? { matches: true, reads: [], flags: ['outside_text'] };
      },
    },
    call,
  );
}

const DELETES =
  /(^| )(-\w*X ?|--request[ =]|--method[ =])['"]?DELETE( |$)|(^| )DELETE |x-http-method(-override)?: *delete|\/_delete_by_query(\?|$| )/i;

/** A request to delete: what it names is gone afterwards. */
const deletes = (name: string, example: string) =>
  destroys('', 'asks a service to delete something', [example], [`${name} -s http://localhost/x`], {
    if: (call) => DELETES.test(lineOf(call)),
    objects: addresses,
    confirmVerb: 'delete',
  });

const VALUED =
  /^(-[sSfIkvigLjnNGJaqlOR0-9#]*[HdoAueXmwEbcrFTCDPQtxUyYz]|--(header|data\S*|json|form\S*|output|output-document|user|user-agent|referer|request|method|body-data|body-file|post-data|max-time|connect-timeout|timeout|retry\S*|tries|write-out|cookie|cookie-jar|cacert|cert|key|proxy|resolve|connect-to|interface|unix-socket|auth|auth-type|verify|session))$/;
/** Further addresses come from a file. */
const LISTS = /^(-[a-zA-Z]*K|-K.+|--config(=.*)?|-i|--input-file(=.*)?|--next|-:)$/;

/** Every address it is asked for: each word that is no option, no value and no method. */
function addresses(call: Call): readonly Value[] {
  const httpie = /^(https?|xhs?|httpie)$/.test(call.program);
  const found = call.args.map((arg, at): Value | undefined => {
    const text = arg.text ?? arg.prefix;
    const glued = /^--url=(.*)$/s.exec(text)?.[1];
    if (glued !== undefined) return arg.text === undefined ? unknownWord('any') : literal(glued);
    if (listsAddresses(text, call.program)) return unknownWord('any');
    if (takesValue(call.args[at - 1]?.text ?? '', httpie) || text.startsWith('-')) return undefined;
    return httpie && isNoAddress(arg.text) ? undefined : arg;
  });
  return found.filter((value) => value !== undefined);
}

function listsAddresses(text: string, program: string): boolean {
  return LISTS.test(text) && (text !== '-i' || program === 'wget');
}

// Short options of httpie are switches, or their values are told by the words before them.
function takesValue(option: string, httpie: boolean): boolean {
  return VALUED.test(option) && !(httpie && /^-[a-z]$/.test(option));
}

/** A method, a header or a field of httpie. */
function isNoAddress(text: string | undefined): boolean {
  return text !== undefined && /^([A-Z]+|[\w-]+(:=?|==?|@)(?!\d+(\/|$)|\/\/).*)$/.test(text);
}

const outside = (call: Call): boolean => call.args.some((arg) => namesOutside(arg.text ?? ''));
const egress = (names: string, example: string) =>
  changes('', 'talks to a host outside', [example], [`${names} http://localhost/`], {
    flags: ['egress', 'outside_text'],
    if: outside,
  });

const X509 =
  /^-(noout|text|dates|enddate|startdate|subject|issuer|fingerprint|serial|sha256|sha1|purpose|pubkey|email|ocsp_uri|hash)$/;

function x509(call: Call): Match {
  const files: Value[] = [];
  for (let i = 0; i < call.args.length; i++) {
    const text = call.args[i]?.text;
    const value = call.args[i + 1];
    if (text === '-in' && value) files.push(value);
    if (/^-(in|inform|ext|checkend|nameopt)$/.test(text ?? '')) i++;
    else if (!X509.test(text ?? '')) return refuse('an option is not known to be harmless');
  }
  const quiet = call.args.some((arg) => arg.text === '-noout');
  return quiet ? { matches: true, reads: files } : refuse('it prints the whole certificate');
}

function sClient(call: Call): Match {
  if (call.input.kind !== 'null' && call.input.kind !== 'pipe')
    return refuse('it sends what it reads');
  for (let i = 0; i < call.args.length; i++) {
    const text = call.args[i]?.text ?? '';
    const value = call.args[i + 1]?.text;
    if (/^-(connect|servername|verify|CAfile)$/.test(text)) {
      if (value === undefined) return refuse('a value is decided at run time');
      if (text === '-connect' && namesOutside(value)) return refuse('the host is outside');
      i++;
    } else if (!/^-(showcerts|brief|tls1_2|tls1_3|status|quiet)$/.test(text)) {
      return refuse('an option is not known to be harmless');
    }
  }
  return { matches: true, reads: [] };
}

const LISTS_REMOTES = phrase(
  'listremotes',
  'lists the names of remotes',
  /^$/,
  ['rclone listremotes'],
  ['rclone listremotes --config x'],
);
const ASKS_REMOTES = phrase(
  '',
  'shows what a remote holds or how full it is',
  /^(version|(about|size|lsd|lsf|ls|lsl|tree|ncdu --help)( --max-depth \d| --json| --fast-list)* [\w-]+:[\w/. -]*)$/,
  ['rclone about nas:', 'rclone lsd nas:media', 'rclone version'],
  ['rclone ls :http:x --http-url y', 'rclone sync a b'],
);
const SHOWS_CREDENTIALS = destroys(
  'config',
  'prints credentials',
  ['rclone config show'],
  ['rclone ls x'],
  { if: hasWord(/^(show|dump)$/), flags: ['secret'] },
);
const DELETES_REMOTE = ['delete', 'purge', 'deletefile'].map((verb) =>
  destroys(verb, 'deletes remote files', [`rclone ${verb} x:`], ['rclone ls x'], {
    objects: operandsOf,
  }),
);

/** Fetching over http, and certificates. */
export const WEB: readonly Program[] = [
  {
    names: ['curl'],
    operands: 'read',
    rules: [
      checked(
        '',
        'fetches from the own network',
        curl,
        ['curl -s http://localhost:8080/health'],
        [
          'curl -o x http://localhost',
          'curl http://example.com',
          'curl http://10.0.0.5/relay/0?turn=on',
        ],
      ),
      egress('curl', 'curl https://example.com'),
      deletes('curl', 'curl -sX DELETE http://localhost/x'),
    ],
  },
  {
    names: ['http', 'https', 'xh', 'xhs', 'httpie'],
    operands: 'read',
    rules: [egress('http', 'http example.com'), deletes('http', 'http DELETE localhost/x')],
  },
  {
    names: ['wget'],
    operands: 'read',
    rules: [
      checked(
        '',
        'fetches from the own network',
        wget,
        ['wget -qO- http://localhost/ping'],
        ['wget http://localhost/x'],
      ),
      egress('wget', 'wget https://example.com'),
      deletes('wget', 'wget --method=DELETE http://localhost/x'),
    ],
  },
  ...[
    'scp',
    'sftp',
    'ftp',
    'telnet',
    'mosh',
    'autossh',
    'ssh-copy-id',
    'rclone',
    'wormhole',
    'sendmail',
    'ncat',
    'socat',
  ].map(
    (name): Program => ({
      names: [name],
      operands: 'read',
      launches: true,
      rules: [
        changes('', 'moves data to another host', [`${name} x`], ['ls'], {
          flags: name === 'ssh-copy-id' ? ['egress', 'access'] : ['egress'],
          if: (call) =>
            name !== 'rclone' ||
            !(ASKS_REMOTES.when(call).matches || hasWord(/^listremotes$/)(call)),
        }),
        ...(name === 'rclone'
          ? [
              LISTS_REMOTES,
              { ...ASKS_REMOTES, flags: ['egress', 'outside_text'] as const },
              SHOWS_CREDENTIALS,
              ...DELETES_REMOTE,
            ]
          : []),
      ],
    }),
  ),
  only(
    'certbot',
    'lists certificates',
    /^certificates$/,
    ['certbot certificates'],
    ['certbot renew'],
  ),
  {
    names: ['openssl'],
    operands: 'read',
    rules: [
      phrase(
        'version',
        'shows the version',
        /^(-[avbofpdrc])*$/,
        ['openssl version'],
        ['openssl version -engine x'],
      ),
      checked(
        'x509',
        'shows a certificate',
        x509,
        ['openssl x509 -in a.crt -noout -enddate'],
        ['openssl x509 -in a -out b'],
      ),
      checked(
        's_client',
        'looks at the certificate of a host',
        sClient,
        ['openssl s_client -connect localhost:443 </dev/null'],
        ['openssl s_client -connect localhost:443'],
      ),
    ],
  },
];
