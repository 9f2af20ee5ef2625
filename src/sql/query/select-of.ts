/** Plain SELECTs that other statements are made of. */
import type { FromItem, Query, SelectItem, SourcePosition, SqlNode } from '../tree.js';

/** SELECT items FROM tables WHERE condition. */
export const selectOf = (
  items: readonly SelectItem[],
  from: readonly FromItem[],
  where: SqlNode | null,
  position: SourcePosition,
): Query => ({
  ...{ position, tables: [], orderBy: [], limit: null, withTies: false, offset: 0 },
  body: {
    ...{ is: 'block', position, distinct: false, distinctOn: null, items, from, where },
    ...{ groupBy: [], having: null, windows: [], qualify: null },
  },
});
