/** Generated grouped plans, rows of all types, and their distribution over shards. */
import type { Prng } from '../../../src/base/index.js';
import {
  type Aggregate,
  type Expression,
  FLOAT,
  INTEGER,
  type SelectPlan,
  TEXT,
} from '../../../src/ir/index.js';
import type { SqlType, Value } from '../../../src/vector/index.js';
import { inputOf, planOf, type Row, shuffled } from './model.js';

/** Input 0 identifies the entity of the row. */
const TYPES: readonly SqlType[] = [
  INTEGER,
  INTEGER,
  { type: 'decimal', scale: 2 },
  FLOAT,
  { type: 'boolean' },
  TEXT,
  { type: 'date' },
];

const TEXTS = [
  '',
  'a',
  'a\0',
  'ab',
  'ä',
  'z',
  '😀',
  'user-1',
  'user-2',
  'user-10',
  '\uffff',
  'a longer text than most',
];
const FLOATS = [0, -0, 0.1, 0.5, -2.75, 1e21, 3, 1e-7, -1e300, 2 ** 53, 5e-324, 1 / 3];

/** Magnitudes of integers: small, with sums beyond the safe integers, and beyond the safe integers themselves. */
export const SIZES = ['small', 'large', 'wide'] as const;
type Size = (typeof SIZES)[number];

/** Generates few distinct values, so that equal ones occur. */
function makeValue({ type }: SqlType, prng: Prng, size: Size): Value {
  if (prng.chance(0.15)) return null;
  switch (type) {
    case 'float':
      return prng.chance(0.5) ? prng.pick(FLOATS) : prng.between(-3, 3);
    case 'boolean':
      return prng.chance(0.5);
    case 'text':
      return prng.chance(0.5) ? prng.pick(TEXTS) : `user-${prng.below(60)}`;
    default:
      if (size === 'small' || prng.chance(0.5)) return BigInt(prng.between(-6, 6));
      if (size === 'large') return BigInt(prng.between(-1, 3)) * (2n ** 51n + 1n);
      return BigInt(prng.between(-3, 3)) * prng.pick([2n ** 53n, 2n ** 64n, 10n ** 36n, 2n ** 62n - 1n]);
  }
}

export function makeRows(count: number, prng: Prng, size: Size): Row[] {
  return Array.from({ length: count }, (_, index) =>
    TYPES.map((type, input) => (input === 0 ? BigInt(index >> 1) : makeValue(type, prng, size))),
  );
}

export const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'stddev', 'percentile'] as const;

function makeAggregate(prng: Prng, feedsNumbers: boolean): Aggregate {
  const name = prng.pick(FUNCTIONS);
  const distinct = prng.chance(0.4);
  const common = { function: name, distinct, feed: 'rows', fraction: null } as const;
  if (name === 'count' && prng.chance(0.3)) return { ...common, distinct: false, of: null, type: INTEGER };
  const plain = name === 'count' || name === 'min' || name === 'max';
  const input = plain && !feedsNumbers ? prng.between(1, TYPES.length - 1) : prng.between(1, 3);
  const of = inputOf(input, TYPES[input]);
  const fraction = name === 'percentile' ? prng.pick([0, 0.5, 0.95, 0.333, 1, 0.001]) : null;
  const own = name === 'sum' || name === 'min' || name === 'max';
  const type = name === 'count' ? INTEGER : own ? of.type : FLOAT;
  return { ...common, of, fraction, type };
}

export function makePlan(prng: Prng): SelectPlan {
  const keyCount = prng.pick([0, 1, 1, 2, 3]);
  const keys = Array.from({ length: keyCount }, () => {
    const input = prng.between(1, TYPES.length - 1);
    return inputOf(input, TYPES[input]);
  });
  const aggregates = Array.from({ length: prng.between(1, 3) }, () => makeAggregate(prng, false));
  const types = [...keys, ...aggregates].map(({ type }) => type);
  const inputs = types.map((type, input) => inputOf(input, type));
  const expressions: Expression[] = [
    ...inputs,
    { op: 'is-null', type: { type: 'boolean' }, of: prng.pick(inputs), negated: prng.chance(0.5) },
  ];
  const chosen = shuffled(expressions, prng).slice(0, prng.between(1, expressions.length));
  const distinct = prng.chance(0.3);
  const order = (distinct ? chosen : expressions).filter(() => prng.chance(0.3));
  return planOf({
    grouping: { keys, perEntity: false, aggregates },
    outputs: chosen.map((of, index) => ({ name: `c${index}`, type: of.type, of })),
    distinct,
    order: order.map((of) => ({ of, descending: prng.chance(0.5) })),
    having: prng.chance(0.3)
      ? { op: 'is-null', type: { type: 'boolean' }, of: prng.pick(inputs), negated: true }
      : null,
    offset: prng.chance(0.3) ? prng.below(5) : 0,
    limit: prng.chance(0.3) ? prng.below(12) : null,
  });
}

export function spread(rows: readonly Row[], shardCount: number, prng: Prng): Row[][] {
  const shards: Row[][] = Array.from({ length: shardCount }, () => []);
  const shardOfEntity = new Map<Value, Row[]>();
  for (const row of rows) {
    const shard = shardOfEntity.get(row[0]) ?? prng.pick(shards);
    shardOfEntity.set(row[0], shard);
    shard.push(row);
  }
  return shards;
}
