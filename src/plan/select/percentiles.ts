/**
 * Percentiles of the values of each group: at rank fraction x (n - 1), counted from 0, interpolated exactly between
 * two neighbors and rounded once. In slices.
 */
import {
  inSlices,
  invariant,
  type MemoryAccount,
  runToEnd,
  SLICE_TEXTS,
  type Task,
} from '../../base/index.js';
import {
  type Form,
  formOf,
  nearest,
  type SqlType,
  unitsOf,
  type Vector,
  type WideIntegers,
} from '../../vector/index.js';
import { groupRuns } from '../group-runs.js';
import { type Compare, mergeSort } from '../merge-sort.js';
import { RankFinder } from '../weighted-rank.js';
import type { MergedGroups } from './group-merge.js';
import { floatColumn } from './measures.js';
import { eachGroup, type RunsState, valueAtRank } from './sorted-runs.js';

/** Entries `entries` of the list, in groups `groups`; value v occurs counts[v] times. */
export interface WeighedValues {
  readonly values: Vector;
  readonly entries: Uint32Array;
  readonly groups: Uint32Array;
  readonly counts: Float64Array;
}

/** A fraction: 19/20 of the ranks are below the 95th percentile. */
export interface Fraction {
  readonly of: bigint;
  readonly parts: bigint;
}

/** A group with at most this many values is sorted at once. */
const SORTED_MAX = 64;

/** A fraction between 0 and 1, converted exactly from its decimal notation. */
export function exactFraction(fraction: number): Fraction {
  const [digits, exponent = '0'] = String(fraction).split('e');
  const [whole, rest = ''] = digits.split('.');
  const places = rest.length - Number(exponent);
  invariant(places >= 0, 'a fraction is at most 1');
  return { parts: BigInt(whole + rest), of: 10n ** BigInt(places) };
}

/** The position of a quantile of `count` values: `rank`, plus `parts` / `of` of the distance to the next rank. */
export function quantilePosition(quantile: Fraction, count: number): Fraction & { readonly rank: number } {
  const position = quantile.parts * BigInt(count - 1);
  return { rank: Number(position / quantile.of), parts: position % quantile.of, of: quantile.of };
}

/** One percentile per group; missing for a group without values. Throws 9006. */
export function* percentileColumn(
  type: SqlType,
  fraction: number,
  weighed: WeighedValues,
  groupCount: number,
  budget: MemoryAccount,
): Task<Vector> {
  const { values, counts } = weighed;
  const groupKeys = groupCount === 1 ? null : weighed.groups;
  const runs = yield* groupRuns(groupKeys, weighed.entries, budget);
  budget.reserve(groupCount * 9);
  const found = new Float64Array(groupCount);
  const known = new Uint8Array(groupCount);
  const ranks = yield* ranksOf(values, counts, runs.order.length, budget);
  const between = betweenOf(values, formOf(type));
  const quantile = exactFraction(fraction);
  for (let run = 0, left = SLICE_TEXTS; run < runs.groupKeys.length; run++) {
    const set = runs.order.subarray(runs.starts[run], runs.starts[run + 1]);
    const group = runs.groupKeys[run];
    found[group] = set.length <= SORTED_MAX ? ranks.few(set, quantile, between) : 0;
    if (set.length > SORTED_MAX) found[group] = yield* ranks.many(set, quantile, between);
    known[group] = 1;
    left -= set.length;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
  return yield* floatColumn(groupCount, (group) => (known[group] === 1 ? found[group] : null), budget);
}

/** The same for values that shards return sorted; `states` have exact values of `type`. Throws 9006. */
export function* percentilesOfRuns(
  type: SqlType,
  fraction: number,
  states: readonly RunsState[],
  merged: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  budget.reserve(merged.count * 9);
  const found = new Float64Array(merged.count);
  const known = new Uint8Array(merged.count);
  const quantile = exactFraction(fraction);
  const { unit, exponent } = formOf(type);
  yield* eachGroup(states, merged, budget, (group, runs) => {
    const valueCount = runs.reduce((sum, { from, to }) => sum + to - from, 0);
    if (valueCount === 0) return;
    const { rank, parts, of } = quantilePosition(quantile, valueCount);
    const low = BigInt(valueAtRank(runs, rank));
    const high = parts === 0n ? low : BigInt(valueAtRank(runs, rank + 1));
    found[group] = nearest(low * of + (high - low) * parts, of * unit, exponent);
    known[group] = 1;
  });
  return yield* floatColumn(merged.count, (group) => (known[group] === 1 ? found[group] : null), budget);
}

/** The value at `parts` / `of` between values `low` and `high`. */
type Between = (low: number, high: number, position: Fraction) => number;

interface Ranks {
  few(set: Uint32Array, quantile: Fraction, between: Between): number;
  many(set: Uint32Array, quantile: Fraction, between: Between): Task<number>;
}

function* ranksOf(values: Vector, counts: Float64Array, setMax: number, budget: MemoryAccount): Task<Ranks> {
  const compare = valueOrder(values);
  budget.reserve(setMax * 4);
  const scratch = new Uint32Array(setMax);
  const words = yield* orderedWords(values, budget);
  budget.reserve(words === null ? 0 : setMax * 4);
  const finder = words === null ? null : new RankFinder({ words, counts }, setMax);
  const inSorted = (set: Uint32Array, quantile: Fraction, between: Between): number => {
    let weight = 0;
    for (const value of set) weight += counts[value];
    const position = quantilePosition(quantile, weight);
    let at = 0;
    let rest = position.rank;
    while (rest >= counts[set[at]]) rest -= counts[set[at++]];
    const next = rest + 1 < counts[set[at]] || at + 1 === set.length ? at : at + 1;
    return between(set[at], set[next], position);
  };
  return {
    few: (set, quantile, between) => {
      const sorted = runToEnd(mergeSort(set, scratch.subarray(0, set.length), compare));
      return inSorted(sorted, quantile, between);
    },
    *many(set, quantile, between) {
      if (finder === null) {
        const sorted = yield* mergeSort(set, scratch.subarray(0, set.length), compare);
        return inSorted(sorted, quantile, between);
      }
      const position = quantilePosition(quantile, yield* finder.weightOf(set));
      const [low, high] = yield* finder.pairAt(set, position.rank);
      return between(low, high, position);
    },
  };
}

function valueOrder(values: Vector): Compare {
  invariant(values.kind === 'exact' || values.kind === 'float', 'only numbers have percentiles');
  const { numbers } = values;
  if (numbers !== null) return (a, b) => numbers[a] - numbers[b];
  const wide = (values as Extract<Vector, { kind: 'exact' }>).wide as WideIntegers;
  return (a, b) => (wide[a] < wide[b] ? -1 : wide[a] > wide[b] ? 1 : 0);
}

/** The values as 64-bit integers of the same order, low word first; null if they are wide. Throws 9006. */
function* orderedWords(values: Vector, budget: MemoryAccount): Task<Uint32Array | null> {
  invariant(values.kind === 'exact' || values.kind === 'float', 'only numbers have percentiles');
  const { numbers, count, kind } = values;
  if (numbers === null) return null;
  budget.reserve(count * 8);
  const words = new Uint32Array(2 * count);
  yield* inSlices(count, (from, to) => {
    if (kind === 'float') putFloats(numbers, words, from, to);
    else putIntegers(numbers, words, from, to);
  });
  return words;
}

function putIntegers(numbers: Float64Array, words: Uint32Array, from: number, to: number): void {
  for (let row = from; row < to; row++) {
    const high = Math.floor(numbers[row] / 2 ** 32);
    words[2 * row] = numbers[row] - high * 2 ** 32;
    words[2 * row + 1] = high;
  }
}

/** The bits of a double order like integers if all bits but the sign are inverted for negative doubles. */
function putFloats(numbers: Float64Array, words: Uint32Array, from: number, to: number): void {
  const double = new Float64Array(1);
  const halves = new Int32Array(double.buffer);
  for (let row = from; row < to; row++) {
    // Adding 0 turns -0 into 0.
    double[0] = numbers[row] + 0;
    const turned = halves[1] < 0 ? -1 : 0;
    words[2 * row] = halves[0] ^ turned;
    words[2 * row + 1] = halves[1] ^ (turned & 0x7fffffff);
  }
}

function betweenOf(values: Vector, { unit, exponent }: Form): Between {
  invariant(values.kind === 'exact' || values.kind === 'float', 'only numbers have percentiles');
  const { numbers } = values;
  const isFloat = values.kind === 'float';
  const exactly = (value: number): bigint => {
    if (numbers === null) return (values as { wide: WideIntegers }).wide[value];
    return isFloat ? unitsOf(numbers[value]) : BigInt(numbers[value]);
  };
  return (low, high, { parts, of }) => {
    if (isFloat && numbers !== null && (parts === 0n || numbers[low] === numbers[high])) {
      return numbers[low] + 0;
    }
    const first = exactly(low);
    return nearest(first * of + (exactly(high) - first) * parts, of * unit, exponent);
  };
}
