/** Parses ORDER BY. */
import type { TokenReader } from '../token-reader.js';
import { unexpected } from '../tokens.js';
import type { OrderKey, SqlNode } from '../tree.js';

/** Parses a list of at least one part, separated by commas. */
export function commaList<T>(reader: TokenReader, read: () => T): T[] {
  const list = [read()];
  while (reader.acceptSign(',')) list.push(read());
  return list;
}

/** Parses ORDER BY and its keys. */
export function readOrderBy(reader: TokenReader): readonly OrderKey[] {
  reader.expectKeyword('ORDER');
  reader.expectKeyword('BY');
  return commaList(reader, () => orderKey(reader, reader.expression()));
}

function orderKey(reader: TokenReader, of: SqlNode): OrderKey {
  const descending = reader.acceptKeyword('DESC');
  if (!descending) reader.acceptKeyword('ASC');
  return { of, descending, missing: missingOf(reader) };
}

function missingOf(reader: TokenReader): OrderKey['missing'] {
  if (!reader.isKeyword('NULLS')) return null;
  if (reader.acceptKeywords('NULLS', 'FIRST')) return 'first';
  if (reader.acceptKeywords('NULLS', 'LAST')) return 'last';
  throw unexpected(reader.peek(1), 'FIRST or LAST');
}
