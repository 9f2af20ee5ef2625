/** Totals of events by bucket equal the model, in full segments and in others. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { bucketTotals } from '../../../src/exec/aggregate/bucket-totals.js';
import { ShardOperatorStats } from '../../../src/exec/scan/operator-stats.js';
import type { SelectPlan } from '../../../src/ir/index.js';
import { Arena } from '../../../src/storage/index.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, WINDOW_START } from '../extract/extraction.js';
import {
  difference,
  generateAggregate,
  generateBuckets,
  generateEvent,
  kernelGroups,
  naiveGroups,
  planOf,
} from '../items/items-model.js';
import { columnOf, dateInput, INTEGER, inputAt, inputOf } from '../scan/select-rows.js';
import { compareKernel } from './kernel-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

function bucketsPlan(prng: Prng, columnId: number = prng.pick([21, 22])): SelectPlan {
  const events = generateEvent(prng, columnId);
  const inputs = [
    inputOf(columnOf(columnId)),
    { ...dateInput(columnId), type: INTEGER },
    { from: 'item', type: INTEGER, source: 0 },
  ] as const;
  const buckets = generateBuckets(prng, events.window);
  const aggregates = Array.from({ length: 2 }, () => generateAggregate(prng, inputAt({ inputs }, 0)));
  const grouping = { keys: [inputAt({ inputs }, 2)], perEntity: false, aggregates };
  return planOf(prng, inputs, [{ from: 'buckets', buckets, window: events.window }], events, grouping);
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: totals by bucket equal the model`, async (t) => {
    compareKernel(t, module, SEED, bucketsPlan, bucketTotals);
  });

  t.test(`${kernels} kernels: so do those of a full segment, which is in order of dates`, async (t) => {
    const prng = new Prng(SEED);
    const extraction = new Extraction(module, 1);
    const column = columnOf(21);
    for (let from = 0; from < SEGMENT_ROWS_MAX + 100; from += 4_000) {
      const events = Array.from({ length: 4_000 }, () => ({
        seconds: WINDOW_START + prng.below(3_000),
        value: BigInt(prng.between(-100, 100)) * prng.pick([1n, 2n ** 40n]),
      }));
      extraction.insert([{ id: `entity ${from}`, fields: [{ column, events }] }]);
    }
    const scratch = new Arena(module);
    for (let requested = 0; requested < 8; requested++) {
      const plan = bucketsPlan(prng, 21);
      const found = kernelGroups(extraction, plan, (dimension, run) =>
        bucketTotals({ dimension, plan, tables: [], scratch }, run, new ShardOperatorStats(0, false)),
      );
      t.equal(found && difference(plan, found, naiveGroups(extraction.entities, plan)), null);
    }
  });
}
