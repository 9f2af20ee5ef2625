/** The plan of a SELECT of a joined dimension's rows: the ID column first, then the columns that the join needs. */
import type { Input, Join, SelectPlan } from '../../ir/index.js';
import { TEXT } from '../../ir/index.js';

export function joinPlan(databaseId: number, { dimensionId, condition, columns }: Join): SelectPlan {
  const inputs: readonly Input[] = [{ from: 'entity-id', type: TEXT }, ...columns];
  return {
    databaseId,
    dimensionId,
    condition,
    filter: null,
    events: null,
    joins: [],
    inputs,
    feeds: [],
    grouping: null,
    having: null,
    outputs: inputs.map(({ type }, input) => ({
      name: String(input),
      type,
      of: { op: 'input', type, input },
    })),
    distinct: false,
    order: [],
    offset: 0,
    limit: null,
  };
}
