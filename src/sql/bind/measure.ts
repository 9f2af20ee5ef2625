/**
 * Limits on expressions: nesting depth, so that recursive functions do not overflow the stack, and number of nodes, because
 * BETWEEN and CASE x WHEN repeat an operand and nested repetition grows exponentially.
 */
import { sqlError } from '../sql-error.js';
import type { SourcePosition, SqlNode } from '../tree.js';
import { operandsOf } from './nodes.js';

export const EXPRESSION_DEPTH_MAX = 1_000;
export const EXPRESSION_NODES_MAX = 200_000;

interface Visit {
  readonly node: SqlNode;
  readonly depth: number;
  /** How often the node occurs in the bound expression. */
  readonly times: number;
}

/** Throws 6000 for an expression that exceeds the limits. A list of ANDs or ORs counts as one level. */
export function refuseUnbounded(root: SqlNode): void {
  const visits: Visit[] = [{ node: root, depth: 1, times: 1 }];
  let nodes = 0;
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const { node, depth, times } = visit;
    nodes += times;
    if (depth > EXPRESSION_DEPTH_MAX) throw tooDeep(node.position);
    if (nodes > EXPRESSION_NODES_MAX) throw tooLarge(node.position);
    const add = (child: SqlNode, repeated = 1): void => {
      const sameList = (node.is === 'and' || node.is === 'or') && child.is === node.is;
      visits.push({ node: child, depth: sameList ? depth : depth + 1, times: times * repeated });
    };
    addChildren(node, add);
  }
}

const tooDeep = (position: SourcePosition): Error =>
  sqlError(`the expression nests deeper than ${EXPRESSION_DEPTH_MAX} levels`, position);

const tooLarge = (position: SourcePosition): Error =>
  sqlError(`the expression has more than ${EXPRESSION_NODES_MAX} parts`, position);

/** Functions that use an argument twice: NULLIF of texts in the comparison and as the result, the others in parts of a date. */
const REPEATING: ReadonlySet<string> = new Set([
  ...['nullif', 'eomonth', 'last_day', 'yearweek', 'time_bucket', 'date_bin'],
]);

const isLiteral = ({ is }: SqlNode): boolean =>
  is === 'number' || is === 'string' || is === 'boolean' || is === 'null';

function addChildren(node: SqlNode, add: (child: SqlNode, repeated?: number) => void): void {
  switch (node.is) {
    case 'negative':
    case 'not':
    case 'is-null':
    case 'cast':
      add(node.of);
      break;
    case 'and':
    case 'or':
    case 'compare':
    case 'arithmetic':
      add(node.left);
      add(node.right);
      break;
    case 'between':
      add(node.of, 2);
      add(node.low);
      add(node.high);
      break;
    case 'in':
      addList(node.of, node.values, add);
      break;
    case 'like':
      add(node.of);
      add(node.pattern);
      break;
    case 'case':
      if (node.of !== null) add(node.of, Math.max(1, node.branches.length));
      if (node.otherwise !== null) add(node.otherwise);
      for (const { when, then } of node.branches) {
        add(when);
        add(then);
      }
      break;
    case 'call':
      for (const argument of node.args) add(argument, REPEATING.has(node.name) ? 2 : 1);
      break;
    case 'filtered':
    case 'ordered':
    case 'over':
    case 'in-query':
      for (const operand of operandsOf(node)) add(operand);
      break;
    default:
      break;
  }
}

/** Literals form one set; the operand is repeated for each of the other members. */
function addList(
  of: SqlNode,
  values: readonly SqlNode[],
  add: (child: SqlNode, repeated?: number) => void,
): void {
  const others = values.filter((value) => !isLiteral(value));
  add(of, 1 + others.length);
  for (const other of others) add(other);
}
