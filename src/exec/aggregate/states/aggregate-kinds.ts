/** Maps aggregate functions to accumulators. Aggregates with the same kind, input and operand share one accumulator. */
import type { Allocator } from '../../../answer/index.js';
import { type Aggregate, isOfAllValues, isOfSquares } from '../../../ir/index.js';
import { type SqlType, vectorKindOf } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GroupExtremes } from './aggregate-extremes.js';
import type { GroupAccumulator } from './aggregate-state.js';
import { GroupSums, GroupValueCount } from './aggregate-sums.js';
import { TextExtremes } from './aggregate-text-extremes.js';
import { DistinctValues } from './distinct-values.js';

export type AggregationKind = 'count' | 'sum' | 'squares' | 'min' | 'max' | 'distinct' | 'counted';

export function aggregationKindOf({ function: name, distinct }: Aggregate): AggregationKind {
  switch (name) {
    case 'min':
    case 'max':
      return name;
    default:
      if (isOfAllValues(name)) return distinct ? 'distinct' : 'counted';
      if (distinct) return 'distinct';
      if (name === 'count') return 'count';
      return isOfSquares(name) ? 'squares' : 'sum';
  }
}

export interface AccumulatorOptions {
  readonly isOneGroup: boolean;
  /** The largest number of slots of a direct pair table. */
  readonly directPairsMax: number;
  /** The largest number of bits of a grid of groups and codes. */
  readonly gridBitsMax: number;
  /** Allocates the texts of the result. */
  readonly allocator: Allocator;
}

/** Creates the accumulator for values of `type`, which is ignored for a count of rows. Throws 9006. */
export function createAccumulator(
  kind: AggregationKind,
  type: SqlType,
  settings: AccumulatorOptions,
  memory: QueryRun,
): GroupAccumulator {
  const values = vectorKindOf(type);
  switch (kind) {
    case 'count':
      return new GroupValueCount(memory);
    case 'sum':
    case 'squares':
      return new GroupSums(values === 'float' ? 'float' : 'exact', kind === 'squares', memory);
    case 'min':
    case 'max':
      return values === 'text'
        ? new TextExtremes(kind, settings.gridBitsMax, memory)
        : new GroupExtremes(values, kind, memory);
    case 'distinct':
    case 'counted':
      return new DistinctValues(type, { ...settings, isCounted: kind === 'counted' }, memory);
  }
}
