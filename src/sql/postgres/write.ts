/** Parses INSERT, UPDATE and DELETE in the Postgres dialect. */
import { isLiteral } from '../bind/write-values.js';
import { beginsRows, readInsertHead } from '../insert-head.js';
import { INSERT_VALUES_MAX } from '../limits.js';
import type { QueryReader } from '../query/query-reader.js';
import { readInsertedQuery } from '../read-insert.js';
import { readModelStatement } from '../read-model.js';
import { readDelete, readReturning, readUpdate, writeReader } from '../read-writes.js';
import { refusePhrases } from '../refusals.js';
import { sqlError } from '../sql-error.js';
import { isSign, type Token, unexpected } from '../tokens.js';
import type {
  InsertQueryStatement,
  InsertStatement,
  ModelStatement,
  SqlNode,
  WriteStatement,
} from '../tree.js';
import { applyDialect, applyDialectToWrite } from './dialect.js';
import type { PostgresStatement } from './statements.js';
import { refuseForeign } from './tokens.js';
import { type SqlParameter, translate } from './translate.js';

/** Whether the statement is one of those that `readPostgresWrite` reads. */
export const beginsWrite = ({ tokens }: PostgresStatement): boolean =>
  ['INSERT', 'UPDATE', 'DELETE'].includes(tokens[0].upper);

/** `parameters` are the values from $1 on. Throws 6000 with the source position. */
export function readPostgresWrite(
  { tokens }: PostgresStatement,
  parameters: readonly SqlParameter[],
): WriteStatement {
  const translated = translate(tokens, parameters);
  refuseForeign(translated);
  const statement = readWrite(translated);
  applyDialectToWrite(statement);
  return statement;
}

function readWrite(tokens: readonly Token[]): WriteStatement {
  if (tokens[0].upper === 'INSERT') return readInsert(tokens);
  refusePhrases(tokens);
  return tokens[0].upper === 'UPDATE' ? readUpdate(tokens) : readDelete(tokens);
}

/** Parses CREATE TABLE and DROP TABLE. Throws 6000 with the source position. */
export function readPostgresModel(
  { tokens }: PostgresStatement,
  parameters: readonly SqlParameter[],
): ModelStatement {
  const translated = translate(tokens, parameters);
  refuseForeign(translated);
  const statement = readModelStatement(translated);
  if (statement.is !== 'drop-table' && statement.query !== null) applyDialect(statement.query, 'postgres');
  return statement;
}

/** INSERT INTO name (columns) VALUES (value, ...), ... or a query. Values that are no literals are those of a query. */
function readInsert(tokens: readonly Token[]): InsertStatement | InsertQueryStatement {
  const reader = writeReader(tokens);
  const { position } = reader.next();
  if (reader.isKeyword('INTO') && !isSign(reader.peek(2), '(') && reader.peek(2).upper !== 'AS') {
    throw sqlError(
      'an INSERT names its columns: INSERT INTO t ("entity-id", ...) VALUES (...)',
      reader.peek(1).position,
    );
  }
  const { table, columns, next } = readInsertHead(() => reader.next());
  if (next.upper !== 'VALUES' && !beginsRows(next)) throw unexpected(next, 'VALUES or a SELECT');
  reader.at--;
  const begun = reader.at;
  if (next.upper === 'VALUES') {
    const rows = literalRows(reader);
    refuseConflicts(reader.peek());
    if (rows !== null) {
      const returning = readReturning(reader, 'a comma');
      return { is: 'insert', position, table, columns, rows, returning };
    }
    reader.at = begun;
  }
  refusePhrases(tokens.slice(begun));
  return { is: 'insert-query', position, table, columns, ...readInsertedQuery(reader) };
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
    const value = literalIn(reader.value());
    if (!isLiteral(value)) return null;
    values.push(value);
    if (values.length > INSERT_VALUES_MAX) throw sqlError('the row has too many values', open.position);
  } while (reader.acceptSign(','));
  reader.expectClosing(open.position);
  return values;
}

function refuseConflicts(token: Token): void {
  if (token.upper !== 'ON') return;
  const what =
    'ON CONFLICT is not available: an INSERT with an ID that exists changes the named columns of its entity';
  throw sqlError(what, token.position);
}

/** The literal inside casts. The types of the casts are ignored, because the columns check the values. */
function literalIn(node: SqlNode): SqlNode {
  return node.is === 'cast' && !node.lenient ? literalIn(node.of) : node;
}
