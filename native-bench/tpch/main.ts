/**
 * TPC-H beside DuckDB:
 *   node dist/native-bench/tpch/main.js [scale] [rounds]
 * Scale 1 (the default) takes some 5 GB of memory and some minutes.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTpch } from './tpch.js';

const [scale = '1', rounds = '5'] = process.argv.slice(2);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-tpch-'));
try {
  const rows = await runTpch({
    scale: Number(scale),
    rounds: Number(rounds),
    workers: os.availableParallelism(),
    dir,
    say: (text) => process.stdout.write(`${text}\n`),
  });
  const ratios = rows.map(({ quarryMs, duckDbMs }) => duckDbMs / quarryMs);
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  process.stdout.write(
    `geometric mean of the ratios ${mean.toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}\n`,
  );
} finally {
  fs.rmSync(dir, { recursive: true, force: true });
}
