/**
 * Parses INSERT INTO name (columns) VALUES (literal, ...), ... or a SELECT. Only this statement may be megabytes long, so its values are
 * parsed directly from the text, in one pass and without tokens.
 * Invariants: time is linear in the text; memory is bounded by INSERT_NAMES_MAX, INSERT_VALUES_MAX and the row limit of an
 * insert; the number of values per row is not checked.
 */
import { ENTITIES_PER_INSERT_MAX } from '../base/index.js';
import { type Cursor, isDigit, isNameStart } from './cursor.js';
import { INSERT_NAMES_MAX, INSERT_VALUES_MAX } from './limits.js';
import { readQuery } from './query/read-query.js';
import { sqlError } from './sql-error.js';
import { isReserved } from './token-reader.js';
import { isSign, nextToken, statementTokens, type Token, unexpected } from './tokens.js';
import type { InsertQueryStatement, InsertStatement, SourcePosition, SqlNode, TableName } from './tree.js';

const QUOTE = 39;
const DOUBLE_QUOTE = 34;
const OPENING = 40;
const CLOSING = 41;
const PLUS = 43;
const COMMA = 44;
const DASH = 45;
const POINT = 46;
const SEMICOLON = 59;

const LITERALS = 'a literal: a number, a string, TRUE, FALSE or NULL';

/**
 * Parses the part after INSERT to the `;` or the end; `position` is that of INSERT. `budget.values` is the body's
 * remaining limit.
 */
export function readInsert(
  cursor: Cursor,
  position: SourcePosition,
  budget: { values: number; tokens: number },
): InsertStatement | InsertQueryStatement {
  expectKeyword(cursor, 'INTO');
  const table = tableOf(cursor);
  const columns = columnsOf(cursor);
  const next = nextToken(cursor);
  if (next.upper === 'SELECT' || next.upper === 'WITH' || isSign(next, '(')) {
    const query = readQuery(statementTokens(cursor, next, budget));
    return { is: 'insert-query', position, table, columns, query };
  }
  if (next.upper !== 'VALUES') throw unexpected(next, 'VALUES or a SELECT');
  const rows: SqlNode[][] = [];
  do {
    if (rows.length === ENTITIES_PER_INSERT_MAX) throw tooManyRows(cursor);
    rows.push(rowOf(cursor, budget));
  } while (passed(cursor, COMMA));
  cursor.skip();
  if (!cursor.ended && cursor.code !== SEMICOLON) {
    throw unexpected(nextToken(cursor), 'a comma or the end of the statement');
  }
  // The terminating ;, or the end.
  nextToken(cursor);
  return { is: 'insert', position, table, columns, rows };
}

function tooManyRows(cursor: Cursor): Error {
  const what = `an INSERT has more than ${ENTITIES_PER_INSERT_MAX} entities`;
  return sqlError(what, cursor.position(), { code: 2012 });
}

function expectKeyword(cursor: Cursor, keyword: string): void {
  const token = nextToken(cursor);
  if (token.upper !== keyword) throw unexpected(token, keyword);
}

function nameToken(cursor: Cursor, what: string): Token {
  const token = nextToken(cursor);
  const isName = token.kind === 'bracketed' || token.kind === 'double';
  if (!isName && (token.kind !== 'word' || isReserved(token))) throw unexpected(token, what);
  if (token.text === '') throw sqlError('a name has at least one character', token.position);
  return token;
}

function tableOf(cursor: Cursor): TableName {
  const { text, position } = nameToken(cursor, "a table's name");
  return { name: text, alias: null, position };
}

function columnsOf(cursor: Cursor): InsertStatement['columns'] {
  const open = nextToken(cursor);
  if (!isSign(open, '(')) throw unexpected(open, 'the list of columns in parentheses');
  const columns: { name: string; position: SourcePosition }[] = [];
  for (;;) {
    const { text: name, position } = nameToken(cursor, "a column's name");
    if (columns.length === INSERT_NAMES_MAX) {
      throw sqlError(`an INSERT names at most ${INSERT_NAMES_MAX} columns`, position);
    }
    columns.push({ name, position });
    const token = nextToken(cursor);
    if (isSign(token, ')')) return columns;
    if (!isSign(token, ',')) throw unexpected(token, 'a comma or )');
  }
}

/** Consumes the unit if it is next. */
function passed(cursor: Cursor, code: number): boolean {
  cursor.skip();
  const found = cursor.code === code;
  if (found) cursor.at++;
  return found;
}

function rowOf(cursor: Cursor, budget: { values: number }): SqlNode[] {
  if (!passed(cursor, OPENING)) throw unexpected(nextToken(cursor), 'a row of values in parentheses');
  const row: SqlNode[] = [];
  do {
    cursor.skip();
    if (--budget.values < 0) {
      throw sqlError(`the body's INSERTs have more than ${INSERT_VALUES_MAX} values`, cursor.position());
    }
    row.push(literal(cursor));
  } while (passed(cursor, COMMA));
  if (!passed(cursor, CLOSING)) throw unexpected(nextToken(cursor), 'a comma or )');
  return row;
}

function literal(cursor: Cursor): SqlNode {
  const { code } = cursor;
  const position = cursor.position();
  if (code === QUOTE) {
    return {
      is: 'string',
      text: cursor.quoted(QUOTE, 'string'),
      quotes: 'single',
      position,
      parenthesized: false,
    };
  }
  if (isDigit(code)) return { is: 'number', text: cursor.number(), position, parenthesized: false };
  if (code === DASH || code === PLUS) return signedNumber(cursor, position);
  if (code === DOUBLE_QUOTE) {
    const text = cursor.quoted(DOUBLE_QUOTE, 'string');
    return { is: 'string', text, quotes: 'double', position, parenthesized: false };
  }
  if (isNameStart(code)) return keywordLiteral(cursor);
  if (code === POINT && isDigit(cursor.text.charCodeAt(cursor.at + 1))) {
    return { is: 'number', text: cursor.number(), position, parenthesized: false };
  }
  throw unexpected(nextToken(cursor), LITERALS);
}

function signedNumber(cursor: Cursor, position: SourcePosition): SqlNode {
  const sign = cursor.code === DASH ? '-' : '';
  cursor.at++;
  const token = nextToken(cursor);
  if (token.kind !== 'number') throw unexpected(token, 'a number');
  return { is: 'number', text: sign + token.text, position, parenthesized: false };
}

function keywordLiteral(cursor: Cursor): SqlNode {
  const token = nextToken(cursor);
  const { kind, upper, text, position } = token;
  if (kind === 'single') return { is: 'string', text, quotes: 'single', position, parenthesized: false };
  if (upper === 'NULL') return { is: 'null', position, parenthesized: false };
  if (upper === 'TRUE' || upper === 'FALSE') {
    return { is: 'boolean', value: upper === 'TRUE', position, parenthesized: false };
  }
  throw unexpected(token, LITERALS);
}
