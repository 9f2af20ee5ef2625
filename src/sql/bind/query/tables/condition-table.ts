/** Finds conditions that read a single dimension, which its scan can evaluate like the WHERE of a plain SELECT. */
import type { SqlNode } from '../../../tree.js';
import { nodesOf } from '../../nodes.js';
import type { Namespace } from '../namespace.js';
import type { QueryScope } from '../query-scope.js';
import { BaseTable } from './base-table.js';

const QUERIES: ReadonlySet<SqlNode['is']> = new Set([
  'subquery',
  'exists',
  'in-query',
  'over',
  'filtered',
  'ordered',
]);

/** The only table that the condition reads, if conditions may be added to it; otherwise null. */
export function conditionTable(
  condition: SqlNode,
  namespace: Namespace,
  outer: QueryScope | null,
): BaseTable | null {
  const marks = namespace.tables.map((table) => (table instanceof BaseTable ? table.mark() : null));
  const table = onlyTable(condition, namespace, outer);
  // Looking a column up reads it, and an event column that is read makes the rows events.
  if (table !== null) for (const mark of marks) mark?.();
  return table;
}

function onlyTable(condition: SqlNode, namespace: Namespace, outer: QueryScope | null): BaseTable | null {
  let only: BaseTable | null = null;
  for (const node of nodesOf(condition)) {
    if (QUERIES.has(node.is)) return null;
    const isText = node.is === 'string' && node.quotes === 'double';
    if (node.is !== 'column' && !isText) continue;
    const found = namespace.find(node);
    if (found === null) {
      if (isText && (outer?.string(node) ?? null) === null) continue;
      return null;
    }
    const { table } = found;
    if (!(table instanceof BaseTable) || !table.takesConditions || (only !== null && only !== table))
      return null;
    only = table;
  }
  return only;
}
