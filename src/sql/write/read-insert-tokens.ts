/** Parses an INSERT from tokens: in the Postgres dialect, and after WITH. */
import { isLiteral } from '../bind/write-values.js';
import { INSERT_VALUES_MAX } from '../limits.js';
import type { QueryReader } from '../query/query-reader.js';
import { refusePhrases } from '../refusals.js';
import { sqlError } from '../sql-error.js';
import { unexpected } from '../tokens.js';
import type { CommonTable, InsertQueryStatement, InsertStatement, SqlNode } from '../tree.js';
import { defaultOf } from './default-value.js';
import { beginsRows, readInsertHead } from './insert-head.js';
import { readConflict } from './read-conflict.js';
import { readReturning } from './read-returning.js';

type Inserted = InsertStatement | InsertQueryStatement;

/**
 * INSERT INTO name (columns) VALUES (value, ...), ... or a query. Values that are no literals are those of a query. `tables`:
 * those of WITH.
 */
export function readInsertTokens(reader: QueryReader, tables: readonly CommonTable[]): Inserted {
  const { position } = reader.next();
  const { table, columns, next } = readInsertHead(() => reader.next(), true);
  if (next.upper !== 'VALUES' && !beginsRows(next)) throw unexpected(next, 'VALUES or a SELECT');
  reader.at--;
  const begun = reader.at;
  const head = { position, table, tables, columns };
  const rows = next.upper === 'VALUES' ? literalRows(reader) : null;
  if (rows !== null) return { is: 'insert', ...head, rows, ...readInsertTail(reader, 'a comma') };
  reader.at = begun;
  refusePhrases(reader.tokens.slice(begun));
  return { is: 'insert-query', ...head, ...readInsertedQuery(reader) };
}

/** Parses the query of INSERT ... SELECT and the clauses after it. */
export function readInsertedQuery(
  reader: QueryReader,
): Pick<InsertQueryStatement, 'query' | 'conflict' | 'returning'> {
  const { position } = reader.peek();
  const query = reader.query();
  const tail = readInsertTail(reader, 'a comma, the next clause');
  return { query: { is: 'query', position, explain: 'no', query }, ...tail };
}

/** Parses ON CONFLICT and RETURNING up to the end of the statement. `otherwise`: what else could follow. */
export function readInsertTail(
  reader: QueryReader,
  otherwise: string,
): Pick<Inserted, 'conflict' | 'returning'> {
  const conflict = readConflict(reader);
  return { conflict, returning: readReturning(reader, conflict === null ? otherwise : 'RETURNING') };
}

/** The rows of VALUES; null if one of the values is no literal. */
function literalRows(reader: QueryReader): SqlNode[][] | null {
  reader.next();
  const rows: SqlNode[][] = [];
  do {
    const row = rowOf(reader);
    if (row === null) return null;
    rows.push(row);
  } while (reader.acceptSign(','));
  return rows;
}

function rowOf(reader: QueryReader): SqlNode[] | null {
  const open = reader.peek();
  reader.expectSign('(');
  const values: SqlNode[] = [];
  do {
    const value = literalIn(defaultOf(reader) ?? reader.value());
    if (!isLiteral(value)) return null;
    values.push(value);
    if (values.length > INSERT_VALUES_MAX) throw sqlError('the row has too many values', open.position);
  } while (reader.acceptSign(','));
  reader.expectClosing(open.position);
  return values;
}

/** The literal inside casts. The types of the casts are ignored, because the columns check the values. */
function literalIn(node: SqlNode): SqlNode {
  return node.is === 'cast' && !node.lenient ? literalIn(node.of) : node;
}
