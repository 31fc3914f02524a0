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
} from '../rule.ts';
import type { Value } from '../value.ts';
import { goesOutside, reachesOutside } from './database-hosts.ts';
import { inputRules } from './database-input.ts';

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

const isPsqlList = (text: string): boolean =>
  /^\\(l|d[tinsvu]?|conninfo|dn)\+?( [\w.]+)?$/.test(text.trim());
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
  const [file, ...statements] = parsed.operands;
  const onlyReads =
    given(parsed, 'readonly').length > 0 ||
    /^file:[\w./-]+\?(mode=ro|immutable=1)$/.test(file?.text ?? '');
  if (!onlyReads) return refuse('it may write without -readonly');
  const refusal = refuseStatements(statements, isDotList, call.policy.rowData);
  if (file === undefined || refusal !== undefined) return refuse(refusal ?? 'it names no file');
  // Figures and names of tables alone come out, whatever else the file holds.
  return { matches: true, reads: [] };
}

const isDotList = (text: string): boolean =>
  /^\.(tables|schema|indexes|databases|dbinfo)( \w+)?$/.test(text.trim());

const MONGO_LOOK =
  /^((db|rs|sh)\.(stats|serverStatus|version|status|hello|isMaster|getName|getCollectionNames|hostInfo|conf|printReplicationInfo)\(\)(\.\w+)*|db\.[\w]+\.(countDocuments|estimatedDocumentCount|stats|getIndexes)\(\)|show (dbs|collections)|db\.adminCommand\(['"]?(ping|listDatabases)['"]?\))$/;
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
    ...inputRules(names.split(' ')[0] ?? '', rule),
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

const INFLUX_LOOK = phrase(
  '',
  'asks whether it runs',
  /^(ping|version|--version)$/,
  ['influx ping'],
  ['influx write x'],
);

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
    reads(
      '',
      'asks a database for figures and names',
      {
        long: ['version', 'quiet', 'norc'],
        longValue: ['eval'],
        operands: /^[\w-]+$/,
        check: (parsed) => {
          const asked = given(parsed, 'eval');
          const plain = asked.every((value) => MONGO_LOOK.test(value.text ?? ''));
          const shows = asked.length > 0 || given(parsed, 'version').length > 0;
          return shows && plain ? undefined : 'it is no plain question';
        },
        named: true,
      },
      ['mongosh --version', "mongosh --quiet --eval 'db.stats()'"],
      [
        'mongosh x',
        "mongosh --eval 'db.x.find()'",
        "mongosh --eval 'db.stats(); db.dropDatabase()'",
      ],
    ),
    "mongosh --eval 'db.dropDatabase()'",
    'mongosh --version',
  ),
  sqlTool(
    'cqlsh pgcli mycli litecli usql sqlcmd isql',
    phrase('', 'shows its version', /^--version$/, ['cqlsh --version'], ['cqlsh -e x']),
    "cqlsh -e 'drop table x'",
    'cqlsh --version',
  ),
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
      INFLUX_LOOK,
      ...inputRules('influx', INFLUX_LOOK),
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
      destroys(
        'lease revoke',
        'deletes the keys of a lease',
        ['etcdctl lease revoke x'],
        ['etcdctl lease list'],
      ),
      destroys(
        'member remove',
        'takes a member out of the cluster',
        ['etcdctl member remove x'],
        ['etcdctl member list'],
        { objects: firstOperand },
      ),
      changes('txn', 'runs what comes on its input', ['etcdctl txn'], ['etcdctl get a'], {
        flags: ['opaque'],
      }),
      changes('make-mirror', 'copies all keys to another host', ['etcdctl make-mirror x'], [], {
        flags: ['egress'],
      }),
    ],
  },
];
