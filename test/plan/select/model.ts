/**
 * A grouped SELECT row by row, with plain values and exact rationals, without vectors or merging; and the partials that
 * shards return for the same rows.
 */
import { hashBytes, type Prng } from '../../../src/base/index.js';
import {
  type Aggregate,
  type AggregateState,
  type Expression,
  type GroupPartial,
  INTEGER,
  type SelectPlan,
} from '../../../src/ir/index.js';
import { type SqlType, toWire, type Value, vectorOf, type WireVector } from '../../../src/vector/index.js';

/** A value of each input of the plan. */
export type Row = readonly Value[];

export const inputOf = (input: number, type: SqlType): Expression => ({ op: 'input', input, type });

export function planOf(more: Partial<SelectPlan>): SelectPlan {
  return {
    databaseId: 1,
    dimensionId: 1,
    condition: null,
    filter: null,
    events: null,
    joins: [],
    inputs: [],
    feeds: [],
    grouping: null,
    having: null,
    outputs: [],
    distinct: false,
    order: [],
    offset: 0,
    limit: null,
    ...more,
  };
}

/** Equal values have the same key, including -0 and 0. */
export const keyOf = (values: Row): string =>
  values.map((value) => `${typeof value} ${typeof value === 'number' ? value + 0 : value}`).join('\n');

/** Negative if a sorts before b; missing values last, texts by their bytes. */
export function compareValues(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order =
    typeof a === 'string'
      ? Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
      : a < b
        ? -1
        : a > b
          ? 1
          : 0;
  return descending ? -order : order;
}

/** numerator / denominator; the denominator is above 0. */
interface Rational {
  readonly above: bigint;
  readonly below: bigint;
}

const DIGITS = 1_500n;
/** The digits of roots: the least double has 324 zeros before its first nonzero digit. */
const ROOT_DIGITS = 400n;

/** Passes as many digits as V8 reads, and a further digit for the remainder. */
function doubleOf({ above, below }: Rational): number {
  const scaled = (above < 0n ? -above : above) * 10n ** DIGITS;
  const digits = `${scaled / below}`.padStart(Number(DIGITS) + 1, '0');
  const point = digits.length - Number(DIGITS);
  const more = scaled % below === 0n ? '0' : '1';
  return Number(`${above < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}${more}`) + 0;
}

/** Heron's method, from above; `value` is above 0. */
function squareRoot(value: bigint): bigint {
  let root = BigInt(`1${'0'.repeat(Math.ceil(String(value).length / 2))}`);
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

function rationalOf(value: Value, type: SqlType): Rational {
  if (typeof value === 'bigint')
    return { above: value, below: type.type === 'decimal' ? 10n ** BigInt(type.scale) : 1n };
  // A double has finitely many decimal digits: it is a multiple of 2^-1074, and 10^1074 times that is an integer.
  let [above, below] = [Number(value), 1n];
  while (!Number.isInteger(above)) [above, below] = [above * 2, below * 2n];
  return { above: BigInt(above), below };
}

const plus = (a: Rational, b: Rational): Rational => ({
  above: a.above * b.below + b.above * a.below,
  below: a.below * b.below,
});
const times = (a: Rational, b: Rational): Rational => ({
  above: a.above * b.above,
  below: a.below * b.below,
});

/** The fraction that its shortest decimal notation denotes. */
function decimalOf(fraction: number): Rational {
  const places = 20;
  return {
    above: BigInt(Math.round(fraction * 1_000)) * 10n ** BigInt(places - 3),
    below: 10n ** BigInt(places),
  };
}

function percentile(values: readonly Value[], fraction: number, type: SqlType): number {
  const sorted = values.toSorted((a, b) => compareValues(a, b, false));
  const { above, below } = times(decimalOf(fraction), { above: BigInt(sorted.length - 1), below: 1n });
  const rank = Number(above / below);
  const low = rationalOf(sorted[rank], type);
  const high = rationalOf(sorted[Math.min(rank + 1, sorted.length - 1)], type);
  const way = plus(high, { above: -low.above, below: low.below });
  return doubleOf(plus(low, times(way, { above: above % below, below })));
}

function average(sum: Rational, count: bigint): number {
  const below = sum.below * count;
  const positive = sum.above < 0n ? -sum.above : sum.above;
  const millionths = (positive * 2_000_000n + below) / (below * 2n);
  const digits = String(millionths).padStart(7, '0');
  return Number(`${sum.above < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`) + 0;
}

function deviation(values: readonly Rational[]): number {
  const count = BigInt(values.length);
  const sum = values.reduce(plus);
  const squares = values.map((value) => times(value, value)).reduce(plus);
  const { above, below } = plus(
    { above: squares.above * count, below: squares.below },
    { above: -sum.above * sum.above, below: sum.below * sum.below },
  );
  const variance = { above: above * 10n ** (2n * ROOT_DIGITS), below: below * count * (count - 1n) };
  if (above === 0n) return 0;
  const root = squareRoot(variance.above / variance.below);
  const isWhole = root * root * variance.below === variance.above;
  return doubleOf({ above: root * 10n + (isWhole ? 0n : 1n), below: 10n ** (ROOT_DIGITS + 1n) });
}

/** Computes an aggregate over all rows of a group; `inputs` are the operands' inputs. */
function aggregateOf({ function: name, of, distinct, fraction }: Aggregate, rows: readonly Row[]): Value {
  if (of === null) return BigInt(rows.length);
  const { type } = of;
  const present = presentValues(of, rows);
  const values = distinct ? [...new Map(present.map((value) => [keyOf([value]), value])).values()] : present;
  if (name === 'count') return BigInt(values.length);
  if (values.length === 0) return null;
  const ordered = values.toSorted((a, b) => compareValues(a, b, false));
  if (name === 'min') return unsigned(ordered[0]);
  if (name === 'max') return unsigned(ordered[ordered.length - 1]);
  if (name === 'percentile') return percentile(values, fraction ?? 0, type);
  const rationals = values.map((value) => rationalOf(value, type));
  if (name === 'stddev') return values.length < 2 ? null : deviation(rationals);
  const sum = rationals.reduce(plus);
  if (name === 'avg') return average(sum, BigInt(values.length));
  return type.type === 'float'
    ? doubleOf(sum)
    : values.reduce((added: bigint, value) => added + BigInt(value as bigint), 0n);
}

const unsigned = (value: Value): Value => (typeof value === 'number' ? value + 0 : value);

function presentValues(of: Expression, rows: readonly Row[]): Value[] {
  return rows.map((row) => valueIn(of, row)).filter((value) => value !== null);
}

/** Evaluates inputs, IS NULL, and comparisons with a constant. */
export function valueIn(expression: Expression, row: Row): Value {
  switch (expression.op) {
    case 'input':
      return row[expression.input];
    case 'is-null':
      return (valueIn(expression.of, row) === null) !== expression.negated;
    case 'compare': {
      const [left, right] = [expression.left, expression.right].map((side) => valueIn(side, row));
      return left === null || right === null ? null : compareValues(left, right, false) > 0;
    }
    case 'constant':
      return expression.value;
    default:
      throw new Error(`the model does not support ${expression.op}`);
  }
}

/** The rows of each group; with `perEntity`, rows with the same first input form a group. */
export function groupedRows({ grouping }: SelectPlan, rows: readonly Row[]): Row[][] {
  if (grouping === null) throw new Error('the plan has groups');
  const groups = new Map<string, Row[]>();
  if (grouping.keys.length === 0 && !grouping.perEntity) groups.set('', []);
  for (const row of rows) {
    const keys = grouping.keys.map((key) => valueIn(key, row));
    const key = grouping.perEntity ? keyOf([row[0]]) : keyOf(keys);
    const group = groups.get(key === '' ? '' : key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** The rows of the result, in its order. */
export function answerOf(plan: SelectPlan, rows: readonly Row[]): Row[] {
  const { grouping, having, outputs, order, distinct, offset, limit } = plan;
  if (grouping === null) throw new Error('the plan has groups');
  let groups = groupedRows(plan, rows).map((group) => [
    ...grouping.keys.map((key) => unsigned(valueIn(key, group[0]))),
    ...grouping.aggregates.map((aggregate) => aggregateOf(aggregate, group)),
  ]);
  if (having !== null) groups = groups.filter((group) => valueIn(having, group) === true);
  const made = groups.map((group) => ({ group, row: outputs.map(({ of }) => valueIn(of, group)) }));
  const retained = distinct ? [...new Map(made.map((one) => [keyOf(one.row), one])).values()] : made;
  const ties = (one: (typeof retained)[0]): Row => {
    if (distinct) return one.row;
    return grouping.perEntity ? one.group : one.group.slice(0, grouping.keys.length);
  };
  retained.sort((a, b) => {
    for (const { of, descending } of order) {
      const before = compareValues(valueIn(of, a.group), valueIn(of, b.group), descending);
      if (before !== 0) return before;
    }
    return compareRowValues(ties(a), ties(b));
  });
  return retained.slice(offset, limit === null ? undefined : offset + limit).map(({ row }) => row);
}

export function compareRowValues(a: Row, b: Row): number {
  for (const [index, value] of a.entries()) {
    const before = compareValues(value, b[index], false);
    if (before !== 0) return before;
  }
  return 0;
}

/** Chooses the form of the values in a shard's vectors. */
const wireOf = (type: SqlType, values: readonly Value[]): WireVector => toWire(vectorOf(type, values));

/** The partial of one shard for its rows; `prng` chooses the order of its groups and values. */
export function partialOf(plan: SelectPlan, rows: readonly Row[], prng: Prng): GroupPartial {
  const { grouping } = plan;
  if (grouping === null) throw new Error('the plan has groups');
  const groups = shuffled(groupedRows(plan, rows), prng);
  return {
    groupCount: groups.length,
    keys: grouping.keys.map((key) => {
      const values = groups.map((group) => valueIn(key, group[0]));
      return perhapsHashed(wireOf(key.type, values), prng);
    }),
    states: grouping.aggregates.map((aggregate) => stateOf(aggregate, groups, prng)),
  };
}

export function shuffled<T>(items: readonly T[], prng: Prng): T[] {
  return items
    .map((item) => ({ item, at: prng.u32() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

const UNIT = 1_074n;
const unitsOf = (value: Value): bigint => {
  if (typeof value === 'bigint') return value;
  const { above, below } = rationalOf(value, { type: 'float' });
  return (above << UNIT) / below;
};

function stateOf(aggregate: Aggregate, groups: readonly Row[][], prng: Prng): AggregateState {
  const { function: name, of, distinct } = aggregate;
  if (of === null) return { holds: 'count', counts: Float64Array.from(groups, ({ length }) => length) };
  const values = groups.map((group) => presentValues(of, group));
  if (name === 'min' || name === 'max') {
    const extremes = values.map((group) => {
      const ordered = group.toSorted((a, b) => compareValues(a, b, name === 'max'));
      return ordered[0] ?? null;
    });
    return { holds: 'extreme', values: wireOf(of.type, extremes) };
  }
  if (distinct || name === 'percentile') return valuesState(of.type, values, prng);
  const counts = Float64Array.from(values, ({ length }) => length);
  if (name === 'count') return { holds: 'count', counts };
  const added = (power: bigint): WireVector =>
    wireOf(
      INTEGER,
      // The sum over no values is not read.
      values.map((group) =>
        group.reduce((sum: bigint, value) => sum + unitsOf(value) ** power, group.length === 0 ? 9n : 0n),
      ),
    );
  if (name === 'stddev') return { holds: 'squares', counts, sums: added(1n), squares: added(2n) };
  return { holds: 'sum', counts, sums: added(1n) };
}

function valuesState(type: SqlType, groups: readonly Value[][], prng: Prng): AggregateState {
  const counted = new Map<string, { group: number; value: Value; count: number }>();
  for (const [group, values] of groups.entries()) {
    for (const value of values) {
      const key = `${group} ${keyOf([value])}`;
      const found = counted.get(key);
      if (found === undefined) counted.set(key, { group, value, count: 1 });
      else found.count++;
    }
  }
  const entries = shuffled([...counted.values()], prng);
  const values = wireOf(
    type,
    entries.map(({ value }) => value),
  );
  const areUnique = entries.every(({ count }) => count === 1);
  return {
    holds: 'values',
    groups: groups.length === 1 && prng.chance(0.5) ? null : Uint32Array.from(entries, ({ group }) => group),
    counts: areUnique && prng.chance(0.5) ? null : Float64Array.from(entries, ({ count }) => count),
    values: perhapsHashed(values, prng),
  };
}

const perhapsHashed = (values: WireVector, prng: Prng): WireVector =>
  values.kind === 'text' && prng.chance(0.5) ? { ...values, hashes: hashesOf(values, prng) } : values;

/** Some dictionaries do not have the hash of the empty text. */
function hashesOf({ offsets, bytes }: Extract<WireVector, { kind: 'text' }>, prng: Prng): Uint32Array {
  return Uint32Array.from({ length: offsets.length - 1 }, (_, text) =>
    offsets[text] === offsets[text + 1] && prng.chance(0.5)
      ? 0
      : hashBytes(bytes, offsets[text], offsets[text + 1]),
  );
}
