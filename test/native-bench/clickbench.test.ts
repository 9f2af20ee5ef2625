/** The questions of ClickBench on few rows. */
import t from 'tap';
import { CLICKBENCH } from '../../native-bench/clickbench/clickbench.js';
import { runSuite } from '../../native-bench/suite/suite.js';

const TIMEOUT_MS = 240_000;
t.setTimeout(TIMEOUT_MS);

/** Questions that no row of the small table satisfies: their conditions name few rows, or they begin behind the end. */
const EMPTY = [20, 39, 40, 41, 42, 43];

t.test('every answer equals the answer of DuckDB', { timeout: TIMEOUT_MS }, async (t) => {
  const settings = { scale: 0.02, rounds: 1, workers: 2, dir: t.testdir(), say: () => {} };
  const rows = await runSuite(CLICKBENCH, settings);
  t.equal(rows.length, 43);
  for (const { query, rowCount } of rows) {
    if (!EMPTY.includes(query)) t.ok(rowCount > 0, `question ${query}`);
  }
});
