import t from 'tap';
import { type MemoryAccount, Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import { FLOAT, INTEGER, TEXT } from '../../../src/ir/index.js';
import { mergeMemory } from '../../../src/plan/merge-memory.js';
import { comparatorOf, sortedRows } from '../../../src/plan/select/row-order.js';
import type { OrderColumn } from '../../../src/plan/select/sort-keys.js';
import { type SqlType, type Value, vectorOf } from '../../../src/vector/index.js';
import { compareValues } from './model.js';

const SEED = 314_159;
t.comment(`seed ${SEED}`);

const enough = (): MemoryAccount => mergeMemory(2 ** 30);

type Make = (prng: Prng) => Value;

/** Values that are often equal, share prefixes, or are far apart. */
const MAKES: readonly (readonly [type: SqlType, make: Make])[] = [
  [INTEGER, (prng) => BigInt(prng.below(3))],
  [INTEGER, (prng) => BigInt(prng.between(-1_000_000, 1_000_000))],
  [INTEGER, (prng) => BigInt(prng.between(-9, 9)) * 2n ** BigInt(prng.below(49))],
  [INTEGER, (prng) => BigInt(prng.between(-9, 9)) * 2n ** 62n + BigInt(prng.below(4))],
  [FLOAT, (prng) => prng.pick([0, -0, 1, -1, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, prng.unit()])],
  [FLOAT, (prng) => 1 + prng.below(9) * Number.EPSILON],
  [{ type: 'boolean' }, (prng) => prng.chance(0.5)],
  [
    TEXT,
    (prng) => `${prng.pick(['', 'a', 'a\0', 'a\0\0\0\0', 'ä', '😀', '\uffff'])}${prng.pick(['', '\0', 'b'])}`,
  ],
  [TEXT, (prng) => `https://example.org/${prng.pick(['x', 'xy', 'a/long/path/to/'])}${prng.below(400)}`],
  [TEXT, (prng) => 'z'.repeat(prng.below(40))],
  [TEXT, () => 'the same'],
];

interface Made {
  readonly column: OrderColumn;
  readonly values: readonly Value[];
}

function makeColumn(prng: Prng, count: number): Made {
  const [type, make] = prng.pick(MAKES);
  const missing = prng.pick([0, 0, 0.1, 1]);
  const values = Array.from({ length: count }, () => (prng.chance(missing) ? null : make(prng)));
  return { column: { vector: vectorOf(type, values), descending: prng.chance(0.5) }, values };
}

t.test('rows are sorted by all columns, missing values last, and equal rows keep their order', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 120; round++) {
    const count = prng.pick([0, 1, 2, 20, 1_025, 5_000]);
    const made = Array.from({ length: prng.below(4) }, () => makeColumn(prng, count));
    const columns = made.map(({ column }) => column);
    const compare = (a: number, b: number): number => {
      for (const { column, values } of made) {
        const order = compareValues(values[a], values[b], column.descending);
        if (order !== 0) return order;
      }
      return 0;
    };
    const expected = Uint32Array.from(Array.from({ length: count }, (_, row) => row).sort(compare));
    for (const wanted of [0, 1, Math.floor(count / 10), Math.floor(count / 2), count, count + 5]) {
      const rows = runToEnd(sortedRows(columns, count, wanted, enough()));
      t.equal(rows.join(), expected.slice(0, wanted).join(), `round ${round}, ${wanted} of ${count}`);
    }
    const sign = comparatorOf(columns);
    for (let pair = 0; pair < Math.min(count, 50); pair++) {
      const [a, b] = [prng.below(count), prng.below(count)];
      if (Math.sign(sign(a, b)) !== Math.sign(compare(a, b))) t.fail(`round ${round}, rows ${a} and ${b}`);
    }
  }
});

t.test('long sorts are divided into slices', async (t) => {
  const prng = new Prng(SEED);
  const count = 50_000;
  const texts = Array.from({ length: count }, () => `user-${prng.u32()}`);
  const columns = [{ vector: vectorOf(TEXT, texts), descending: false }];
  for (const wanted of [10, count]) {
    let sliceCount = 0;
    for (const _ of sortedRows(columns, count, wanted, enough())) sliceCount++;
    t.ok(sliceCount >= count / 2_048 - 1, `${sliceCount} slices`);
  }
});

t.test('memory is reserved first', async (t) => {
  const count = 20_000;
  const columns = [
    {
      vector: vectorOf(
        INTEGER,
        Array.from({ length: count }, (_, row) => BigInt(row % 77)),
      ),
      descending: true,
    },
  ];
  const work = (bytes: number) => () => runToEnd(sortedRows(columns, count, count, mergeMemory(bytes)));
  for (const bytes of [0, 80_000, 240_000]) t.throws(work(bytes), QuarryError);
  t.doesNotThrow(work(2_000_000));
});
