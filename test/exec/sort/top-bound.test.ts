/** The bound excludes exactly the rows that sort after the last row kept. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { type SortBound, TopBound } from '../../../src/exec/sort/top-bound.js';
import type { SelectPlan } from '../../../src/ir/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../../src/storage/index.js';
import { KEY } from '../../storage/shard-model.js';
import type { StoredColumn } from '../../storage/stored.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, generateEntities } from '../extract/extraction.js';
import { columnOf, ID_INPUT, inputAt, inputOf, PLAIN } from '../scan/select-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const NUMBER = columnOf(3);
const DAY = columnOf(2);

function planBy(column: StoredColumn, descending: boolean): SelectPlan {
  const plan = { ...PLAIN, inputs: [inputOf(column)] };
  return { ...plan, order: [{ of: inputAt(plan, 0), descending }], limit: 10 };
}

/** By row, the column's value; undefined = missing. */
function valuesOf({ segments: [segment] }: DimensionShard, { id }: StoredColumn): (number | undefined)[] {
  const column = segment.latest(id);
  return Array.from({ length: segment.rowCount }, (_, row) => {
    if (column === undefined || !column.has(row)) return undefined;
    const { arena, valuesAt, kind, width } = column;
    if (kind === 'i32' || width === 4) return arena.i32[(valuesAt >> 2) + row];
    return width === 2 ? arena.i16[(valuesAt >> 1) + row] : arena.i8[valuesAt + row];
  });
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: the selected rows that may sort before the bound remain`, async (t) => {
    const prng = new Prng(SEED);
    const wrong: string[] = [];
    let narrowed = 0;
    for (const density of [0.5, 1]) {
      const extraction = new Extraction(module, 1);
      extraction.insert(generateEntities(prng, 900, { idCount: 2_000, wide: false, density }));
      const dimension = extraction.shards[0].find(KEY) as DimensionShard;
      const [segment] = dimension.segments;
      for (let round = 0; round < 200; round++) {
        const [column, descending] = [prng.pick([NUMBER, DAY]), prng.chance(0.5)];
        const values = valuesOf(dimension, column);
        const some = prng.pick(values.filter((value) => value !== undefined)) as number;
        const number = prng.chance(0.1) ? prng.pick([-(2 ** 40), 2 ** 40, 129, -129]) : some;
        const last: SortBound = { leading: descending ? -number : number, isTieAfter: prng.chance(0.5) };
        const bound = TopBound.of(planBy(column, descending), () => last) as TopBound;
        const isWhole = prng.chance(0.3);
        const selected = values.map(() => isWhole || prng.chance(0.5));
        const bitmap = new Uint8Array(BITMAP_BYTES);
        selected.forEach((is, row) => {
          if (is && !isWhole) bitmap[row >> 3] |= 1 << (row & 7);
        });
        const count = bound.narrow(segment, selected.filter((is) => is).length, bitmap);
        const wanted = values.flatMap((value, row) => {
          if (!selected[row] || value === undefined) return [];
          const order = descending ? number - value : value - number;
          return order < 0 || (order === 0 && !last.isTieAfter) ? [row] : [];
        });
        const isAll = count === values.length;
        const got = values.flatMap((_, row) => (isAll || (bitmap[row >> 3] >> (row & 7)) & 1 ? [row] : []));
        const notified = count === 0 ? [] : got;
        if (count !== wanted.length || notified.join() !== wanted.join()) {
          wrong.push(`${column.id}, ${descending}, ${JSON.stringify(last)}: ${count} rows`);
        }
        // A zone may be wider than the range of the values, but never narrower.
        const may = values.some(
          (value) => value !== undefined && (descending ? value >= number : value <= number),
        );
        if (may && !last.isTieAfter && bound.skips(segment)) wrong.push(`${column.id}: rows are skipped`);
        if (count < selected.filter((is) => is).length) narrowed++;
      }
    }
    t.strictSame(wrong.slice(0, 3), []);
    t.ok(narrowed > 200, `${narrowed} of 400 were narrowed`);
  });
}

t.test(
  'no row is excluded while every row may be among the first, or if the last row kept has no value',
  async (t) => {
    const extraction = new Extraction(null, 1);
    extraction.insert(generateEntities(new Prng(SEED), 100, { idCount: 200, wide: false, density: 0.5 }));
    const [segment] = (extraction.shards[0].find(KEY) as DimensionShard).segments;
    const bitmap = new Uint8Array(BITMAP_BYTES);
    const missing = { leading: Number.POSITIVE_INFINITY, isTieAfter: true };
    for (const last of [null, missing]) {
      const bound = TopBound.of(planBy(NUMBER, true), () => last) as TopBound;
      t.equal(bound.skips(segment), false);
      t.equal(bound.narrow(segment, segment.rowCount, bitmap), segment.rowCount);
    }
  },
);

t.test('orders by events, or by anything but a column of integers or days, have no bound', async (t) => {
  const none = (): null => null;
  for (const column of [columnOf(1), columnOf(4), columnOf(5)]) {
    t.equal(TopBound.of(planBy(column, false), none), null, column.kind);
  }
  const byId = { ...PLAIN, inputs: [ID_INPUT] };
  t.equal(TopBound.of({ ...byId, order: [{ of: inputAt(byId, 0), descending: false }] }, none), null);
  const events = { columnId: 21, window: { from: 0, to: 1 }, tests: [] };
  t.equal(TopBound.of({ ...planBy(NUMBER, true), events }, none), null);
});
