/** Parses RETURNING of INSERT, UPDATE and DELETE. */
import { readItems } from '../query/block.js';
import type { QueryReader } from '../query/query-reader.js';
import { unexpected } from '../tokens.js';
import type { SelectItem } from '../tree.js';

/** Parses RETURNING, if it follows, up to the end of the statement. `otherwise`: what else could follow. */
export function readReturning(reader: QueryReader, otherwise: string): readonly SelectItem[] | null {
  const returning = reader.acceptKeyword('RETURNING') ? readItems(reader) : null;
  if (reader.peek().kind === 'end') return returning;
  throw unexpected(
    reader.peek(),
    `${returning === null ? otherwise : 'a comma'} or the end of the statement`,
  );
}
