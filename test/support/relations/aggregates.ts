/** Aggregates of plain values. */
import type { AggregateFunction } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { compareValues, textOf } from './values.js';

export interface AggregateOf {
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  readonly fraction: number | null;
  /** The scale of the values, if they are decimals. */
  readonly scale: number;
}

/** `values` may include missing ones, which are ignored. */
export function aggregateOf(
  { function: name, distinct, fraction, scale }: AggregateOf,
  values: readonly Value[],
): Value {
  const present = values.filter((value) => value !== null);
  const used = distinct ? [...new Map(present.map((value) => [textOf([value]), value])).values()] : present;
  const unit = 10 ** scale;
  const numbers = (): number[] =>
    used.map((value) => (typeof value === 'bigint' ? Number(value) / unit : Number(value)));
  if (name === 'count') return BigInt(used.length);
  if (used.length === 0) return null;
  switch (name) {
    case 'sum':
      return typeof used[0] === 'bigint'
        ? used.reduce<bigint>((sum, value) => sum + BigInt(value as bigint), 0n)
        : numbers().reduce((sum, value) => sum + value, 0);
    case 'avg':
      return Math.round((numbers().reduce((sum, value) => sum + value, 0) / used.length) * 1e6) / 1e6;
    case 'min':
      return used.reduce((least, value) => (compareValues(value, least) < 0 ? value : least));
    case 'max':
      return used.reduce((most, value) => (compareValues(value, most) > 0 ? value : most));
    case 'stddev': {
      if (used.length < 2) return null;
      const mean = numbers().reduce((sum, value) => sum + value, 0) / used.length;
      const squares = numbers().reduce((sum, value) => sum + (value - mean) ** 2, 0);
      return Math.sqrt(squares / (used.length - 1));
    }
    default: {
      const sorted = numbers().sort((a, b) => a - b);
      const at = (fraction ?? 0.5) * (sorted.length - 1);
      const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
      return low + (high - low) * (at - Math.floor(at));
    }
  }
}
