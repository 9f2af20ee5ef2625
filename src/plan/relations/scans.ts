/** Determines which SELECTs over one dimension a scan can run row by row. */
import type { SelectPlan } from '../../ir/index.js';

/** Without grouping, order, offset and limit: its outputs are expressions over its rows. */
export const isPlainScan = ({ grouping, order, offset, limit, distinct }: SelectPlan): boolean =>
  grouping === null && order.length === 0 && offset === 0 && limit === null && !distinct;

/** A plain scan of the rows of one dimension, without joins. */
export const isBareScan = (plan: SelectPlan): boolean =>
  isPlainScan(plan) && plan.dimensionId !== null && plan.joins.length === 0;
