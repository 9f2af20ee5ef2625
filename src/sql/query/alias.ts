/** Parses aliases. Most keywords of queries are names where no clause can begin. */
import { pagingFollows } from '../paging.js';
import { isReserved, type TokenReader } from '../token-reader.js';
import { windowName } from './windows.js';

/** Parses [AS] name. `isName`: whether the next word can be an alias without AS. */
export function readAlias(reader: TokenReader, isName: (reader: TokenReader) => boolean): string | null {
  if (reader.acceptKeyword('AS')) return reader.expectAlias(true);
  const token = reader.peek();
  if (token.kind === 'double' || token.kind === 'bracketed') return reader.expectAlias(false);
  return token.kind === 'word' && !isReserved(token) && isName(reader) ? reader.next().text : null;
}

const SET_OPERATORS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'QUALIFY']);

/** Whether the next word does not begin a clause. */
export function isItemAlias(reader: TokenReader): boolean {
  if (reader.isWrite && reader.isKeyword('RETURNING')) return false;
  return !SET_OPERATORS.has(reader.peek().upper) && !pagingFollows(reader) && !isWindowAhead(reader);
}

/** Whether a WINDOW clause follows. */
export function isWindowAhead(reader: TokenReader): boolean {
  return reader.isKeyword('WINDOW') && windowName(reader.peek(1)) !== null && reader.isKeyword('AS', 2);
}
