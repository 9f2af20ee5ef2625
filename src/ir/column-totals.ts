/** Totals of whole columns: groupings that kernels compute without reading rows one by one. */
import type { EventTest } from './condition.js';
import type { Aggregate, SelectPlan } from './select.js';

/** A count, sum or extreme of the rows, of a latest-value column, or of the events that pass a test. */
export type ColumnTotal = { readonly statistic: 'count' | 'sum' | 'min' | 'max' } & (
  | { readonly of: 'entities' }
  | { readonly of: 'attribute'; readonly columnId: number }
  | { readonly of: 'events'; readonly event: EventTest }
);

/** One total per aggregate of the plan; null if some aggregate or the plan is of another form. */
export function columnTotalsOf(plan: SelectPlan): readonly ColumnTotal[] | null {
  const { grouping, filter, joins, items = [] } = plan;
  if (grouping === null || grouping.keys.length > 0 || grouping.perEntity) return null;
  if (filter !== null || joins.length > 0 || items.length > 0) return null;
  const totals = grouping.aggregates.map((aggregate) => totalOf(aggregate, plan));
  return totals.every((total) => total !== null) ? totals : null;
}

function totalOf(aggregate: Aggregate, { inputs, feeds, events }: SelectPlan): ColumnTotal | null {
  const { feed, of } = aggregate;
  const statistic = statisticOf(aggregate);
  const event = typeof feed === 'number' ? feeds[feed] : feed === 'rows' ? events : null;
  if (statistic === null || (event === null && events !== null)) return null;
  if (of === null) {
    if (typeof feed === 'number') return null;
    return event === null ? { of: 'entities', statistic } : { of: 'events', statistic, event };
  }
  if (of.op !== 'input') return null;
  const input = inputs[of.input];
  if (event !== null) {
    if (input.from !== 'event-value' || input.columnId !== event.columnId) return null;
    return statistic === 'count' || input.kind === 'i64' ? { of: 'events', statistic, event } : null;
  }
  if (input.from !== 'attribute') return null;
  const { columnId, kind } = input;
  const isNumber = kind === 'i64' || kind === 'i32';
  return statistic === 'count' || isNumber ? { of: 'attribute', statistic, columnId } : null;
}

function statisticOf({ function: name, distinct }: Aggregate): ColumnTotal['statistic'] | null {
  if (name === 'min' || name === 'max') return name;
  if (distinct) return null;
  if (name === 'avg' || name === 'mean') return 'sum';
  return name === 'count' || name === 'sum' ? name : null;
}
