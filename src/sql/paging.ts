/** Parses row limits: TOP n, LIMIT n OFFSET m, LIMIT m, n and OFFSET m ROWS FETCH NEXT n ROWS ONLY. */
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import { unexpected } from './tokens.js';
import type { SelectStatement } from './tree.js';

type Limit = SelectStatement['limit'];

export interface Paging {
  readonly limit: Limit;
  readonly offset: number;
}

const isRows = (reader: TokenReader): boolean => reader.isKeyword('ROW') || reader.isKeyword('ROWS');

/** Whether a row limit follows; elsewhere OFFSET and FETCH are names. */
export function pagingFollows(reader: TokenReader): boolean {
  if (reader.isKeyword('LIMIT')) return true;
  if (reader.isKeyword('OFFSET')) return reader.peek(1).kind === 'number';
  return reader.isKeyword('FETCH') && (reader.isKeyword('FIRST', 1) || reader.isKeyword('NEXT', 1));
}

/** Parses TOP n or TOP (n) after SELECT; null if the word is a name. */
export function readTop(reader: TokenReader): Limit {
  if (!reader.isKeyword('TOP')) return null;
  const enclosed = reader.isSign('(', 1);
  if (reader.peek(enclosed ? 2 : 1).kind !== 'number') return null;
  if (enclosed && !reader.isSign(')', 3)) return null;
  reader.next();
  if (enclosed) reader.next();
  const limit = readCount(reader);
  if (enclosed) reader.next();
  if (reader.isKeyword('PERCENT')) throw sqlError('TOP n PERCENT is not available', reader.peek().position);
  return limit;
}

/** Parses the part after ORDER BY to the end of the statement. */
export function readPaging(reader: TokenReader): Paging {
  let limit: Limit = null;
  let offset: number | null = null;
  while (reader.peek().kind !== 'end') {
    const token = reader.next();
    if (token.upper === 'LIMIT' && limit === null) {
      limit = readCount(reader);
      if (offset === null && reader.acceptSign(',')) {
        offset = limit.count;
        limit = readCount(reader);
      }
    } else if (token.upper === 'OFFSET' && offset === null) {
      offset = readCount(reader).count;
      if (isRows(reader)) reader.next();
    } else if (token.upper === 'FETCH' && limit === null) {
      limit = readFetch(reader);
    } else throw unexpected(token, 'the end of the statement');
  }
  return { limit, offset: offset ?? 0 };
}

/** Parses the rest of FETCH. */
function readFetch(reader: TokenReader): NonNullable<Limit> {
  const { position } = reader.next();
  const limit = isRows(reader) ? { count: 1, position } : readCount(reader);
  if (!isRows(reader)) throw unexpected(reader.peek(), 'ROWS');
  reader.next();
  reader.expectKeyword('ONLY');
  return limit;
}

function readCount(reader: TokenReader): NonNullable<Limit> {
  const { kind, text, position } = reader.peek();
  const count = Number(text);
  if (kind !== 'number' || !/^\d+$/.test(text) || !Number.isSafeInteger(count)) {
    throw unexpected(reader.peek(), `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  }
  reader.next();
  return { count, position };
}
