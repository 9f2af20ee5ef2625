/** The group-by benchmark of H2O.ai on few rows. */
import t from 'tap';
import { H2O } from '../../native-bench/h2o/h2o.js';
import { runSuite } from '../../native-bench/suite/suite.js';

const TIMEOUT_MS = 240_000;
t.setTimeout(TIMEOUT_MS);

t.test('every answer equals the answer of DuckDB', { timeout: TIMEOUT_MS }, async (t) => {
  const rows = await runSuite(H2O, { scale: 0.01, rounds: 1, workers: 2, dir: t.testdir(), say: () => {} });
  t.equal(rows.length, 10);
  for (const { query, rowCount } of rows) t.equal(rowCount, 10, `question ${query}`);
});
