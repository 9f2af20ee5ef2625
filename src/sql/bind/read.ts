/** Statements that read rows, as the binder takes them. */
import { flattened } from '../query/flattened.js';
import { sqlError } from '../sql-error.js';
import type { ReadStatement, SelectStatement } from '../tree.js';

/** The flat form of the statement. Throws 6000 if it has none. */
export function flatRead(statement: ReadStatement): SelectStatement {
  if (statement.is === 'select') return statement;
  const { position, explain, query } = statement;
  const flat = flattened(query);
  if (flat !== null) return { ...flat, position, explain };
  throw sqlError('subqueries, set operations and windows are not available yet', position);
}
