import {
  type Call,
  checked,
  destroys,
  hasWord,
  type Match,
  type Program,
  refuse,
  theTarget,
} from '../rule.ts';
import { show, type Value } from '../value.ts';
import { goesOutside, reachesOutside } from './database-hosts.ts';

const REDIS_LOSS =
  /^(del|unlink|getdel|hdel|lrem|ltrim|lpop|rpop|srem|spop|zrem(rangeby(rank|score|lex))?|zpop(min|max)|xdel|xtrim|json\.del|ft\.dropindex)$/i;

const VALUED = /^-[hpnau]$|^--(user|pass|pattern|count|type)$/;
const KNOWN = /^(-[hpn]|--(pattern|count|type|scan|raw|no-raw|no-auth-warning))$/;

/** The words from the key store's own command on. */
function redisCommand(call: Call): readonly Value[] {
  let at = 0;
  for (; at < call.args.length; at++) {
    const text = call.args[at]?.text;
    if (text === undefined || !text.startsWith('-')) break;
    if (VALUED.test(text)) at++;
  }
  return call.args.slice(at);
}

/** `del a b` loses both; of the others the first word is the key. */
function redisKeys(call: Call): readonly Value[] {
  const [verb, ...keys] = redisCommand(call);
  return /^(del|unlink)$/i.test(verb?.text ?? '') ? keys : keys.slice(0, 1);
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

/** Redis and its kin. */
export const KEY_STORES: readonly Program[] = [
  {
    names: ['redis-cli', 'valkey-cli'],
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
        ['redis-cli del a', 'redis-cli -n 2 unlink a', 'redis-cli hdel h f'],
        ['redis-cli set a b', 'redis-cli get del'],
        {
          if: (call) => REDIS_LOSS.test(redisCommand(call)[0]?.text ?? ''),
          objects: redisKeys,
          confirmVerb: 'delete',
        },
      ),
      destroys('', 'stops the key store', ['redis-cli shutdown nosave'], ['redis-cli info'], {
        if: (call) => /^shutdown$/i.test(redisCommand(call)[0]?.text ?? ''),
        confirmVerb: 'shutdown',
        objects: theTarget,
      }),
    ],
  },
];
