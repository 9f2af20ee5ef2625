/** The rows of a joined dimension as a SELECT of their own: IDs first, then what the join asks for. */
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
