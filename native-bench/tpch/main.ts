/**
 * TPC-H, compared with DuckDB:
 *   node dist/native-bench/tpch/main.js [scale] [rounds]
 * Scale 1 (the default) has 6 million line items and takes some 5 GB of memory and some minutes.
 */
import { runFromCommandLine } from '../suite/suite.js';
import { TPCH } from './tpch.js';

await runFromCommandLine('tpch', TPCH);
