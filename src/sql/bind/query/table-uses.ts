/** Counts how often a query names each table, in all of its parts. */
import { lowerCase } from '../../../schema/index.js';
import { queryIn, scopesOf } from '../../query/query-nodes.js';
import type { FromItem, Query } from '../../tree.js';
import { nodesOf } from '../nodes.js';

/** The number of uses by name, in lower case. */
export function tableUses(query: Query): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const queries = [query];
  for (let next = queries.pop(); next !== undefined; next = queries.pop()) {
    for (const { block, roots } of scopesOf(next)) {
      for (const name of (block?.from ?? []).flatMap(tableNames)) {
        uses.set(lowerCase(name), (uses.get(lowerCase(name)) ?? 0) + 1);
      }
      for (const root of roots) {
        for (const node of nodesOf(root)) queries.push(...[queryIn(node)].filter((inner) => inner !== null));
      }
    }
  }
  return uses;
}

function tableNames(item: FromItem): readonly string[] {
  if (item.is === 'join') return [...tableNames(item.left), ...tableNames(item.right)];
  return item.is === 'table' && item.database === undefined ? [item.name] : [];
}
