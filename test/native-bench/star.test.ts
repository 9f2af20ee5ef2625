/** All queries of the star schema, on tables that `quarry import` made of Parquet files. */
import t from 'tap';
import { STAR } from '../../native-bench/star/star.js';
import { runSuite } from '../../native-bench/suite/suite.js';

const TIMEOUT_MS = 240_000;
t.setTimeout(TIMEOUT_MS);

t.test('every answer equals the answer of DuckDB', { timeout: TIMEOUT_MS }, async (t) => {
  const rows = await runSuite(STAR, { scale: 0.01, rounds: 1, workers: 2, dir: t.testdir(), say: () => {} });
  t.equal(rows.length, STAR.queries.length);
  // Cities and brands are rare among so few rows.
  t.ok(rows.filter(({ rowCount }) => rowCount === 0).length <= 4);
});
