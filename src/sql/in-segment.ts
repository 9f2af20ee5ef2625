/** `[NOT] IN SEGMENT 'name'` as a call, which only WHERE and ON can bind. */
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import type { SourcePosition, SqlNode } from './tree.js';

/** No text can name this function. */
export const IN_SEGMENT = 'in segment';

/** Parses SEGMENT 'name' after IN; null if something else follows. Throws 6000. */
export function inSegment(
  reader: TokenReader,
  of: SqlNode,
  negated: boolean,
  position: SourcePosition,
): SqlNode | null {
  if (!reader.acceptKeyword('SEGMENT')) return null;
  const token = reader.next();
  if (token.kind !== 'single') {
    throw sqlError("IN SEGMENT takes the name of a segment, as in IN SEGMENT 'vips'", token.position);
  }
  const at = { position, parenthesized: false } as const;
  const name: SqlNode = { is: 'string', text: token.text, quotes: 'single', ...at };
  const call: SqlNode = { is: 'call', name: IN_SEGMENT, args: [of, name], distinct: false, ...at };
  return negated ? { is: 'not', of: call, ...at } : call;
}
