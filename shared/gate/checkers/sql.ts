import type { RiskClass } from '../../domain/risk.ts';

const FUNCTIONS = new Set(
  'count sum min max avg version now lower upper length coalesce round abs pg_database_size pg_size_pretty pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size current_database current_schema current_setting date datetime strftime group_concat string_agg to_char extract date_trunc age in and or values where by on using as from select cast nullif ifnull concat database user substr substring trim pg_is_in_recovery pg_postmaster_start_time pg_last_wal_replay_lsn pg_current_wal_lsn pg_wal_lsn_diff interval schema'.split(
    ' ',
  ),
);
const CATALOGS =
  /^(pg_stat_\w+|pg_statio_\w+|pg_database|pg_class|pg_tables|pg_indexes|pg_namespace|pg_locks|pg_replication_slots|pg_extension|pg_available_extensions|information_schema\.\w+|sqlite_master|sqlite_schema|dbstat|performance_schema\.\w+|sys\.\w+)$/;
const WRITES =
  /\b(into|insert|update|delete|drop|alter|create|truncate|grant|revoke|copy|call|do|set|lock|share|outfile|dumpfile|attach|vacuum|reindex|analyze)\b/i;
const SHOWS =
  /^show\s+(global\s+|session\s+|full\s+)?(databases|tables|processlist|status|variables|columns|index|engine|engines|slave status|replica status|replicas|master status|binary logs|table status|server_version|all|max_connections|shared_buffers)\b[\w\s%'"=._]*$/i;
const PRAGMAS =
  /^pragma\s+(table_info|index_list|integrity_check|quick_check|page_count|page_size|freelist_count|user_version|database_list)\b(\(\w*\))?$/i;

/**
 * Why a statement may do more than look at figures and catalogues, or undefined when it cannot.
 * Rows of people's own tables are not read unasked, unless the operator's settings allow it.
 */
export function refuseSql(query: string, allowRows = false): string | undefined {
  if (/[\\`$]/.test(query)) return 'the query holds a client command';
  const text = plain(query);
  if (/;|--|\/\*|#/.test(text)) return 'the query holds more than one statement';
  if (PRAGMAS.test(text) || SHOWS.test(text)) return undefined;
  if (!/^(explain\s+(?!analy))?select\b/i.test(text)) return 'the query is not a SELECT';
  if (WRITES.test(text)) return 'the query may write';
  return refuseFunctions(text) ?? refuseTables(text, allowRows);
}

function plain(query: string): string {
  return query
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"[^"]*"/g, '"x"')
    .trim()
    .replace(/;\s*$/, '');
}

function refuseFunctions(text: string): string | undefined {
  for (const found of text.matchAll(/([A-Za-z_][\w.]*)\s*\(/g)) {
    const name = (found[1] ?? '').toLowerCase();
    if (!FUNCTIONS.has(name)) return `the query calls ${name}`;
  }
  return undefined;
}

function refuseTables(text: string, allowRows: boolean): string | undefined {
  if (/\b(pg_shadow|pg_authid|pg_user_mapping\w*|mysql\.user)\b/i.test(text)) {
    return 'the query reads password hashes';
  }
  if (allowRows) return refuseAccountTables(text);
  const tables = [...text.matchAll(/\b(?:from|join)\s+([\w."]+)/gi)].map((found) => found[1] ?? '');
  if (/\bfrom\b[^()]*,|\b(union|intersect|except)\b/i.test(text)) {
    return 'the query joins several tables';
  }
  if (tables.every((table) => CATALOGS.test(table.toLowerCase()))) return undefined;
  const list = /^(?:explain\s+)?select\s+(.*?)\s+from\b/is.exec(text)?.[1] ?? '';
  const figures = list
    .split(',')
    .every((column) => /^\s*(count|sum|avg)\s*\([^()]*\)(\s+as\s+\w+)?\s*$/i.test(column));
  return figures ? undefined : 'the query reads rows of a table';
}

// Names under which applications keep who may log in, and with what.
const ACCOUNT_TABLES =
  /\b\w*(user|account|auth|token|session|credential|secret|passw|login|api_?key|oauth|member|person)\w*\b/i;

function refuseAccountTables(text: string): string | undefined {
  return ACCOUNT_TABLES.test(text) ? 'the query reads a table that can hold accounts' : undefined;
}

/** Whether a statement prints the hashes that a database keeps of its passwords. */
export function readsHashes(query: string): boolean {
  const table = /\b(pg_shadow|pg_authid|mysql\.(user|global_priv))\b/i.test(query);
  return table && /\*|rolpassword|passwd|password|authentication_string|\bpriv\b/i.test(query);
}

/** The class of a statement that is not only a look: dropping and emptying cannot be undone. */
export function classOfSql(query: string): RiskClass {
  const drops =
    /\b(drop|truncate|delete\s+from|dropdatabase|flushall|flushdb|deletemany|deleteone|findoneanddelete|remove\()|\.drop\b|alter\s+table\s+\S+\s+drop/i;
  const text = query.replace(/\/\*[\s\S]*?\*\/|--[^\n]*\n/g, ' ');
  return drops.test(query) || drops.test(text) ? 'destructive' : 'config_mutation';
}
