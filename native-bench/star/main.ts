/**
 * A star schema, compared with DuckDB:
 *   node dist/native-bench/star/main.js [scale] [rounds]
 * Scale 1 (the default) has 6 million facts.
 */
import { runFromCommandLine } from '../suite/suite.js';
import { STAR } from './star.js';

await runFromCommandLine('star', STAR);
