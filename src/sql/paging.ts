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

export interface QueryPaging extends Paging {
  /** FETCH FIRST n ROWS WITH TIES. */
  readonly withTies: boolean;
}

const isRows = (reader: TokenReader): boolean => reader.isKeyword('ROW') || reader.isKeyword('ROWS');

/** Whether a row limit follows; elsewhere OFFSET and FETCH are names. */
export function pagingFollows(reader: TokenReader): boolean {
  if (reader.isKeyword('LIMIT')) return true;
  if (reader.isKeyword('OFFSET')) {
    return reader.peek(1).kind === 'number' || (reader.isSign('-', 1) && reader.peek(2).kind === 'number');
  }
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

/** Parses the part after ORDER BY, up to a token that does not belong to it. */
export function readPaging(reader: TokenReader): QueryPaging {
  let limit: Limit = null;
  let isLimited = false;
  let withTies = false;
  let offset: number | null = null;
  for (;;) {
    if (!isLimited && reader.acceptKeyword('LIMIT')) {
      isLimited = true;
      if (reader.acceptKeyword('ALL') || reader.acceptKeyword('NULL')) continue;
      limit = readCount(reader);
      if (offset === null && reader.acceptSign(',')) {
        offset = limit.count;
        limit = readCount(reader);
      }
    } else if (offset === null && reader.acceptKeyword('OFFSET')) {
      offset = readCount(reader).count;
      if (isRows(reader)) reader.next();
    } else if (!isLimited && reader.acceptKeyword('FETCH')) {
      isLimited = true;
      limit = readFetch(reader);
      withTies = reader.acceptKeywords('WITH', 'TIES');
      if (!withTies) reader.expectKeyword('ONLY');
    } else return { limit, withTies, offset: offset ?? 0 };
  }
}

/** Parses the rest of FETCH, without ONLY. */
function readFetch(reader: TokenReader): NonNullable<Limit> {
  const { position } = reader.next();
  const limit = isRows(reader) ? { count: 1, position } : readCount(reader);
  if (!isRows(reader)) throw unexpected(reader.peek(), 'ROWS');
  reader.next();
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
