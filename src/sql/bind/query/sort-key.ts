/** Sort keys of ORDER BY and of windows. */
import type { RelationColumn, RelationSortKey } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { OrderKey } from '../../tree.js';

/** Missing values are last unless NULLS FIRST is written. Throws 6000. */
export function sortKey(key: OrderKey, { column, type }: RelationColumn): RelationSortKey {
  if (type.type === 'json') throw sqlError('lists and points have no order', key.of.position);
  return { column, type, descending: key.descending, missingFirst: key.missing === 'first' };
}
