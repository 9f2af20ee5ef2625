/** The result of a plan without FROM: one row without inputs, which may be grouped like any other. */
import { invariant, type MemoryAccount, runToEnd } from '../../base/index.js';
import { compile, type Evaluate, ONE_ROW, trueRows } from '../../expression/index.js';
import {
  type Aggregate,
  type AggregateState,
  type GroupPartial,
  INTEGER,
  type SelectPlan,
} from '../../ir/index.js';
import { slice, toWire, unitsOf, type Vector, valueAt, vectorOf } from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { stateOf } from './aggregate-columns.js';
import { joinColumns } from './columns.js';
import { finishGroups } from './finish-groups.js';
import { fieldsOf, type Table } from './table.js';

/** `plan.dimensionId` must be null. Throws 6000, 9006. */
export function constantTable(plan: SelectPlan, bytesMax: number): Table {
  invariant(plan.dimensionId === null, 'there is no FROM');
  const budget = mergeMemory(bytesMax);
  const isThere = plan.filter === null || trueRows(compile(plan.filter, budget)(ONE_ROW)).length === 1;
  if (plan.grouping !== null) {
    const partials = isThere ? [groupOf(plan.grouping, budget)] : [];
    return runToEnd(finishGroups(plan, partials, bytesMax));
  }
  const rowCount = isThere && plan.offset === 0 && plan.limit !== 0 ? 1 : 0;
  const columns = plan.outputs.map(({ of, type }) =>
    rowCount === 1 ? compile(of, budget)(ONE_ROW) : runToEnd(joinColumns([], type, budget)),
  );
  return { fields: fieldsOf(plan), columns, rowCount };
}

/** The row as a group. */
function groupOf(
  { keys, aggregates }: NonNullable<SelectPlan['grouping']>,
  budget: MemoryAccount,
): GroupPartial {
  return {
    groupCount: 1,
    keys: keys.map((key) => toWire(compile(key, budget)(ONE_ROW))),
    states: aggregates.map((aggregate) => stateOfRow(aggregate, (of) => compile(of, budget))),
  };
}

function stateOfRow(
  aggregate: Aggregate,
  ready: (of: NonNullable<Aggregate['of']>) => Evaluate,
): AggregateState {
  if (aggregate.of === null) return { holds: 'count', counts: Float64Array.of(1) };
  const value = ready(aggregate.of)(ONE_ROW);
  const count = value.valid === null || value.valid[0] === 1 ? 1 : 0;
  const counts = Float64Array.of(count);
  const holds = stateOf(aggregate);
  switch (holds) {
    case 'count':
      return { holds, counts };
    case 'extreme':
      return { holds, values: toWire(value) };
    case 'values':
    case 'texts':
    case 'runs':
    case 'bits':
      return {
        holds: 'values',
        groups: null,
        counts: null,
        values: toWire(slice(value, 0, count)),
      };
    case 'sum':
      return { holds, counts, sums: powerOf(value, count, 1n) };
    case 'squares':
      return { holds, counts, sums: powerOf(value, count, 1n), squares: powerOf(value, count, 2n) };
  }
}

/** The value, or its square, as the state of a sum. */
function powerOf(vector: Vector, count: number, power: bigint) {
  const value = count === 0 ? 0n : valueAt(vector, 0);
  invariant(typeof value === 'number' || typeof value === 'bigint', 'only numbers are summed');
  const integer = typeof value === 'number' ? unitsOf(value) : value;
  return toWire(vectorOf(INTEGER, [integer ** power]));
}
