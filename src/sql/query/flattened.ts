/** The flat form of a query, which is bound and executed without a tree of relations. */
import { aggregateForm } from '../bind/functions/aggregate-functions.js';
import { nodesOf } from '../bind/nodes.js';
import { IN_SEGMENT } from '../in-segment.js';
import type {
  FromItem,
  JoinClause,
  Query,
  SelectBlock,
  SelectStatement,
  SqlNode,
  TableName,
} from '../tree.js';
import { scopesOf } from './query-nodes.js';

/** Nodes that a SelectStatement does not contain. */
const NOT_FLAT: ReadonlySet<SqlNode['is']> = new Set([
  ...(['filtered', 'ordered', 'over', 'subquery', 'exists', 'in-query'] as const),
]);

/** The flat statement with the same meaning, without EXPLAIN; null if there is none. */
export function flattened(query: Query): SelectStatement | null {
  const { position, tables, body, orderBy, limit, withTies, offset } = query;
  if (tables.length > 0 || withTies || body.is !== 'block') return null;
  const from = flatTables(body);
  const groupBy = flatKeys(body);
  // A flat SELECT tests only the entities of its first table by conditions.
  if (from !== null && from.joins.length > 0 && hasSegments(query)) return null;
  const isPlain = body.distinctOn === null && body.windows.length === 0 && body.qualify === null;
  if (from === null || groupBy === null || !isPlain || !hasFlatNodes(query)) return null;
  return {
    is: 'select',
    position,
    explain: 'no',
    distinct: body.distinct,
    items: body.items,
    ...from,
    where: body.where,
    groupBy,
    having: body.having,
    orderBy: orderBy.map((key) => (key.missing === 'last' ? { ...key, missing: null } : key)),
    limit,
    offset,
  };
}

function flatTables({ from }: SelectBlock): Pick<SelectStatement, 'from' | 'joins'> | null {
  if (from.length > 1) return null;
  const joins: JoinClause[] = [];
  let item: FromItem | undefined = from[0];
  while (item?.is === 'join') {
    const { kind, on, right, natural } = item;
    const table = tableOf(right);
    if (table === null || on === null || natural || (kind !== 'inner' && kind !== 'left')) return null;
    joins.unshift({ table, kind, on });
    item = item.left;
  }
  if (item === undefined) return { from: null, joins };
  const first = tableOf(item);
  return first === null ? null : { from: first, joins };
}

function tableOf(item: FromItem): TableName | null {
  if (item.is !== 'table' || item.columnNames !== null) return null;
  const { name, alias, position, database } = item;
  return database === undefined ? { name, alias, position } : { name, alias, position, database };
}

function flatKeys({ groupBy }: SelectBlock): readonly SqlNode[] | null {
  const keys: SqlNode[] = [];
  for (const element of groupBy) {
    if (element.is !== 'key') return null;
    keys.push(element.of);
  }
  return keys;
}

/** Whether no node needs a tree of relations: subqueries, window functions, aggregates of several values per row. */
export function hasFlatNodes(query: Query): boolean {
  for (const { roots } of scopesOf(query)) {
    for (const root of roots) for (const node of nodesOf(root)) if (!isFlatNode(node)) return false;
  }
  return true;
}

const isFlatNode = (node: SqlNode): boolean =>
  !NOT_FLAT.has(node.is) && (node.is !== 'call' || (aggregateForm(node.name)?.special ?? null) === null);

function hasSegments(query: Query): boolean {
  for (const { roots } of scopesOf(query)) {
    for (const root of roots)
      for (const node of nodesOf(root)) if (node.is === 'call' && node.name === IN_SEGMENT) return true;
  }
  return false;
}
