/**
 * Generated SELECTs of general form (tree-statements.ts), three levels deep, sent to whole servers and to DuckDB. The servers
 * have several layouts of shards and both kinds of kernels, and the tables have a few rows with many equal and missing values.
 *
 * A longer run: node dist/test/metamorphic/trees/trees.test.js --queries 500000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';
import { TreeLife } from './tree-life.js';
import { TreeStatements } from './tree-statements.js';

const { values: options } = parseArgs({
  options: {
    queries: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [QUERIES, SEED] = [Number(options.queries), Number(options.seed)];
t.comment(`seed ${SEED}, ${QUERIES} queries`);
t.setTimeout(120_000 + QUERIES * 60);

const LAYOUTS = [
  { shards: 1, workers: 1, simd: true, rowsMax: 12 },
  // The workers merge all groups.
  { shards: 2, workers: 2, simd: false, partitionGroupsMin: 1, rowsMax: 40 },
  { shards: 7, workers: 2, simd: true, rowsMax: 25 },
  { shards: 3, workers: 2, simd: true, exchange: 'bytes', rowsMax: 25 },
  // Every operator that can spill its rows does.
  { shards: 2, workers: 2, simd: true, partitionGroupsMin: 1, spillShareBytesMax: 1, rowsMax: 40 },
  { shards: 3, workers: 3, simd: true, exchange: 'bytes', partitionGroupsMin: 1, rowsMax: 25 },
] as const;
const SHOWN = 5;
/** DuckDB accepts at least this share of the statements. */
const TAKEN_MIN = 0.8;

for (const [index, { simd, rowsMax, ...layout }] of LAYOUTS.entries()) {
  const { shards, workers } = layout;
  const spills = 'spillShareBytesMax' in layout ? ', with all rows spilled,' : '';
  t.test(
    `on ${shards} shards and ${workers} workers${spills} every answer is that of DuckDB (${index})`,
    async (t) => {
      const prng = new Prng(SEED * 10 + index);
      const server = await ConformanceServer.start(simd, { ...layout, memoryLimitBytes: 2 ** 32 });
      t.teardown(() => server.stop());
      const life = await TreeLife.start(server);
      t.teardown(() => life.close());
      await life.load(prng, rowsMax);
      const statements = new TreeStatements(prng);
      const count = Math.ceil(QUERIES / LAYOUTS.length);
      const wrong: string[] = [];
      let [refusedCount, rowCount] = [0, 0];
      for (let query = 0; query < count; query++) {
        const sql = statements.any();
        const outcome = await life.compare(
          sql,
          /ORDER BY 1 (ASC|DESC) NULLS LAST(, \d+ (ASC|DESC) NULLS LAST)*( LIMIT \d+)?$/.test(sql),
        );
        if (outcome.is === 'equal') rowCount += outcome.rowCount;
        else if (outcome.is === 'different') wrong.push(`${sql}\n  ${outcome.what}`);
        else refusedCount++;
      }
      t.strictSame(wrong.slice(0, SHOWN), [], `${wrong.length} of ${count} differ`);
      t.ok(refusedCount <= count * (1 - TAKEN_MIN), `DuckDB refuses ${refusedCount} of ${count}`);
      t.comment(`${count} queries, ${rowCount} rows`);
    },
  );
}
