import { namesOutside } from '../checkers/hosts.ts';
import { classOfSql, readsHashes, refuseSql } from '../checkers/sql.ts';
import { given, type OptionSpec, parseOptions } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  firstOperand,
  hasWord,
  type Match,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  refuse,
  theTarget,
} from '../rule.ts';
import type { Value } from '../value.ts';

/** A host outside, or a connection text, which can name anything. */
function reachesOutside(call: Call): boolean {
  return call.args.some((arg, i) => {
    const text = arg.text ?? '';
    const value = /^(?:-h|--host=)(.+)$/s.exec(text)?.[1];
    const named = /^(-h|--host)$/.test(call.args[i - 1]?.text ?? '') ? text : value;
    if (/(^|\s)(service|options|host|hostaddr|passfile|sslkey)\s*=/.test(text)) return true;
    const address = /^[a-z]+:\/\//i.test(text) ? text : named;
    return address !== undefined && namesOutside(address);
  });
}

function goesOutside(example: string, not: string): Rule {
  return changes('', 'asks a host outside', [example], [not], {
    if: reachesOutside,
    flags: ['egress', 'outside_text'],
  });
}

/** A client that is given its statements in an option. */
function queries(
  spec: OptionSpec,
  options: readonly string[],
  max: number,
  shows: (text: string) => boolean,
): (call: Call) => Match {
  return (call) => {
    const parsed = parseOptions(spec, call.args);
    if ('because' in parsed) return refuse(parsed.because);
    if (reachesOutside(call)) return refuse('it asks a host outside or by settings of its own');
    if (parsed.operands.length > max) return refuse('more operands than it needs');
    const asksItself = given(parsed, 'version', 'l', 'list', 'V').length > 0;
    if (asksItself) return { matches: true, reads: [] };
    const refusal = refuseStatements(given(parsed, ...options), shows, call.policy.rowData);
    return refusal === undefined ? { matches: true, reads: [] } : refuse(refusal);
  };
}

function refuseStatements(
  statements: readonly Value[],
  shows: (text: string) => boolean,
  allowRows: boolean,
): string | undefined {
  if (statements.length === 0) return 'it reads statements from its input';
  for (const { text } of statements) {
    if (text === undefined) return 'the statement is decided at run time';
    const refusal = shows(text) ? undefined : refuseEach(text, allowRows);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Several statements are a look where each is one. One with a `;` in quotes stays in one piece. */
function refuseEach(text: string, allowRows: boolean): string | undefined {
  const parts = /['"`\\][^'"`\\]*;[^'"`\\]*['"`\\]/.test(text.replace(/'[\w% .-]*'/g, ''))
    ? [text]
    : text.split(';');
  const statements = parts.filter((part) => part.trim() !== '');
  if (statements.length === 0) return refuseSql(text, allowRows);
  return statements.map((part) => refuseSql(part, allowRows)).find((why) => why !== undefined);
}

const PSQL: OptionSpec = {
  short: 'AtlqXxEwV',
  shortValue: 'UdhpcFR',
  long: ['version', 'list', 'no-psqlrc', 'tuples-only', 'no-align', 'csv'],
  longValue: ['command', 'username', 'dbname', 'host', 'port'],
};
const MYSQL: OptionSpec = {
  short: 'NsBtV',
  shortValue: 'uheDP',
  long: ['batch', 'silent', 'skip-column-names', 'version'],
  longValue: ['execute', 'user', 'host', 'database'],
};

const isPsqlList = (text: string): boolean => /^\\(l|d[tinsvu]?|conninfo|dn)\+?$/.test(text.trim());
const never = (): boolean => false;

function sqlite(call: Call): Match {
  const spec: OptionSpec = {
    oneDash: true,
    long: [
      'readonly',
      'json',
      'csv',
      'header',
      'line',
      'column',
      'safe',
      'version',
      'table',
      'box',
    ],
    longValue: ['separator'],
  };
  const parsed = parseOptions(spec, call.args);
  if ('because' in parsed) return refuse(parsed.because);
  if (given(parsed, 'version').length > 0) return { matches: true, reads: [] };
  if (given(parsed, 'readonly').length === 0) return refuse('it may write without -readonly');
  const [file, ...statements] = parsed.operands;
  const refusal = refuseStatements(statements, isDotList, call.policy.rowData);
  if (file === undefined || refusal !== undefined) return refuse(refusal ?? 'it names no file');
  // Figures and names of tables alone come out, whatever else the file holds.
  return { matches: true, reads: [] };
}

const isDotList = (text: string): boolean =>
  /^\.(tables|schema|indexes|databases|dbinfo)( \w+)?$/.test(text.trim());

function redis(call: Call): Match {
  if (reachesOutside(call)) return refuse('it asks a host outside');
  let at = 0;
  for (; at < call.args.length; at++) {
    const text = call.args[at]?.text;
    if (text === undefined) return refuse('a word is decided at run time');
    if (!text.startsWith('-')) break;
    if (/^-[hpn]$/.test(text)) at++;
    else if (!/^--(raw|no-raw|no-auth-warning)$/.test(text))
      return refuse(`the option ${text} is not known to be harmless`);
  }
  const [verb, ...rest] = call.args.slice(at).map((arg) => arg.text?.toLowerCase());
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

const dropsData = (call: Call): boolean =>
  call.args.some((arg) => arg.text !== undefined && classOfSql(arg.text) === 'destructive');

const drops: (example: string, not: string) => Rule = (example, not) =>
  destroys('', 'drops or empties what a database holds', [example], [not], { if: dropsData });

const sqlTool = (names: string, rule: Rule, example: string, not: string): Program => ({
  names: names.split(' '),
  operands: 'read',
  rules: [
    rule,
    drops(example, not),
    goesOutside(`${names.split(' ')[0]} -h evil.example`, not),
    destroys(
      '',
      'prints password hashes',
      [`${names.split(' ')[0]} 'select * from pg_authid'`],
      [not],
      { if: (call) => call.args.some((arg) => readsHashes(arg.text ?? '')), flags: ['secret'] },
    ),
  ],
});

function removes(name: string, why: string, count = 1): Program {
  return {
    names: [name],
    operands: 'named',
    rules: [
      destroys('', why, [`${name} app`], ['psql -l'], {
        objects: (call) => operandsOf(call).slice(-count),
        confirmVerb: 'drop',
      }),
    ],
  };
}

export const DATABASES: readonly Program[] = [
  sqlTool(
    'psql',
    checked(
      '',
      'asks a database',
      queries(PSQL, ['c', 'command'], 2, isPsqlList),
      ["psql -U postgres -c 'select version()'", 'psql -l'],
      ['psql -f x', "psql -c 'select * from users'", "psql -c 'drop table x'"],
    ),
    "psql -c 'drop table x'",
    'psql -l',
  ),
  sqlTool(
    'mysql mariadb',
    checked(
      '',
      'asks a database',
      queries(MYSQL, ['e', 'execute'], 1, never),
      ["mysql -e 'show processlist'"],
      ["mysql -e 'update x set y=1'", "mysql -e '\\! id'"],
    ),
    "mysql -e 'drop database x'",
    "mysql -e 'show databases'",
  ),
  sqlTool(
    'sqlite3',
    checked(
      '',
      'asks a database file',
      sqlite,
      ["sqlite3 -readonly /opt/a.db '.tables'"],
      ["sqlite3 /opt/a.db '.tables'", "sqlite3 -readonly a.db '.shell id'"],
    ),
    "sqlite3 a.db 'drop table x'",
    "sqlite3 -readonly a.db '.tables'",
  ),
  sqlTool(
    'clickhouse-client mongosh mongo',
    phrase('', 'shows the version', /^--version$/, ['mongosh --version'], ['mongosh x']),
    "mongosh --eval 'db.dropDatabase()'",
    'mongosh --version',
  ),
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
    ],
  },
  removes('dropdb', 'drops a database'),
  removes('dropuser', 'drops a role'),
  {
    names: ['pg_dropcluster'],
    operands: 'named',
    rules: [
      destroys('', 'drops a cluster', ['pg_dropcluster 15 main'], ['pg_lsclusters'], {
        objects: (call) => operandsOf(call).slice(-1),
        confirmVerb: 'drop',
      }),
    ],
  },
  {
    names: ['mysqladmin', 'mariadb-admin'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows a database server',
        /^(-u \w+ )?(status|processlist|ping|extended-status|version)$/,
        ['mysqladmin status'],
        ['mysqladmin shutdown'],
      ),
      destroys('', 'drops a database', ['mysqladmin -f drop app'], ['mysqladmin status'], {
        if: hasWord(/^drop$/),
        objects: (call) => operandsOf(call).slice(-1),
        confirmVerb: 'drop',
      }),
    ],
  },
  {
    names: ['influx'],
    operands: 'read',
    rules: [
      destroys('', 'deletes stored data', ['influx bucket delete -n x'], ['influx ping'], {
        if: (call) => hasWord(/^delete$/)(call) || dropsData(call),
      }),
      phrase('', 'asks whether it runs', /^(ping|version)$/, ['influx ping'], ['influx write x']),
    ],
  },
  {
    names: ['pg_isready'],
    operands: 'named',
    rules: [
      reads(
        '',
        'asks whether a database runs',
        { shortValue: 'hpUdt', short: 'q', operands: 0 },
        ['pg_isready'],
        ['pg_isready x'],
      ),
    ],
  },
  {
    names: ['pg_lsclusters'],
    operands: 'named',
    rules: [
      phrase('', 'lists database clusters', /^(-h)?$/, ['pg_lsclusters'], ['pg_lsclusters x']),
    ],
  },
  {
    names: ['rabbitmqctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows a message broker',
        /^(status|list_(queues|exchanges|connections|users|vhosts|channels|consumers|bindings)( -p [\w/]+)?( [a-z_]+)*|cluster_status|ping|list_permissions( -p [\w/]+)?)$/,
        ['rabbitmqctl status'],
        ['rabbitmqctl stop'],
      ),
    ],
  },
  {
    names: ['etcdctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows a key store',
        /^(endpoint (health|status)( -w table)?|member list)$/,
        ['etcdctl endpoint health'],
        ['etcdctl put a b'],
      ),
      destroys('del', 'deletes keys', ['etcdctl del a'], ['etcdctl member list'], {
        objects: firstOperand,
      }),
    ],
  },
];
