/** What kind of statement it is, by its first words and the names in it. Nothing is looked up and nothing refused. */
import type { PostgresStatement, Token } from '../sql/index.js';

export type Route =
  /** Of the session alone: SET, SHOW, BEGIN and their like, and what clients ask of the server itself. */
  | 'session'
  /** Over what the engine holds. */
  | 'rows'
  /** Over the tables of the catalog, and over nothing else. */
  | 'catalog'
  /** A SELECT without FROM: the engine's if it knows the functions, else the catalog's. */
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

const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'bracketed';
const isSign = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'sign' && token.text === text;

export function routeOf({ tokens }: PostgresStatement): Route {
  const [{ upper }] = tokens;
  if (SESSION.has(upper)) return 'session';
  if (WRITES.has(upper)) return 'write';
  if (
    upper === 'SELECT' ||
    upper === 'EXPLAIN' ||
    upper === 'WITH' ||
    upper === 'VALUES' ||
    upper === 'TABLE'
  ) {
    if (namesCatalog(tokens)) return 'catalog';
    if (upper === 'SELECT' && !tokens.some((token) => token.upper === 'FROM')) return 'either';
    return 'rows';
  }
  return 'unknown';
}

/** Whether a table or function of the catalog is named: pg_class, pg_catalog.version(), information_schema.tables. */
function namesCatalog(tokens: readonly Token[]): boolean {
  return tokens.some((token, at) => {
    if (!isName(token)) return false;
    const name = token.text.toLowerCase();
    const follows = tokens[at + 1];
    if (name === 'information_schema' || name === 'pg_catalog') return isSign(follows, '.');
    if (!name.startsWith('pg_')) return false;
    const before = tokens[at - 1];
    const isTable = before?.upper === 'FROM' || before?.upper === 'JOIN' || isSign(before, ',');
    return isTable || isSign(follows, '(');
  });
}

/** Functions through which a query of the catalog would reach for more than the catalog's tables. */
const FORBIDDEN =
  /^(set_config|pg_read_|pg_ls_|pg_stat_file|pg_logdir|lo_|pg_sleep|pg_advisory|pg_terminate|pg_cancel|pg_reload|pg_rotate|pg_switch|pg_promote|pg_notify|pg_export|pg_logical|pg_create|pg_drop|pg_replication|dblink|query_to_xml|cursor_to_xml|database_to_xml|schema_to_xml|table_to_xml)/i;

/** The first of them that is called; null = none. */
export function forbiddenCall({ tokens }: PostgresStatement): Token | null {
  const found = tokens.find(
    (token, at) => isName(token) && FORBIDDEN.test(token.text) && isSign(tokens[at + 1], '('),
  );
  return found ?? null;
}
