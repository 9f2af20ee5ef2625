/** Which aggregation an aggregate asks for: aggregates that ask for the same of the same values share one. */

import type { Allocator } from '../../answer/index.js';
import type { Aggregate } from '../../ir/index.js';
import { type SqlType, vectorKindOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { Extremes } from './aggregate-extremes.js';
import type { Aggregation } from './aggregate-state.js';
import { Counts, Sums } from './aggregate-sums.js';
import { TextExtremes } from './aggregate-text-extremes.js';
import { DistinctValues } from './distinct-values.js';

export type AggregationKind = 'count' | 'sum' | 'squares' | 'min' | 'max' | 'distinct' | 'counted';

export function kindOf({ function: name, distinct }: Aggregate): AggregationKind {
  switch (name) {
    case 'min':
    case 'max':
      return name;
    case 'percentile':
      return distinct ? 'distinct' : 'counted';
    default:
      if (distinct) return 'distinct';
      if (name === 'count') return 'count';
      return name === 'stddev' ? 'squares' : 'sum';
  }
}

export interface AggregationSettings {
  readonly isOneGroup: boolean;
  /** Places of a table of pairs at most. */
  readonly directMax: number;
  /** Bits of a grid of groups and codes at most. */
  readonly gridMax: number;
  /** Memory for texts of the answer. */
  readonly room: Allocator;
}

/** `type`: of the values, whatever it is for a count of rows. Throws 9006. */
export function aggregationOf(
  kind: AggregationKind,
  type: SqlType,
  settings: AggregationSettings,
  memory: QueryRun,
): Aggregation {
  const values = vectorKindOf(type);
  switch (kind) {
    case 'count':
      return new Counts(memory);
    case 'sum':
    case 'squares':
      return new Sums(values === 'float' ? 'float' : 'exact', kind === 'squares', memory);
    case 'min':
    case 'max':
      return values === 'text'
        ? new TextExtremes(kind, settings.gridMax, memory)
        : new Extremes(values, kind, memory);
    case 'distinct':
    case 'counted':
      return new DistinctValues(type, { ...settings, isCounted: kind === 'counted' }, memory);
  }
}
