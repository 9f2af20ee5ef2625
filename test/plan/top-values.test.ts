import t from 'tap';
import { type MemoryAccount, Prng, runToEnd } from '../../src/base/index.js';
import type { TopLevel } from '../../src/ir/index.js';
import { mergeMemory } from '../../src/plan/merge-memory.js';
import { checkRowCount, RESULT_ROWS_MAX, topValues } from '../../src/plan/top-values.js';
import { textReader } from '../../src/plan/value-lists.js';
import { type ColumnType, compareText } from '../../src/schema/index.js';
import { type Counted, countsOf, keyOf, listOf, type Plain, type PlainKind, plainOf } from './values.js';

const SEED = 244_948;
t.comment(`seed ${SEED}`);

const enough = (): MemoryAccount => mergeMemory(2 ** 30);

function levelOf(
  type: ColumnType,
  limit: number,
  minQuantity = 1,
  decimalPlaces: number | null = null,
): TopLevel {
  return { source: { from: 'entity-id' }, tests: [], type, decimalPlaces, limit, minQuantity };
}

interface PlainRow {
  readonly parent: number;
  readonly text: string;
  readonly quantity: number;
}

/** Sorts all values and keeps the first ones of each group. */
function expectedRows(kind: PlainKind, level: TopLevel, counted: readonly Counted[]): PlainRow[] {
  const textOf = textReader(
    listOf(
      kind,
      counted.map(({ value }) => value),
    ),
    level,
  );
  const sorted = counted
    .map(({ groupKey, count }, index) => ({ parent: groupKey, text: textOf(index), quantity: count }))
    .filter(({ quantity }) => quantity >= level.minQuantity)
    .sort((a, b) => a.parent - b.parent || b.quantity - a.quantity || compareText(a.text, b.text));
  const perGroup = new Map<number, number>();
  return sorted.filter(({ parent }) => {
    perGroup.set(parent, (perGroup.get(parent) ?? 0) + 1);
    return (perGroup.get(parent) as number) <= level.limit;
  });
}

function foundRows(
  kind: PlainKind,
  level: TopLevel,
  counted: readonly Counted[],
  groupKeyCount: number,
): PlainRow[] {
  const rows = runToEnd(
    topValues(level, countsOf(kind, counted, groupKeyCount > 1), groupKeyCount, 0, enough()),
  );
  const textOf = textReader(rows.values, level);
  return rows.texts.map((text, index) => {
    if (textOf(index) !== text) t.fail(`row ${index} is ${text}, but its value has text ${textOf(index)}`);
    return { parent: rows.parents[index], text, quantity: rows.quantities[index] };
  });
}

interface Case {
  readonly kind: PlainKind;
  readonly type: ColumnType;
  readonly places?: number;
  readonly make: (prng: Prng) => Plain;
}

const CASES: readonly Case[] = [
  {
    kind: 'text',
    type: 'string',
    make: (prng) => `${prng.pick(['', 'ß', 'long common beginning '])}${prng.below(10_000)}`,
  },
  { kind: 'i64', type: 'integer', make: (prng) => BigInt(prng.between(-5_000, 5_000)) },
  {
    kind: 'i64',
    type: 'integer',
    make: (prng) => BigInt(prng.between(-5_000, 5_000)) * 1_000_000_000_000_003n,
  },
  { kind: 'i64', type: 'decimal', places: 3, make: (prng) => BigInt(prng.between(-20_000, 20_000)) },
  { kind: 'i64', type: 'datetime', make: (prng) => BigInt(prng.between(-100_000, 100_000)) },
  { kind: 'i64', type: 'boolean', make: (prng) => BigInt(prng.below(2)) },
  {
    kind: 'geo',
    type: 'geolocation',
    make: (prng) => [prng.between(-18_000, 18_000) / 100, prng.between(-9, 9)],
  },
];

function table(
  make: (prng: Prng) => Plain,
  prng: Prng,
  size: number,
  groupKeyCount: number,
  most: number,
): Counted[] {
  const made = new Map<string, Counted>();
  for (let index = 0; index < size; index++) {
    const [groupKey, value] = [prng.below(groupKeyCount), make(prng)];
    made.set(`${groupKey} ${keyOf(value)}`, { groupKey, value, count: prng.between(1, most) });
  }
  return [...made.values()];
}

for (const { kind, type, places = null, make } of CASES) {
  t.test(`the top values of ${type} are sorted by quantity, then by text`, async (t) => {
    const prng = new Prng(SEED);
    for (const groupKeyCount of [1, 4, 500]) {
      for (const most of [1, 3, 10_000]) {
        const counted = table(make, prng, 1_500, groupKeyCount, most);
        for (const limit of [1, 2, 10, 1_000]) {
          for (const minQuantity of [1, 2]) {
            const level = levelOf(type, limit, minQuantity, places);
            t.strictSame(
              foundRows(kind, level, counted, groupKeyCount),
              expectedRows(kind, level, counted),
              `top ${limit} from ${minQuantity} in ${groupKeyCount} groups of counts up to ${most}`,
            );
          }
        }
      }
    }
  });
}

t.test('of a hundred thousand ties, the first ones by text are selected in any input order', async (t) => {
  const prng = new Prng(SEED);
  const ascending = Array.from({ length: 100_000 }, (_, index) => BigInt(index - 20_000));
  const shuffled = ascending.map((value) => ({ value, by: prng.u32() })).sort((a, b) => a.by - b.by);
  const orders = [ascending, ascending.toReversed(), shuffled.map(({ value }) => value)];
  for (const values of orders) {
    const counted = values.map((value) => ({ groupKey: 0, value, count: 1 }));
    t.strictSame(
      foundRows('i64', levelOf('integer', 6), counted, 1).map(({ text }) => text),
      ['-1', '-10', '-100', '-1000', '-10000', '-10001'],
    );
    const level = levelOf('decimal', 1_000, 1, 2);
    t.strictSame(foundRows('i64', level, counted, 1), expectedRows('i64', level, counted));
  }
});

t.test('ties at the last rank do not displace greater quantities', async (t) => {
  const counted = ['9', '10', '2', '100', '1'].map((value, index) => ({
    groupKey: 0,
    value: BigInt(value),
    count: index === 0 ? 5 : 2,
  }));
  const rows = foundRows('i64', levelOf('integer', 3), counted, 1);
  t.strictSame(
    rows.map(({ text }) => text),
    ['9', '1', '10'],
  );
});

t.test('the rows of a level have separate memory', async (t) => {
  const counted = Array.from({ length: 5_000 }, (_, index) => ({ groupKey: 0, value: `${index}`, count: 1 }));
  const { values } = runToEnd(
    topValues(levelOf('string', 2), countsOf('text', counted, false), 1, 0, enough()),
  );
  t.strictSame(plainOf(values), ['0', '1']);
  if (values.kind === 'text') t.equal(values.bytes.buffer.byteLength, 2, 'the buffer contains nothing else');
});

t.test('a result with too many rows, or with too much memory, is refused with 9006', async (t) => {
  const counted = countsOf(
    'text',
    Array.from({ length: 100 }, (_, index) => ({ groupKey: 0, value: `${index}`, count: 1 })),
    false,
  );
  const level = levelOf('string', 50);
  t.equal(runToEnd(topValues(level, counted, 1, RESULT_ROWS_MAX - 50, enough())).texts.length, 50);
  t.throws(() => runToEnd(topValues(level, counted, 1, RESULT_ROWS_MAX - 49, enough())), {
    code: 9006,
    message: /1000000 rows/,
  });
  t.throws(() => runToEnd(topValues(level, counted, 1, 0, mergeMemory(10_000))), { code: 9006 });
  t.doesNotThrow(() => checkRowCount(RESULT_ROWS_MAX));
  t.throws(() => checkRowCount(RESULT_ROWS_MAX + 1), { code: 9006 });
});

t.test('a shard that counts in a group that was not requested is a bug', async (t) => {
  const counted = countsOf('text', [{ groupKey: 3, value: 'a', count: 1 }], true);
  t.throws(() => runToEnd(topValues(levelOf('string', 1), counted, 3, 0, enough())), {
    name: 'InvariantError',
  });
});
