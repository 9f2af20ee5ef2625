/**
 * The answer to a generated SELECT contains the row for which its conditions were made true (pivot-queries.ts). No other
 * engine is asked. A longer run: node dist/test/metamorphic/trees/pivots.test.js --queries 100000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { RULE_NAMES } from '../../../src/plan/index.js';
import { PivotQueries, pivotText } from './pivot-queries.js';
import { TreeLife } from './tree-life.js';

const { values: options } = parseArgs({
  options: {
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [QUERIES, SEED] = [Number(options.queries), Number(options.seed)];
t.comment(`seed ${SEED}, ${QUERIES} queries`);
t.setTimeout(120_000 + QUERIES * 100);

const LAYOUTS = [
  { shards: 1, workers: 1, simd: true },
  { shards: 3, workers: 2, simd: false, exchange: 'bytes', partitionGroupsMin: 1 },
  { shards: 2, workers: 2, simd: true, disabledRules: () => new Set(RULE_NAMES) },
] as const;
const ROWS_MAX = 15;
const TOGETHER = 4;
const SHOWN = 5;

for (const [index, layout] of LAYOUTS.entries()) {
  const rules = 'disabledRules' in layout ? ', without rules,' : '';
  t.test(`on ${layout.shards} shards${rules} every answer contains its pivot row`, async (t) => {
    const prng = new Prng(SEED * 10 + index);
    const life = await TreeLife.start(t, layout);
    await life.load(prng, ROWS_MAX, 1);
    const queries = new PivotQueries(prng, life.tables);
    const wrong: string[] = [];
    let left = Math.ceil(QUERIES / LAYOUTS.length);
    const some = async (): Promise<void> => {
      for (; left > 0; left--) {
        const query = queries.any();
        const expected = pivotText(query);
        const found = await life.rows(query.sql).catch((error) => [String(error)]);
        if (!found.includes(expected))
          wrong.push(`${query.sql}\n  lacks ${expected}: ${found.slice(0, SHOWN).join(' ')}`);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, some));
    t.strictSame(wrong.slice(0, SHOWN), [], `${wrong.length} answers lack their row`);
  });
}
