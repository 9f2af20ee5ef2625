/** The expressions of a SELECT, and what those of the dialect of Postgres mean by default. */
import { nodesOf } from '../bind/nodes.js';
import { sqlError } from '../sql-error.js';
import type { SelectStatement, SqlNode } from '../tree.js';

const BACKSLASH = '\\';
/** Backslashes at its end, an odd number of them. */
const ESCAPES_NOTHING = /(?<!\\)(\\\\)*\\$/;

export function expressionsOf(select: SelectStatement): readonly SqlNode[] {
  const { items, joins, where, groupBy, having, orderBy } = select;
  const maybe = [where, having].filter((node) => node !== null);
  return [...items.map(({ of }) => of), ...joins.map(({ on }) => on), ...maybe, ...groupBy].concat(
    orderBy.map(({ of }) => of),
  );
}

/** LIKE without ESCAPE takes the backslash. `select` has just been read: it is nobody else's. Throws 6000. */
export function escapePatterns(select: SelectStatement): void {
  for (const root of expressionsOf(select)) {
    for (const node of nodesOf(root)) {
      if (node.is !== 'like' || node.escape !== null) continue;
      const { pattern } = node;
      if (pattern.is === 'string' && ESCAPES_NOTHING.test(pattern.text)) {
        throw sqlError('the pattern ends with its ESCAPE character', pattern.position);
      }
      Object.assign(node, { escape: BACKSLASH });
    }
  }
}
