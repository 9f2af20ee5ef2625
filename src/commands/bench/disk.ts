/** Measures how long the disk of a folder takes to make a small write durable. */
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';
import { type Measured, percentiles } from './measure.js';

const WRITES = 100;
const WRITE_BYTES = 4_096;

/** Repeatedly overwrites 4 KiB of a temporary file and syncs, as the log does. */
export async function measureDisk(
  fs: FileSystem,
  dir: string,
  elapsedMs: () => number,
): Promise<Pick<Measured, 'p50Ms' | 'p99Ms'>> {
  const file = path.join(dir, 'quarry-bench-sync');
  const bytes = new Uint8Array(WRITE_BYTES).fill(1);
  const handle = await fs.open(file, 'create');
  try {
    await handle.writev([new Uint8Array(WRITE_BYTES * WRITES)], 0);
    await handle.dataSync();
    const times: number[] = [];
    for (let index = 0; index < WRITES; index++) {
      const fromMs = elapsedMs();
      await handle.writev([bytes], index * WRITE_BYTES);
      await handle.dataSync();
      times.push(elapsedMs() - fromMs);
    }
    return percentiles(times);
  } finally {
    await handle.close();
    await fs.remove(file);
  }
}
