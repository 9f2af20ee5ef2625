/** The expressions of a flat SELECT. */
import type { SelectStatement, SqlNode } from '../tree.js';

export function expressionsOf(select: SelectStatement): readonly SqlNode[] {
  const { items, joins, where, groupBy, having, orderBy } = select;
  const maybe = [where, having].filter((node) => node !== null);
  return [...items.map(({ of }) => of), ...joins.map(({ on }) => on), ...maybe, ...groupBy].concat(
    orderBy.map(({ of }) => of),
  );
}
