/** All 22 queries of TPC-H, as the specification writes them, on tables that `quarry import` made of Parquet files. */
import t from 'tap';
import { runSuite } from '../../native-bench/suite/suite.js';
import { TPCH } from '../../native-bench/tpch/tpch.js';

const TIMEOUT_MS = 240_000;
t.setTimeout(TIMEOUT_MS);

t.test('every answer equals the answer of DuckDB', { timeout: TIMEOUT_MS }, async (t) => {
  const rows = await runSuite(TPCH, { scale: 0.01, rounds: 1, workers: 2, dir: t.testdir(), say: () => {} });
  t.equal(rows.length, 22);
  // Queries for parts of large orders return nothing, because there are few rows.
  t.ok(rows.filter(({ rowCount }) => rowCount === 0).length <= 2);
});
