/** The values of a comparison with the greatest statistic are chosen, and equal statistics are recognized. */
import t from 'tap';
import { Prng, type Task } from '../../../src/base/index.js';
import type { ComparedValues, CompareQuestion } from '../../../src/ir/index.js';
import { greatestDifferences } from '../../../src/plan/behaviour/compare.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const question = (limit: number): CompareQuestion => ({
  kind: 'compare',
  segments: [
    { op: 'and', members: [] },
    { op: 'and', members: [] },
  ],
  columns: [],
  limit,
});

function finish<T>(task: Task<T>): T {
  for (let next = task.next(); ; next = task.next()) if (next.done) return next.value;
}

const values = (counts: Readonly<Record<string, readonly [number, number]>>): ComparedValues => ({
  keys: Object.keys(counts),
  counts: Float64Array.from(Object.values(counts).flat()),
});

t.test('partial counts of a value are added, and complements have equal statistics', (t) => {
  const { compared, tested } = finish(
    greatestDifferences(
      question(3),
      [3, 7],
      [
        values({ '0 yes': [1, 2], '0 rare': [0, 1] }),
        values({ '0 no': [1, 4], '0 yes': [1, 1], '1 all': [3, 7] }),
      ],
    ),
  );
  t.equal(tested, 4);
  // yes: 2 of 3 and 3 of 7; no: 1 of 3 and 4 of 7; rare: 0 of 3 and 1 of 7. The statistics of all three are equal.
  t.strictSame(compared.keys, ['0 no', '0 rare', '0 yes']);
  t.strictSame([...compared.counts], [1, 4, 0, 1, 2, 3]);
  t.end();
});

t.test('a bounded list holds the first of all values', (t) => {
  t.comment(`seed ${SEED}`);
  const prng = new Prng(SEED);
  const sizes = [1_000_003, 700_001] as const;
  const all = values(
    Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index): [string, readonly [number, number]] => [
        `${index % 3} v${index}`,
        [prng.below(50), prng.below(50) + 1],
      ]),
    ),
  );
  const whole = finish(greatestDifferences(question(2_000), [...sizes], [all]));
  const first = finish(greatestDifferences(question(17), [...sizes], [all]));
  t.strictSame(first.compared.keys, whole.compared.keys.slice(0, 17));
  t.equal(whole.compared.keys.length, 2_000);
  t.end();
});
