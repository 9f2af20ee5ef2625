/** Parses UPDATE and DELETE statements. */
import { ExpressionReader } from './expression.js';
import { isReserved } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type { DeleteStatement, SqlNode, TableName, UpdateStatement } from './tree.js';

/** `tokens` begin with UPDATE. */
export function readUpdate(tokens: readonly Token[]): UpdateStatement {
  const reader = new ExpressionReader(tokens);
  const { position } = reader.next();
  const table = tableOf(reader, 'SET');
  reader.expectKeyword('SET');
  const set: UpdateStatement['set'][number][] = [];
  do {
    const column = reader.expectName("a column's name");
    reader.expectSign('=');
    set.push({ column: column.text, position: column.position, value: reader.value() });
  } while (reader.acceptSign(','));
  return {
    is: 'update',
    position,
    table,
    set,
    where: whereOf(reader, 'a comma, WHERE or the end of the statement'),
  };
}

/** `tokens` begin with DELETE. */
export function readDelete(tokens: readonly Token[]): DeleteStatement {
  const reader = new ExpressionReader(tokens);
  const { position } = reader.next();
  reader.expectKeyword('FROM');
  const table = tableOf(reader, 'WHERE');
  return { is: 'delete', position, table, where: whereOf(reader, 'WHERE or the end of the statement') };
}

/** Parses a table with an optional alias, after which the given word may follow. */
function tableOf(reader: ExpressionReader, followedBy: string): TableName {
  const { text: name, position } = reader.expectName("a table's name");
  const named = reader.acceptKeyword('AS');
  const token = reader.peek();
  const { kind } = token;
  const bare = kind === 'word' && !isReserved(token) && token.upper !== followedBy;
  const follows = named || bare || kind === 'bracketed' || kind === 'double';
  return { name, alias: follows ? reader.expectAlias(named) : null, position };
}

function whereOf(reader: ExpressionReader, otherwise: string): SqlNode | null {
  const where = reader.acceptKeyword('WHERE') ? reader.expression() : null;
  if (reader.peek().kind !== 'end') {
    throw unexpected(reader.peek(), where === null ? otherwise : 'an operator or the end of the statement');
  }
  return where;
}
