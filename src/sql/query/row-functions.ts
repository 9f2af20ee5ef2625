/** Functions that return the items of a list as rows, by their names in lower case, and the functions that return this list. */
import { lowerCase } from '../../schema/index.js';
import type { CallNode, SourcePosition, SqlNode } from '../tree.js';

/** null = the argument is the list. */
const LISTS: ReadonlyMap<string, string | null> = new Map([
  ['unnest', null],
  ['regexp_matches', 'regexp matches'],
  ['regexp_split_to_table', 'regexp_split_to_array'],
  ['string_to_table', 'string_to_array'],
]);

export const ROW_FUNCTION_NAMES: readonly string[] = [...LISTS.keys()];

export const returnsItems = (name: string): boolean => LISTS.has(lowerCase(name));

/** The lists whose items are the rows: one, except for UNNEST. */
export function listsOf(
  name: string,
  args: readonly SqlNode[],
  position: SourcePosition,
): readonly SqlNode[] {
  const of = LISTS.get(lowerCase(name)) ?? null;
  if (of === null) return args;
  return [{ is: 'call', name: of, args, distinct: false, position, parenthesized: false }];
}

/** The function that returns an item. The rows of REGEXP_MATCHES are lists, which `list_extract` refuses on the Postgres port. */
export const extractionOf = (name: string): string =>
  lowerCase(name) === 'regexp_matches' ? 'list item' : 'list_extract';

/** Functions whose arguments PostgreSQL does not evaluate for every row. */
const CHOICES: ReadonlySet<string> = new Set(['coalesce', 'nullif', 'if', 'iif', 'ifnull', 'nvl', 'nvl2']);

/** The nodes inside of which a function may return rows. */
function operandsOf(node: SqlNode): readonly SqlNode[] {
  if (node.is === 'call') return CHOICES.has(node.name) ? [] : node.args;
  if (node.is === 'cast' || node.is === 'negative') return [node.of];
  return node.is === 'arithmetic' || node.is === 'compare' ? [node.left, node.right] : [];
}

/** The first call of a select list's item that returns rows; null = none. */
export function rowCallIn(node: SqlNode): CallNode | null {
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.is === 'call' && (returnsItems(next.name) || next.name === 'generate_series')) return next;
    left.push(...operandsOf(next));
  }
  return null;
}

/** The tree with `by` in the place of `call`, which is one that rowCallIn finds. */
export function withReplaced(node: SqlNode, call: CallNode, by: SqlNode): SqlNode {
  if (node === call) return by;
  const inside = (of: SqlNode): SqlNode => withReplaced(of, call, by);
  switch (node.is) {
    case 'call':
      return { ...node, args: node.args.map(inside) };
    case 'cast':
    case 'negative':
      return { ...node, of: inside(node.of) };
    case 'arithmetic':
    case 'compare':
      return { ...node, left: inside(node.left), right: inside(node.right) };
    default:
      return node;
  }
}
