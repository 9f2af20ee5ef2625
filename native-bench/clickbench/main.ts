/**
 * The questions of ClickBench, compared with DuckDB:
 *   node dist/native-bench/clickbench/main.js [scale] [rounds]
 * Scale 1 (the default) has 1 million rows.
 */
import { runFromCommandLine } from '../suite/suite.js';
import { CLICKBENCH } from './clickbench.js';

await runFromCommandLine('clickbench', CLICKBENCH);
