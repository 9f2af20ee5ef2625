/** The 22 queries of TPC-H as its specification writes them. */
import { TPCH_QUERIES } from '../../test/support/sql/tpch.js';
import type { Suite } from '../suite/suite.js';
import { TPCH_IDS, tpchTables } from './tables.js';

export const TPCH: Suite = {
  tables: tpchTables,
  ids: TPCH_IDS,
  queries: TPCH_QUERIES,
  // DuckDB does not know the precision of an interval.
  duckSql: (sql) => sql.replace(`interval '90' day (3)`, `interval '90' day`),
};
