/** Classifies a statement by its first keyword and the names in it, without looking up names and without errors. */
import { beginsWrite, isSign, type PostgresStatement, type Token } from '../../../sql/index.js';
import { isName, type NamedTable, tableNames } from './table-names.js';

export type Route =
  /** Affects only the session: SET, SHOW, BEGIN and so on. */
  | 'session'
  /** Reads tables of the engine. */
  | 'rows'
  /** Reads only tables of the catalog, or calls functions that only the catalog has. */
  | 'catalog'
  /** Reads tables of both. */
  | 'mixed'
  /** SELECT without FROM: answered by the engine if it has the functions, else by the catalog. */
  | 'either'
  | 'write'
  | 'unknown';

const WRITES: ReadonlySet<string> = new Set([
  ...[
    'INSERT',
    'UPDATE',
    'DELETE',
    'MERGE',
    'COPY',
    'CREATE',
    'ALTER',
    'DROP',
    'TRUNCATE',
    'GRANT',
    'REVOKE',
  ],
  ...[
    'COMMENT',
    'VACUUM',
    'ANALYZE',
    'REINDEX',
    'CLUSTER',
    'REFRESH',
    'REASSIGN',
    'SECURITY',
    'IMPORT',
    'LOCK',
  ],
  ...['DO', 'CALL', 'CHECKPOINT', 'LOAD', 'NOTIFY'],
]);
const READS: ReadonlySet<string> = new Set(['SELECT', 'EXPLAIN', 'WITH', 'VALUES', 'TABLE']);
const SESSION: ReadonlySet<string> = new Set([
  ...['SET', 'SHOW', 'RESET', 'BEGIN', 'START', 'COMMIT', 'END', 'ROLLBACK', 'ABORT', 'SAVEPOINT', 'RELEASE'],
  ...[
    'DISCARD',
    'DEALLOCATE',
    'CLOSE',
    'UNLISTEN',
    'LISTEN',
    'DECLARE',
    'FETCH',
    'MOVE',
    'PREPARE',
    'EXECUTE',
  ],
]);

/** The schema of the engine's tables. */
const OWN_SCHEMA = 'public';
const CATALOG_SCHEMA = /^(pg_|information_schema$)/;

export function routeOf(statement: PostgresStatement): Route {
  const { tokens } = statement;
  const { upper } = tokens.find((token) => !isSign(token, '(')) ?? tokens[0];
  if (SESSION.has(upper)) return 'session';
  if (WRITES.has(upper) || beginsWrite(statement)) return 'write';
  if (!READS.has(upper)) return 'unknown';
  const { tables, hasFrom } = tableNames(tokens);
  const ofCatalog = tables.some(isOfCatalog);
  if (tables.some(isOwn)) return ofCatalog ? 'mixed' : 'rows';
  if (ofCatalog || namesCatalog(tokens)) return 'catalog';
  return upper === 'SELECT' && !hasFrom ? 'either' : 'rows';
}

const isOwn = ({ schema, name }: NamedTable): boolean =>
  schema === OWN_SCHEMA || (schema === null && !/^pg_/i.test(name));

const isOfCatalog = ({ schema, name }: NamedTable): boolean =>
  schema === null ? /^pg_/i.test(name) : CATALOG_SCHEMA.test(schema);

/** Whether a statement names a catalog schema, or calls a function whose name begins with pg_. */
function namesCatalog(tokens: readonly Token[]): boolean {
  return tokens.some((token, at) => {
    if (!isName(token)) return false;
    const name = token.text.toLowerCase();
    const follows = tokens[at + 1];
    if (name === 'information_schema' || name === 'pg_catalog') return isSign(follows, '.');
    return name.startsWith('pg_') && isSign(follows, '(');
  });
}

/** Functions that access more than the tables of the catalog. */
const FORBIDDEN =
  /^(set_config|pg_read_|pg_ls_|pg_stat_file|pg_logdir|lo_|pg_sleep|pg_advisory|pg_terminate|pg_cancel|pg_reload|pg_rotate|pg_switch|pg_promote|pg_notify|pg_export|pg_logical|pg_create|pg_drop|pg_replication|dblink|query_to_xml|cursor_to_xml|database_to_xml|schema_to_xml|table_to_xml)/i;

/** The first call of a forbidden function; null = none. */
export function forbiddenCall({ tokens }: PostgresStatement): Token | null {
  const found = tokens.find(
    (token, at) => isName(token) && FORBIDDEN.test(token.text) && isSign(tokens[at + 1], '('),
  );
  return found ?? null;
}
