/** Distinct texts of several lists, compared with a set of strings. */
import t from 'tap';
import { hashBytes, Prng } from '../../../../src/base/index.js';
import { countDistinctTexts } from '../../../../src/exec/aggregate/states/count-distinct-texts.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { type PartitionedTexts, TEXT_PARTITIONS } from '../../../../src/ir/index.js';
import { collidingTexts } from '../../../support/ingest/colliding.js';
import { partitionedOf } from '../../../support/partitioned.js';

const SEED = 90_210;
t.comment(`seed ${SEED}`);

const enough = (): QueryRun => new QueryRun(null, 0, 2 ** 30);
const countAll = (lists: readonly PartitionedTexts[], run = enough()): number | null =>
  countDistinctTexts(lists, 0, TEXT_PARTITIONS, run);

t.test('texts that occur in several lists count once, for any division of the partitions', async (t) => {
  for (const listCount of [1, 2, 3, 7]) {
    for (const [count, range] of [
      [0, 1],
      [3, 4],
      [200, 300],
      [6_000, 9_000],
      [6_000, 2 ** 30],
    ]) {
      const prng = new Prng(SEED + listCount * count);
      const strings = Array.from({ length: listCount }, () => {
        const own = new Set(
          Array.from(
            { length: count },
            () => `${'é'.repeat(prng.below(3))}${prng.below(range)}${'x'.repeat(prng.below(12))}`,
          ),
        );
        return prng.chance(0.5) ? own.add('') : own;
      });
      const lists = strings.map((own) => partitionedOf([...own].map((text) => Buffer.from(text))));
      const expected = new Set(strings.flatMap((own) => [...own])).size;
      const run = enough();
      t.equal(countAll(lists, run), expected, `${listCount} lists of ${count}`);
      t.equal(run.reservedBytes, 0, 'all memory is released');
      let added = 0;
      for (let from = 0; from < TEXT_PARTITIONS; ) {
        const to = Math.min(TEXT_PARTITIONS, from + prng.between(0, 100));
        added += countDistinctTexts(lists, from, to, enough()) ?? Number.NaN;
        from = to;
      }
      t.equal(added, expected);
    }
  }
});

t.test('a few texts with the same hash are distinguished; for many texts the result is null', async (t) => {
  const textsOf = (from: number, to: number): Uint8Array[] => {
    const bytes = new Uint8Array(collidingTexts(to).buffer);
    return Array.from({ length: to - from }, (_, at) => bytes.slice((from + at) * 8, (from + at + 1) * 8));
  };
  t.equal(new Set(textsOf(0, 20).map((text) => hashBytes(text, 0, text.length))).size, 1);
  t.equal(countAll([partitionedOf(textsOf(0, 8)), partitionedOf(textsOf(4, 12))]), 12);
  t.equal(countAll([partitionedOf(textsOf(0, 4_000)), partitionedOf(textsOf(2_000, 6_000))]), null);
});

t.test('a table without memory is refused, and a canceled query stops', async (t) => {
  const texts = Array.from({ length: 1_000 }, (_, text) => Buffer.from(`${text}`));
  const lists = [partitionedOf(texts), partitionedOf(texts)];
  t.throws(() => countAll(lists, new QueryRun(null, 0, 50)), { code: 9006 });
  t.throws(() => countAll(lists, new QueryRun(Int32Array.of(0, 1), 1, 2 ** 20)), { code: 9005 });
});
