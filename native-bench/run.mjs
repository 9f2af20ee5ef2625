/** `npm run bench -- [--full] [--only LINE] ...`: builds what is stale, then runs native-bench/main.ts. */
import { buildIfStale } from '../src/tools/build.mjs';

const built = await buildIfStale();
if (built.length > 0) process.stderr.write(`built ${built.join(' and ')}\n`);
await import('../dist/native-bench/main.js');
