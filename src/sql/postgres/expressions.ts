/** Applies the defaults of the Postgres dialect to the expressions of a SELECT. */
import { nodesOf } from '../bind/nodes.js';
import { sqlError } from '../sql-error.js';
import type { SelectStatement, SqlNode } from '../tree.js';

const BACKSLASH = '\\';
/** Matches an odd number of backslashes at the end. */
const ESCAPES_NOTHING = /(?<!\\)(\\\\)*\\$/;

export function expressionsOf(select: SelectStatement): readonly SqlNode[] {
  const { items, joins, where, groupBy, having, orderBy } = select;
  const maybe = [where, having].filter((node) => node !== null);
  return [...items.map(({ of }) => of), ...joins.map(({ on }) => on), ...maybe, ...groupBy].concat(
    orderBy.map(({ of }) => of),
  );
}

/**
 * Sets the backslash as escape character of LIKE without ESCAPE. Modifies `select`, which must not be shared yet. Throws
 * 6000.
 */
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
