/** Traversal of parsed SQL trees of any depth. */
import { windowNodes } from '../query/query-nodes.js';
import type { SqlNode } from '../tree.js';
import { kindAt, type SqlFunction } from './functions/function.js';
import { SQL_FUNCTIONS } from './functions/functions.js';

const FUNCTIONS: ReadonlyMap<string, SqlFunction> = new Map(
  SQL_FUNCTIONS.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

/** The child nodes, except date units, which look like columns, and the nodes of subqueries. */
export function operandsOf(node: SqlNode): readonly SqlNode[] {
  switch (node.is) {
    case 'negative':
    case 'not':
    case 'is-null':
    case 'cast':
      return [node.of];
    case 'and':
    case 'or':
    case 'compare':
    case 'arithmetic':
      return [node.left, node.right];
    case 'between':
      return [node.of, node.low, node.high];
    case 'in':
      return [node.of, ...node.values];
    case 'like':
      return [node.of, node.pattern];
    case 'case': {
      const branches = node.branches.flatMap(({ when, then }) => [when, then]);
      return [node.of, ...branches, node.otherwise].filter((operand) => operand !== null);
    }
    case 'call': {
      const entry = FUNCTIONS.get(node.name);
      return entry === undefined ? node.args : node.args.filter((_of, at) => kindAt(entry, at) !== 'unit');
    }
    case 'filtered':
      return [node.call, node.where, ...(node.orderBy ?? []).map(({ of }) => of)];
    case 'ordered':
      return [node.call, ...node.orderBy.map(({ of }) => of)];
    // The call is not a separate aggregate.
    case 'over':
      return [...node.call.args, ...(node.where === null ? [] : [node.where]), ...windowNodes(node.window)];
    case 'in-query':
      return node.of;
    default:
      return [];
  }
}

/**
 * All nodes of the tree, root first, otherwise in no particular order; skips the children of nodes for which `enter` is
 * false.
 */
export function* nodesOf(root: SqlNode, enter: (node: SqlNode) => boolean = () => true): Generator<SqlNode> {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    yield node;
    if (!enter(node)) continue;
    const operands = operandsOf(node);
    for (let index = operands.length - 1; index >= 0; index--) left.push(operands[index]);
  }
}

/**
 * The members of `a AND b AND c` (or OR) in order. A parenthesized part is one member; parentheses around the root are
 * ignored.
 */
export const membersOf = (root: SqlNode, op: 'and' | 'or'): readonly SqlNode[] =>
  collected(root, op, (node) => node !== root && node.parenthesized);

/** Like `membersOf`, but flattens parenthesized lists of the same operator. */
export const allMembersOf = (root: SqlNode, op: 'and' | 'or'): readonly SqlNode[] =>
  collected(root, op, () => false);

function collected(root: SqlNode, op: 'and' | 'or', isOne: (node: SqlNode) => boolean): readonly SqlNode[] {
  const members: SqlNode[] = [];
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.is !== op || isOne(node)) members.push(node);
    else left.push(node.right, node.left);
  }
  return members;
}

/** The nodes joined by AND; null if there are none. */
export function conjunctionOf(nodes: readonly SqlNode[]): SqlNode | null {
  const [first, ...rest] = nodes;
  if (first === undefined) return null;
  return rest.reduce<SqlNode>(
    (left, right) => ({ is: 'and', left, right, position: left.position, parenthesized: false }),
    first,
  );
}

/** The tree without enclosing parentheses. */
export function bare(node: SqlNode): SqlNode {
  return node.parenthesized ? { ...node, parenthesized: false } : node;
}
