import t from 'tap';
import { BatchSize } from '../../../src/exec/scan/batch-size.js';
import { BATCH_ROWS_MAX } from '../../../src/exec/scan/row-batches.js';

const next = (size: BatchSize, count: number): number[] => Array.from({ length: count }, () => size.next());

t.test('batches grow from the requested size to the maximum', async (t) => {
  const size = new BatchSize();
  size.startWith(1_000);
  t.strictSame(next(size, 5), [1_000, 2_000, 4_000, 8_000, BATCH_ROWS_MAX]);
});

t.test('batches shrink after slices with few batches and grow after slices with many', async (t) => {
  const size = new BatchSize();
  for (const [batches, rows] of [
    [1, [8_192]],
    [1, [1_024]],
    [1, [256]],
    [1, [128]],
    [5, [128, 256, 512, 1_024, 2_048]],
    [3, [4_096, 8_192, 8_192]],
    [1, [2_048]],
  ] as const) {
    t.strictSame(next(size, batches), rows);
    size.rest();
    if (batches === 1) size.rest();
  }
});
