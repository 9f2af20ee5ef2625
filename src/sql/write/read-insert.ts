/**
 * Parses INSERT INTO name (columns) VALUES (literal, ...), ... or a SELECT. Only this statement may be megabytes long, so its values are
 * parsed directly from the text, in one pass and without tokens.
 * Invariants: time is linear in the text; memory is bounded by INSERT_NAMES_MAX, INSERT_VALUES_MAX and the row limit of an
 * insert; the number of values per row is not checked.
 */
import { ENTITIES_PER_INSERT_MAX } from '../../base/index.js';
import { type Cursor, isDigit, isNameStart } from '../cursor.js';
import { INSERT_VALUES_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import { isSign, nextToken, statementTokens, unexpected } from '../tokens.js';
import type { InsertQueryStatement, InsertStatement, SourcePosition, SqlNode } from '../tree.js';
import { beginsRows, readInsertHead } from './insert-head.js';
import { readInsertedQuery, readInsertTail } from './read-insert-tokens.js';
import { writeReader } from './read-writes.js';

const QUOTE = 39;
const DOUBLE_QUOTE = 34;
const OPENING = 40;
const CLOSING = 41;
const PLUS = 43;
const COMMA = 44;
const DASH = 45;
const POINT = 46;

const AFTER_ROWS = 'a comma, ON CONFLICT, RETURNING or the end of the statement';
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
  const { table, columns, next } = readInsertHead(() => nextToken(cursor));
  const head = { position, table, tables: [], columns };
  if (beginsRows(next)) {
    const reader = writeReader(statementTokens(cursor, next, budget));
    return { is: 'insert-query', ...head, ...readInsertedQuery(reader) };
  }
  if (next.upper !== 'VALUES') throw unexpected(next, 'VALUES or a SELECT');
  const rows: SqlNode[][] = [];
  do {
    if (rows.length === ENTITIES_PER_INSERT_MAX) throw tooManyRows(cursor);
    rows.push(rowOf(cursor, budget));
  } while (passed(cursor, COMMA));
  const statement = { is: 'insert', ...head, rows } as const;
  const end = nextToken(cursor);
  if (end.kind === 'end' || isSign(end, ';')) return { ...statement, conflict: null, returning: null };
  if (end.upper !== 'RETURNING' && end.upper !== 'ON') throw unexpected(end, AFTER_ROWS);
  const reader = writeReader(statementTokens(cursor, end, budget));
  return { ...statement, ...readInsertTail(reader, 'a comma') };
}

function tooManyRows(cursor: Cursor): Error {
  const what = `an INSERT has more than ${ENTITIES_PER_INSERT_MAX} entities`;
  return sqlError(what, cursor.position(), { code: 2012 });
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
