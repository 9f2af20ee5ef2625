/** Faults of the disk end the query with an error, release everything and never change an answer. */
import t from 'tap';
import { Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import { pagesOf } from '../../../src/exec/spill/partition-pages.js';
import { RowPartitions } from '../../../src/exec/spill/row-partitions.js';
import { SortedRuns } from '../../../src/exec/spill/sorted-runs.js';
import { vectorKindOf } from '../../../src/vector/index.js';
import { MemoryScratch, type ScratchFaults } from '../../support/memory-scratch.js';
import { generatedVectors, type SpillLimits, shownRow, spillingRun, TYPES } from './spill-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
const KINDS = TYPES.map(vectorKindOf);

interface Outcome {
  /** The rows, sorted; null = an error. */
  readonly rows: string | null;
  readonly code: number | null;
  readonly steps: number;
}

/** Sorts or partitions generated rows. */
function outcomeOf(sorts: boolean, faults: ScratchFaults, limits: SpillLimits = {}): Outcome {
  const scratch = new MemoryScratch(faults);
  const { run, space } = spillingRun(scratch, { shareBytesMax: 1, ...limits });
  const prng = new Prng(SEED);
  const batches = Array.from({ length: 4 }, () => generatedVectors(prng, 300));
  const runs = sorts
    ? new SortedRuns(TYPES, [{ column: 1, descending: false, missingFirst: false }], run)
    : new RowPartitions({ types: TYPES, keys: [0, 1], block: 1 }, 0, run);
  const found: string[] = [];
  let code: number | null = null;
  try {
    const all = Uint32Array.from({ length: 300 }, (_, row) => row);
    for (const batch of batches) runToEnd(runs.add(batch, all, 300));
    const pages = runs instanceof SortedRuns ? runs.merged() : partitionPages(runs, run);
    for (const page of pages) {
      for (let row = 0; row < (page?.count ?? 0); row++) found.push(shownRow(page?.vectors ?? [], row));
    }
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    code = error.code;
  }
  runs.release();
  t.strictSame([run.reservedBytes, space.bytes, scratch.openCount], [0, 0, 0], 'everything is released');
  return { rows: code === null ? found.sort().join('\n') : null, code, steps: scratch.steps };
}

function* partitionPages(partitions: RowPartitions, run: Parameters<typeof pagesOf>[4]) {
  const rows = runToEnd(partitions.finish());
  yield* pagesOf(rows, 0, rows.partitionCount, KINDS, run);
}

for (const sorts of [true, false]) {
  const name = sorts ? 'sorted runs' : 'partitions';
  const whole = outcomeOf(sorts, {});
  t.test(`${name}: a full disk is 9002 and a failing one 189, at every call`, async (t) => {
    t.ok(whole.steps > 4 && whole.rows !== null);
    for (const [fault, code] of [
      ['ENOSPC', 9002],
      ['EDQUOT', 9002],
      ['EIO', 189],
    ] as const) {
      for (let step = 0; step < whole.steps; step++) {
        const found = outcomeOf(sorts, { fault: (at) => (at === step ? fault : undefined) });
        t.equal(found.code, code, `${fault} at ${step}`);
      }
    }
  });

  t.test(`${name}: flipped bits, short reads and pages of others are 189`, async (t) => {
    const prng = new Prng(SEED);
    for (let round = 0; round < 60; round++) {
      let damaged = false;
      const at = prng.below(whole.steps);
      const isShort = prng.chance(0.3);
      const found = outcomeOf(sorts, {
        damage: (bytes, step) => {
          if (step !== at) return bytes.length;
          damaged = true;
          if (isShort) return prng.below(bytes.length);
          bytes[prng.below(bytes.length)] ^= 1 << prng.below(8);
          return bytes.length;
        },
      });
      if (damaged) t.equal(found.code, 189, `round ${round}`);
      else t.equal(found.rows, whole.rows);
    }
  });

  t.test(`${name}: disk beyond the limit is 9006, and a cancelled query 9005`, async (t) => {
    t.equal(outcomeOf(sorts, {}, { diskBytes: 65_535 }).code, 9006);
    t.equal(outcomeOf(sorts, {}, { diskBytes: 2 ** 22 }).rows, whole.rows);
    t.equal(outcomeOf(sorts, {}, { stopFlags: Int32Array.of(0, 1) }).code, 9005);
  });
}
