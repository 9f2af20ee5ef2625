import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import { SortedRuns } from '../../../src/exec/spill/sorted-runs.js';
import { compareRows, concat, type Vector } from '../../../src/vector/index.js';
import { MemoryScratch } from '../../support/memory-scratch.js';
import { generatedVectors, shownRow, spillingRun, TYPES } from './spill-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

interface Key {
  readonly column: number;
  readonly descending: boolean;
  readonly missingFirst: boolean;
}

/** The rows in order, by a plain sort. */
function expectedRows(vectors: readonly Vector[], keys: readonly Key[], count: number): string[] {
  const rows = Array.from({ length: count }, (_, row) => row);
  rows.sort((a, b) => {
    for (const { column, descending, missingFirst } of keys) {
      const { valid } = vectors[column];
      const missing = valid === null ? 0 : Number(valid[a] === 0) - Number(valid[b] === 0);
      if (missing !== 0) return missingFirst ? -missing : missing;
      if (valid !== null && valid[a] === 0) continue;
      const order = compareRows(vectors[column], a, vectors[column], b);
      if (order !== 0) return descending ? -order : order;
    }
    return a - b;
  });
  return rows.map((row) => shownRow(vectors, row));
}

t.test('runs are merged into the order of a stable sort, in one pass or in several', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 12; round++) {
    const batches = Array.from({ length: prng.below(12) }, () => generatedVectors(prng, 1 + prng.below(700)));
    const keys = Array.from({ length: 1 + prng.below(3) }, () => ({
      ...{ column: prng.below(TYPES.length), descending: prng.chance(0.5), missingFirst: prng.chance(0.5) },
    }));
    const scratch = new MemoryScratch();
    const shareBytesMax = prng.pick([undefined, 1, 20_000]);
    // The least memory forces several passes.
    const memoryBytes = shareBytesMax === undefined ? 2 ** 30 : prng.pick([700_000, 2 ** 24]);
    const limits = shareBytesMax === undefined ? { memoryBytes } : { memoryBytes, shareBytesMax };
    const { run, space } = spillingRun(scratch, limits);
    const runs = new SortedRuns(TYPES, keys, run);
    for (const batch of batches) {
      const rows = Uint32Array.from({ length: batch[0].count }, (_, row) => row);
      runToEnd(runs.add(batch, rows, rows.length));
    }
    const found: string[] = [];
    for (const page of runs.merged()) {
      for (let row = 0; row < (page?.count ?? 0); row++) found.push(shownRow(page?.vectors ?? [], row));
    }
    const all = TYPES.map((type, column) =>
      concat(
        batches.map((batch) => batch[column]),
        type,
      ),
    );
    const expected = batches.length === 0 ? [] : expectedRows(all, keys, all[0].count);
    const at = found.findIndex((row, index) => row !== expected[index]);
    t.equal(found.length, expected.length);
    t.equal(at, -1, at === -1 ? '' : `round ${round}: row ${at} is ${found[at]} instead of ${expected[at]}`);
    runs.release();
    t.strictSame([run.reservedBytes, space.bytes, scratch.openCount], [0, 0, 0], 'everything is released');
  }
});
