/** Applies the defaults of the Postgres dialect to the expressions of a SELECT. */
import { nodesOf } from '../bind/nodes.js';
import { queryIn, scopesOf } from '../query/query-nodes.js';
import { sqlError } from '../sql-error.js';
import type { Query, ReadStatement, SelectStatement, SqlNode } from '../tree.js';

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
 * Sets the backslash as escape character of LIKE without ESCAPE. Modifies `statement`, which must not be shared yet. Throws
 * 6000.
 */
export function escapePatterns(statement: ReadStatement): void {
  if (statement.is === 'select') escapeIn(expressionsOf(statement));
  else escapeInQuery(statement.query);
}

function escapeInQuery(query: Query): void {
  for (const { roots } of scopesOf(query)) escapeIn(roots);
}

function escapeIn(roots: readonly SqlNode[]): void {
  for (const root of roots) {
    for (const node of nodesOf(root)) {
      const query = queryIn(node);
      if (query !== null) escapeInQuery(query);
      if (node.is !== 'like' || node.escape !== null) continue;
      const { pattern } = node;
      if (pattern.is === 'string' && ESCAPES_NOTHING.test(pattern.text)) {
        throw sqlError('the pattern ends with its ESCAPE character', pattern.position);
      }
      Object.assign(node, { escape: BACKSLASH });
    }
  }
}
