import t from 'tap';
import { HASH_SEED, hashBlock, hashBytes, Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import {
  type Aggregate,
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
import { FUNCTIONS, makePlan, makeRows, SIZES, spread } from './generate-groups.js';
import { answerOf, compareRowValues, inputOf, keyOf, partialOf, planOf, type Row } from './model.js';

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

const withHashes = (values: WireVector, hashes: Uint32Array | null): WireVector =>
  values.kind === 'text' ? { ...values, hashes } : values;

const valuesPartial = (values: WireVector, hashes: Uint32Array | null = null): GroupPartial => ({
  groupCount: 1,
  keys: [],
  states: [{ holds: 'values', groups: null, counts: null, values: withHashes(values, hashes) }],
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

t.test(
  'aggregates that no condition and no order reads are computed for the rows of the answer only',
  async (t) => {
    const common = { distinct: false, feed: 'rows', fraction: null } as const;
    const aggregates: Aggregate[] = [
      { ...common, function: 'sum', of: inputOf(1, INTEGER), type: INTEGER },
      { ...common, function: 'count', of: null, type: INTEGER },
    ];
    const outputs = [0, 1, 2].map((index) => ({
      name: `c${index}`,
      type: INTEGER,
      of: inputOf(index, INTEGER),
    }));
    const plan = planOf({
      grouping: { keys: [inputOf(0, INTEGER)], perEntity: false, aggregates },
      outputs,
      order: [{ of: inputOf(2, INTEGER), descending: true }],
    });
    const most = 10n ** 38n - 1n;
    const prng = new Prng(SEED);
    // The sum of group 9 has too many digits.
    const shards = [
      [...Array.from({ length: 8 }, (_, group): Row => [BigInt(group), 1n]), [9n, most], [3n, 5n]],
      [
        [9n, 1n],
        [3n, 7n],
      ],
    ] as const;
    const partials = shards.map((shard) => partialOf(plan, shard, prng));
    t.strictSame(rowsOf(finish({ ...plan, limit: 1 }, partials)), [[3n, 13n, 3n]]);
    t.throws(() => finish({ ...plan, limit: 2 }, partials), { code: 6000 });
    const having: SelectPlan['having'] = {
      ...{ op: 'is-null', type: { type: 'boolean' }, negated: true },
      of: inputOf(1, INTEGER),
    };
    t.throws(() => finish({ ...plan, limit: 1, having }, partials), { code: 6000 });
  },
);
