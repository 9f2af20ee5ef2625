/** Events and entities by value equal the model, also if events do not fit in one batch. */

import t from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { countByEventValue, countEventValues } from '../../../src/exec/aggregate/event-counts.js';
import type { Aggregate, SelectPlan } from '../../../src/ir/index.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { MODULES } from '../extract/extract-plans.js';
import { generateEvent, planOf } from '../items/items-model.js';
import { columnOf, inputAt, inputOf } from '../scan/select-rows.js';
import { compareKernel } from './kernel-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

function entitiesPlan(prng: Prng): SelectPlan {
  const columnId = prng.pick([21, 22, 23]);
  const { type } = inputOf(columnOf(columnId));
  const inputs = [{ from: 'item', type, source: 0 }] as const;
  const grouping = { keys: [inputAt({ inputs }, 0)], perEntity: false, aggregates: [COUNT_ROWS, COUNT_ROWS] };
  return planOf(prng, inputs, [{ from: 'events', event: generateEvent(prng, columnId) }], null, grouping);
}

function valuesPlan(prng: Prng): SelectPlan {
  const inputs = [inputOf(columnOf(21))];
  const of = inputAt({ inputs }, 0);
  const median: Aggregate = {
    ...COUNT_ROWS,
    function: 'percentile',
    of,
    fraction: 0.5,
    type: { type: 'float' },
  };
  const grouping = { keys: [], perEntity: false, aggregates: [median, median] };
  return planOf(prng, inputs, [], generateEvent(prng, 21), grouping);
}

for (const [kernels, module] of MODULES) {
  for (const batchMax of [2 ** 22, 20, 1]) {
    t.test(`${kernels} kernels: entities by value equal the model in batches of ${batchMax}`, async (t) => {
      compareKernel(
        t,
        module,
        SEED,
        entitiesPlan,
        (source, run, stats) => countByEventValue(source, run, stats, batchMax),
        true,
      );
    });
  }

  t.test(`${kernels} kernels: the values of events are counted if they are narrow`, async (t) => {
    compareKernel(t, module, SEED, valuesPlan, countEventValues, true);
  });
}
