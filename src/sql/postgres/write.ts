/** Parses INSERT, UPDATE and DELETE in the Postgres dialect. */
import { ExpressionReader } from '../expression.js';
import { INSERT_VALUES_MAX } from '../limits.js';
import { refuseQueries } from '../query/routing.js';
import { readDelete, readUpdate } from '../read-writes.js';
import { refusePhrases } from '../refusals.js';
import { sqlError } from '../sql-error.js';
import { type Token, unexpected } from '../tokens.js';
import type { InsertStatement, SqlNode, WriteStatement } from '../tree.js';
import { applyDialectToWrite } from './dialect.js';
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
  const returning = translated.find(({ upper }) => upper === 'RETURNING');
  if (returning !== undefined) throw sqlError('RETURNING is not available on this port', returning.position);
  const statement = readWrite(translated);
  applyDialectToWrite(statement);
  return statement;
}

function readWrite(tokens: readonly Token[]): WriteStatement {
  if (tokens[0].upper === 'INSERT') return readInsert(tokens);
  refusePhrases(tokens);
  refuseQueries(tokens);
  return tokens[0].upper === 'UPDATE' ? readUpdate(tokens) : readDelete(tokens);
}

/** INSERT INTO name (columns) VALUES (literal, ...), ... */
function readInsert(tokens: readonly Token[]): InsertStatement {
  const reader = new ExpressionReader(tokens);
  const { position } = reader.next();
  reader.expectKeyword('INTO');
  const name = reader.expectName("a table's name");
  if (reader.isKeyword('VALUES') || reader.isKeyword('DEFAULT')) {
    throw sqlError(
      'an INSERT names its columns: INSERT INTO t ("entity-id", ...) VALUES (...)',
      name.position,
    );
  }
  const columns: { readonly name: string; readonly position: Token['position'] }[] = [];
  reader.expectSign('(');
  do {
    const column = reader.expectName("a column's name");
    columns.push({ name: column.text, position: column.position });
  } while (reader.acceptSign(','));
  reader.expectSign(')');
  if (!reader.isKeyword('VALUES')) {
    throw sqlError('an INSERT on this port takes VALUES with literals', reader.peek().position);
  }
  reader.next();
  const rows: SqlNode[][] = [];
  do rows.push(rowOf(reader));
  while (reader.acceptSign(','));
  if (reader.isKeyword('ON')) {
    const what =
      'ON CONFLICT is not available: an INSERT with an ID that exists changes the named columns of its entity';
    throw sqlError(what, reader.peek().position);
  }
  if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'a comma or the end of the statement');
  const table = { name: name.text, alias: null, position: name.position };
  return { is: 'insert', position, table, columns, rows };
}

function rowOf(reader: ExpressionReader): SqlNode[] {
  const open = reader.peek();
  reader.expectSign('(');
  const values: SqlNode[] = [];
  do {
    values.push(literalIn(reader.value()));
    if (values.length > INSERT_VALUES_MAX) throw sqlError('the row has too many values', open.position);
  } while (reader.acceptSign(','));
  reader.expectClosing(open.position);
  return values;
}

/** The literal inside casts. The types of the casts are ignored, because the columns check the values. */
function literalIn(node: SqlNode): SqlNode {
  return node.is === 'cast' && !node.lenient ? literalIn(node.of) : node;
}
