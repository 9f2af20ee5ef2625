/**
 * The group-by benchmark of H2O.ai, compared with DuckDB:
 *   node dist/native-bench/h2o/main.js [scale] [rounds]
 * Scale 1 (the default) has 10 million rows.
 */
import { runFromCommandLine } from '../suite/suite.js';
import { H2O } from './h2o.js';

await runFromCommandLine('h2o', H2O);
