/**
 * Puts the rules of PostgreSQL into a parsed statement: a backslash is the escape character of LIKE patterns, / and % refuse the
 * divisor 0, / truncates the quotient of integers, results of decimals are decimals with all digits, and a cast to DECIMAL refuses
 * values with more digits. The order of missing values is set by the translation of tokens.
 */
import { nodesOf } from '../bind/nodes.js';
import type { SqlDialect } from '../bind/request.js';
import { conflictQuery } from '../query/conflict-query.js';
import { queryIn, scopesOf } from '../query/query-nodes.js';
import { rowQueryOf } from '../query/row-query.js';
import { sqlError } from '../sql-error.js';
import type { Query, QueryBody, ReadStatement, SqlNode, WriteStatement } from '../tree.js';
import { expressionsOf } from './expressions.js';
import { withNumerics } from './number-types.js';

const BACKSLASH = '\\';
/** Matches an odd number of backslashes at the end. */
const ESCAPES_NOTHING = /(?<!\\)(\\\\)*\\$/;

/**
 * Modifies `statement`, which must not be shared yet. In the dialect http, only LIKE has the rules of PostgreSQL. Throws 6000.
 */
export function applyDialect(statement: ReadStatement, dialect: SqlDialect): void {
  if (statement.is === 'select') applyTo(expressionsOf(statement), dialect);
  else applyToQuery(statement.query, statement.query.body, dialect);
}

/** Like `applyDialect`, for the expressions of a write. */
export function applyDialectToWrite(statement: WriteStatement): void {
  const ofRows = statement.is === 'insert' ? null : rowQueryOf(statement).query;
  const ofConflict = 'conflict' in statement ? conflictQuery(statement) : null;
  if (ofRows !== null) applyToQuery(ofRows.query, ofRows.query.body, 'postgres');
  if (ofConflict !== null) {
    // The tables of WITH are shared by both queries.
    const query = ofRows === null ? ofConflict.query : { ...ofConflict.query, tables: [] };
    applyToQuery(query, query.body, 'postgres');
  }
  applyTo(
    (statement.returning ?? []).map(({ of }) => of),
    'postgres',
  );
}

/** `top`: the SELECT whose columns are the answer; null = there is none. */
function applyToQuery(query: Query, top: QueryBody | null, dialect: SqlDialect): void {
  for (const { block, roots } of scopesOf(query)) {
    applyTo(roots, dialect);
    if (block === null || block === top || dialect === 'http') continue;
    for (const item of block.items) {
      Object.assign(item, { of: withNumerics(item.of) });
    }
  }
}

function applyTo(roots: readonly SqlNode[], dialect: SqlDialect): void {
  for (const root of roots) {
    for (const node of nodesOf(root)) {
      const query = queryIn(node);
      if (query !== null) applyToQuery(query, null, dialect);
      if (node.is === 'like') setEscape(node);
      if (dialect === 'http') continue;
      if (node.is === 'cast') Object.assign(node, { limitsDigits: true });
      if (node.is === 'call') Object.assign(node, { ofPostgres: true });
      if ('call' in node) Object.assign(node.call, { ofPostgres: true });
      if (node.is !== 'arithmetic') continue;
      if (node.operator === '/') divide(node);
      if (node.operator === '*' || node.operator === '||') Object.assign(node, { ofPostgres: true });
      if (node.operator === '%') Object.assign(node, { operator: 'modulo' });
    }
  }
}

function divide(node: Extract<SqlNode, { readonly is: 'arithmetic' }>): void {
  const [left, right] = [withNumerics(node.left), withNumerics(node.right)];
  Object.assign(node, { operator: 'divide', left, right });
}

function setEscape(node: Extract<SqlNode, { readonly is: 'like' }>): void {
  if (node.escape !== null) return;
  const { pattern } = node;
  if (pattern.is === 'string' && ESCAPES_NOTHING.test(pattern.text)) {
    throw sqlError('the pattern ends with its ESCAPE character', pattern.position);
  }
  Object.assign(node, { escape: BACKSLASH });
}
