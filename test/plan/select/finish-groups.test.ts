import t from 'tap';
import { HASH_SEED, hashBlock, hashBytes, Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import {
  type Aggregate,
  type Expression,
  FLOAT,
  type GroupPartial,
  INTEGER,
  type SelectPlan,
  TEXT,
} from '../../../src/ir/index.js';
import { finishGroups } from '../../../src/plan/select/finish-groups.js';
import type { Table } from '../../../src/plan/select/table.js';
import {
  type SqlType,
  toWire,
  type Value,
  valueAt,
  vectorOf,
  type WireVector,
} from '../../../src/vector/index.js';
import { wordTo } from '../../support/ingest/colliding.js';
import {
  answerOf,
  compareRowValues,
  inputOf,
  keyOf,
  partialOf,
  planOf,
  type Row,
  shuffled,
} from './model.js';

const SEED = 577_215;
t.comment(`seed ${SEED}`);

const BYTES = 2 ** 30;
const finish = (plan: SelectPlan, partials: readonly GroupPartial[]): Table =>
  runToEnd(finishGroups(plan, partials, BYTES));

/** The rows of the table; no value may be -0. */
const rowsOf = ({ columns, rowCount }: Table): Row[] =>
  Array.from({ length: rowCount }, (_, row) =>
    columns.map((column) => {
      const value = valueAt(column, row);
      return Object.is(value, -0) ? 'negative zero' : value;
    }),
  );

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
const SIZES = ['small', 'large', 'wide'] as const;
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

function makeRows(count: number, prng: Prng, size: Size): Row[] {
  return Array.from({ length: count }, (_, index) =>
    TYPES.map((type, input) => (input === 0 ? BigInt(index >> 1) : makeValue(type, prng, size))),
  );
}

const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'stddev', 'percentile'] as const;

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

function makePlan(prng: Prng): SelectPlan {
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

function spread(rows: readonly Row[], shardCount: number, prng: Prng): Row[][] {
  const shards: Row[][] = Array.from({ length: shardCount }, () => []);
  const shardOfEntity = new Map<Value, Row[]>();
  for (const row of rows) {
    const shard = shardOfEntity.get(row[0]) ?? prng.pick(shards);
    shardOfEntity.set(row[0], shard);
    shard.push(row);
  }
  return shards;
}

t.test('groups of any number of shards equal the groups of all rows exactly', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 500; round++) {
    const plan = makePlan(prng);
    const rowCount = prng.pick([0, 1, 30, 150]);
    const rows = makeRows(rowCount, prng, prng.pick(SIZES));
    const expected = answerOf(plan, rows);
    for (const shardCount of [1, 2, 7]) {
      const shards = spread(rows, shardCount, prng);
      const partials = shards
        .filter((shard) => shard.length > 0 || prng.chance(0.5))
        .map((shard) => partialOf(plan, shard, prng));
      t.strictSame(rowsOf(finish(plan, partials)), expected, `round ${round}, ${shardCount} shards`);
    }
  }
});

t.test('fields have the names and types of the outputs', async (t) => {
  const plan = makePlan(new Prng(SEED));
  const { fields } = finish(plan, []);
  t.strictSame(
    fields,
    plan.outputs.map(({ name, type }) => ({ name, type })),
  );
});

t.test('entities are separate groups, even with equal keys', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 60; round++) {
    const made = makePlan(prng);
    const { grouping } = made;
    if (grouping === null) return t.fail('the plan has groups');
    const plan = { ...made, grouping: { ...grouping, perEntity: true } };
    const rows = makeRows(prng.pick([0, 1, 40]), prng, prng.pick(SIZES));
    // An entity has one value of an attribute.
    const firsts = new Map<Value, Row>();
    const keys = grouping.keys.map((key) => (key.op === 'input' ? key.input : -1));
    const entities = rows.map((row) => {
      const first = firsts.get(row[0]) ?? row;
      firsts.set(row[0], first);
      return row.map((value, input) => (keys.includes(input) ? first[input] : value));
    });
    for (const shardCount of [1, 2, 7]) {
      const partials = spread(entities, shardCount, prng).map((shard) => partialOf(plan, shard, prng));
      const isOrdered = plan.order.length > 0 || plan.distinct;
      const requested = isOrdered ? plan : { ...plan, offset: 0, limit: null };
      const found = rowsOf(finish(requested, partials));
      const expected = answerOf(requested, entities);
      if (!isOrdered) for (const list of [found, expected]) list.sort(compareRowValues);
      t.strictSame(found, expected, `round ${round}, ${shardCount} shards`);
    }
  }
});

t.test('without keys and rows there is one group over no rows', async (t) => {
  const aggregates = FUNCTIONS.map((name): Aggregate => {
    const of = inputOf(1, INTEGER);
    const fraction = name === 'percentile' ? 0.5 : null;
    const type = name === 'avg' || name === 'stddev' || name === 'percentile' ? FLOAT : INTEGER;
    return { function: name, of, distinct: false, feed: 'rows', fraction, type };
  });
  const outputs = aggregates.map(({ function: name, type }, index) => ({
    name,
    type,
    of: inputOf(index, type),
  }));
  const plan = planOf({ grouping: { keys: [], perEntity: false, aggregates }, outputs });
  t.strictSame(rowsOf(finish(plan, [])), [[0n, null, null, null, null, null, null]]);
});

const countPlan = (type: SqlType): SelectPlan =>
  planOf({
    grouping: {
      keys: [],
      perEntity: false,
      aggregates: [
        {
          function: 'count',
          of: inputOf(0, type),
          distinct: true,
          feed: 'rows',
          fraction: null,
          type: INTEGER,
        },
      ],
    },
    outputs: [{ name: 'COUNT', type: INTEGER, of: inputOf(0, INTEGER) }],
  });

/** Floats and texts of eight bytes with the same hash, starting at number `first`. */
function colliding(first: number, count: number): Uint32Array {
  const words = new Uint32Array(2 * count);
  for (let index = 0; index < count; index++) {
    words[2 * index] = first + index;
    words[2 * index + 1] = wordTo(hashBlock(HASH_SEED, first + index), 0x12345678);
  }
  return words;
}

const valuesPartial = (values: WireVector, hashes: Uint32Array | null = null): GroupPartial => ({
  groupCount: 1,
  keys: [],
  states: [{ holds: 'values', groups: null, counts: null, values, hashes }],
});

t.test('hashes from shards are used, except for the empty text, and are optional', async (t) => {
  const texts = (...values: string[]): WireVector => toWire(vectorOf(TEXT, values));
  const hash = (text: string): number => hashBytes(Buffer.from(text), 0, text.length);
  const [none, a, b] = ['', 'a', 'b'].map(hash);
  const known = [
    valuesPartial(texts('', 'a'), Uint32Array.of(0, a)),
    valuesPartial(texts(), new Uint32Array(0)),
    valuesPartial(texts('b', ''), Uint32Array.of(b, none)),
    valuesPartial(texts('b', 'a'), Uint32Array.of(b, a)),
  ];
  const alone = valuesPartial(texts('', 'c', 'a'));
  const plan = countPlan(TEXT);
  const aggregates = plan.grouping?.aggregates ?? [];
  const perGroup = planOf({
    grouping: { keys: [inputOf(1, INTEGER)], perEntity: false, aggregates },
    outputs: [0, 1].map((input) => ({ name: `c${input}`, type: INTEGER, of: inputOf(input, INTEGER) })),
  });
  const withKey = (partial: GroupPartial, key: bigint): GroupPartial => ({
    ...partial,
    keys: [toWire(vectorOf(INTEGER, [key]))],
  });
  for (const [partials, count] of [
    [known, 3n],
    [[...known, alone], 4n],
  ] as const) {
    t.strictSame(rowsOf(finish(plan, partials)), [[count]]);
    const other = withKey(valuesPartial(texts('a'), Uint32Array.of(a)), 2n);
    const keyed = [...partials.map((partial) => withKey(partial, 1n)), other];
    t.strictSame(rowsOf(finish(perGroup, keyed)), [
      [1n, count],
      [2n, 1n],
    ]);
  }
});

t.test('texts with the same hash are distinguished in bounded time', async (t) => {
  const count = 60_000;
  const partials = [0, count / 2].map((first) => {
    const bytes = new Uint8Array(colliding(first, count).buffer);
    const offsets = Uint32Array.from({ length: count + 1 }, (_, text) => text * 8);
    return valuesPartial({ kind: 'text', count, valid: null, codes: null, offsets, bytes, distinct: true });
  });
  t.strictSame(rowsOf(finish(countPlan(TEXT), partials)), [[BigInt(count * 1.5)]]);
});

t.test('numbers with the same hash are distinguished in bounded time', async (t) => {
  const count = 60_000;
  const different = new Set<number>();
  const partials = [0, count / 2].map((first) => {
    const doubles = new Float64Array(colliding(first, count).buffer).filter(Number.isFinite);
    for (const double of doubles) different.add(double);
    return valuesPartial({ kind: 'float', count: doubles.length, valid: null, numbers: doubles });
  });
  t.strictSame(rowsOf(finish(countPlan(FLOAT), partials)), [[BigInt(different.size)]]);
});

/** Groups by a number and a text, `count` groups in each of two shards; half of them are in both. */
function manyGroups(count: number): { plan: SelectPlan; partials: GroupPartial[]; rows: Row[] } {
  const prng = new Prng(SEED);
  const sum: Aggregate = {
    function: 'sum',
    of: inputOf(2, INTEGER),
    distinct: false,
    feed: 'rows',
    fraction: null,
    type: INTEGER,
  };
  const plan = planOf({
    grouping: { keys: [inputOf(0, INTEGER), inputOf(1, TEXT)], perEntity: false, aggregates: [sum] },
    outputs: [inputOf(0, INTEGER), inputOf(1, TEXT), inputOf(2, INTEGER)].map((of, index) => ({
      name: `c${index}`,
      type: of.type,
      of,
    })),
    order: [{ of: inputOf(2, INTEGER), descending: true }],
  });
  const rows = Array.from({ length: 2 * count }, (_, index): Row => {
    const group = index < count ? index : index - count / 2;
    return [BigInt(group % 100), `user-${group >> 3}`, BigInt(prng.below(50))];
  });
  const partials = [rows.slice(0, count), rows.slice(count)].map((shard) => partialOf(plan, shard, prng));
  return { plan, partials, rows };
}

const textOf = (rows: readonly Row[]): string => rows.map(keyOf).join('\n\n');

t.test('many groups are merged in many slices', async (t) => {
  const { plan, partials, rows } = manyGroups(20_000);
  const work = finishGroups(plan, partials, BYTES);
  let sliceCount = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) sliceCount++;
  t.ok(sliceCount > 40, `${sliceCount} slices`);
  const found = rowsOf(step.value);
  const expected = answerOf(plan, rows);
  // Compared as texts, because comparing lists of this length takes minutes.
  t.ok(textOf(found) === textOf(expected));
  for (const limit of [1, 100, 10_000]) {
    const first = { ...plan, offset: 7, limit };
    t.ok(textOf(rowsOf(finish(first, partials))) === textOf(expected.slice(7, 7 + limit)), `limit ${limit}`);
  }
});

t.test('a result that exceeds its memory is refused with 9006', async (t) => {
  const { plan, partials } = manyGroups(4_000);
  const refused = (bytesMax: number): boolean => {
    try {
      runToEnd(finishGroups(plan, partials, bytesMax));
      return false;
    } catch (error) {
      if (error instanceof QuarryError && error.code === 9006) return true;
      throw error;
    }
  };
  const needed: number[] = [];
  for (let bytes = 2 ** 10; bytes <= 2 ** 24; bytes *= 2) if (!refused(bytes)) needed.push(bytes);
  t.ok(needed[0] > 8_000 * 8 && needed[0] <= 2 ** 22, `${needed[0]} bytes are enough`);
  t.equal(needed.at(-1), 2 ** 24);
});

t.test('a sum of more than 38 digits is refused with 6000', async (t) => {
  const sum: Aggregate = {
    function: 'sum',
    of: inputOf(1, INTEGER),
    distinct: false,
    feed: 'rows',
    fraction: null,
    type: INTEGER,
  };
  const plan = planOf({
    grouping: { keys: [], perEntity: false, aggregates: [sum] },
    outputs: [{ name: 'SUM', type: INTEGER, of: inputOf(0, INTEGER) }],
  });
  const prng = new Prng(SEED);
  const most = 10n ** 38n - 1n;
  const partialsOf = (values: readonly bigint[]): GroupPartial[] =>
    values.map((value) => partialOf(plan, [[0n, value]], prng));
  t.strictSame(rowsOf(finish(plan, partialsOf([most]))), [[most]]);
  t.strictSame(rowsOf(finish(plan, partialsOf([most, most, -most]))), [[most]]);
  t.throws(() => finish(plan, partialsOf([most, 1n])), { code: 6000 });
});
