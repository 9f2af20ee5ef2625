/**
 * Comparisons of row values, written out over their values. An operand that this repeats must be a column or a literal, so that
 * the tree grows no faster than the text.
 */
import { sqlError } from '../sql-error.js';
import type { ComparisonOperator, SourcePosition, SqlNode } from '../tree.js';

/** Upper bound of the height that a list of rows adds: the logarithm of their number, and NOT. */
export const ROW_LIST_HEIGHT = 20;

const LEAVES: ReadonlySet<SqlNode['is']> = new Set(['column', 'number', 'string', 'boolean', 'null']);
const REPEATED = 'in this comparison of lists each value is a column or a literal';

/** Joins conditions to a tree whose height is the logarithm of their number. */
function both(op: 'and' | 'or', nodes: readonly SqlNode[], position: SourcePosition): SqlNode {
  if (nodes.length === 1) return nodes[0];
  const half = nodes.length >> 1;
  const [left, right] = [nodes.slice(0, half), nodes.slice(half)].map((part) => both(op, part, position));
  return { is: op, left, right, position, parenthesized: false };
}

function refuseExpressions(row: readonly SqlNode[]): void {
  const found = row.find(({ is }) => !LEAVES.has(is));
  if (found !== undefined) throw sqlError(REPEATED, found.position);
}

/** (a, b) = (c, d), and so on; the lists are of one length. < and > compare the first values that differ. */
export function comparedRows(
  left: readonly SqlNode[],
  comparison: ComparisonOperator,
  right: readonly SqlNode[],
  position: SourcePosition,
): SqlNode {
  const compared = (at: number, sign: ComparisonOperator): SqlNode => {
    const operands = { left: left[at], right: right[at] };
    return { is: 'compare', comparison: sign, ...operands, position, parenthesized: false };
  };
  if (comparison === '=' || comparison === '<>') {
    const pairs = left.map((_value, at) => compared(at, comparison));
    return both(comparison === '=' ? 'and' : 'or', pairs, position);
  }
  refuseExpressions([...left, ...right]);
  const strict = comparison === '<' || comparison === '<=' ? '<' : '>';
  let node = compared(left.length - 1, comparison);
  for (let at = left.length - 2; at >= 0; at--) {
    const later = both('and', [compared(at, '='), node], position);
    node = both('or', [compared(at, strict), later], position);
  }
  return node;
}

/** (a, b) [NOT] IN ((1, 2), (3, 4)). */
export function rowIn(
  of: readonly SqlNode[],
  rows: readonly (readonly SqlNode[])[],
  negated: boolean,
  position: SourcePosition,
): SqlNode {
  if (rows.length > 1) refuseExpressions(of);
  const equal = rows.map((row) => comparedRows(of, '=', row, position));
  const node = both('or', equal, position);
  return negated ? { is: 'not', of: node, position, parenthesized: false } : node;
}
