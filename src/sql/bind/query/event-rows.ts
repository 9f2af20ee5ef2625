/**
 * Refuses aggregates that would count an entity once for each of its events: where a block reads [column.value] or
 * [column.date] of a dimension, its rows are events, but aggregates of anything else are over entities (docs/sql.md). The
 * binder of plain statements counts each entity once; a block with subqueries, joins and the like cannot.
 */
import { inputsOf } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { type AggregateNode, type BoundAggregate, callOf } from './aggregate-arguments.js';
import type { NamedTable } from './namespace.js';

/** Aggregates that repeated rows do not change. */
const INDIFFERENT: ReadonlySet<string> = new Set(['min', 'max', 'bit-and', 'bit-or']);

export type CountedAggregate = Pick<BoundAggregate, 'function' | 'distinct' | 'of'> & {
  readonly node: AggregateNode;
};

/** Throws 6000. Call it when all clauses are bound. */
export function checkEventRows(aggregates: readonly CountedAggregate[], tables: readonly NamedTable[]): void {
  const events = new Set(tables.flatMap(({ eventColumns }) => [...(eventColumns ?? [])]));
  if (events.size === 0) return;
  for (const { node, function: name, distinct, of } of aggregates) {
    if (distinct || INDIFFERENT.has(name)) continue;
    if (of !== null && [...inputsOf(of)].some((input) => events.has(input))) continue;
    const call = callOf(node);
    const label = `${call.name.toUpperCase()}${call.args[0]?.is === 'star' ? '(*)' : ''}`;
    throw sqlError(
      `${label} beside the values of events counts each entity once, which a statement with subqueries, joins or windows cannot: write COUNT(DISTINCT [entity-id]), count [column.value], or read the events from the table of their column`,
      node.position,
    );
  }
}
