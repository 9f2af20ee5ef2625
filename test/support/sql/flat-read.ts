/** The flat form of a statement, for tests of plans over one dimension. */

import type { ReadStatement, SelectStatement } from '../../../src/sql/index.js';
import { flattened } from '../../../src/sql/query/flattened.js';

export function flatRead(statement: ReadStatement): SelectStatement {
  if (statement.is === 'select') return statement;
  const { position, explain, query } = statement;
  const flat = flattened(query);
  if (flat === null) throw new Error('the statement has no flat form');
  return { ...flat, position, explain };
}
