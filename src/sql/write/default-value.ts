/** DEFAULT as a value that is written. */
import type { ExpressionReader } from '../expression.js';
import type { SqlNode } from '../tree.js';

/** Words that end a value. */
const ENDS: ReadonlySet<string> = new Set(['FROM', 'WHERE', 'RETURNING']);

/** Parses DEFAULT, which is NULL for every column. */
export function defaultOf(reader: ExpressionReader): SqlNode | null {
  const { position } = reader.peek();
  const { kind, text, upper } = reader.peek(1);
  const ends = kind === 'end' || (kind === 'sign' ? text === ',' || text === ')' : ENDS.has(upper));
  if (!reader.isKeyword('DEFAULT') || !ends) return null;
  reader.next();
  return { is: 'null', position, parenthesized: false };
}
