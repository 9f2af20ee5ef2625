/** Groups by booleans and narrow integers, and aggregates of narrow integers, equal the model. */

import t from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { aggregateNarrow, countByNarrow } from '../../../src/exec/aggregate/narrow-counts.js';
import type { Aggregate, SelectPlan } from '../../../src/ir/index.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { MODULES } from '../extract/extract-plans.js';
import { planOf } from '../items/items-model.js';
import { columnOf, inputAt, inputOf } from '../scan/select-rows.js';
import { compareKernel } from './kernel-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

/** Columns of the model: booleans and integers. */
const [BITS, INTEGERS] = [1, 3];

function groupsPlan(prng: Prng, columnId: number): SelectPlan {
  const inputs = [inputOf(columnOf(columnId))];
  const grouping = { keys: [inputAt({ inputs }, 0)], perEntity: false, aggregates: [COUNT_ROWS, COUNT_ROWS] };
  return planOf(prng, inputs, [], null, grouping);
}

function aggregatesPlan(prng: Prng): SelectPlan {
  const inputs = [inputOf(columnOf(INTEGERS))];
  const of = inputAt({ inputs }, 0);
  const aggregates = Array.from({ length: 3 }, (): Aggregate => {
    const name = prng.pick(['count', 'sum', 'min', 'max', 'stddev', 'percentile'] as const);
    const fraction = name === 'percentile' ? 0.5 : null;
    return { ...COUNT_ROWS, function: name, of, fraction, type: of.type };
  });
  return planOf(prng, inputs, [], null, { keys: [], perEntity: false, aggregates });
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: booleans are counted as in the model, missing ones too`, async (t) => {
    compareKernel(t, module, SEED, (prng) => groupsPlan(prng, BITS), countByNarrow);
  });

  t.test(`${kernels} kernels: narrow integers are counted as in the model, missing ones too`, async (t) => {
    compareKernel(t, module, SEED, (prng) => groupsPlan(prng, INTEGERS), countByNarrow, true);
  });

  t.test(`${kernels} kernels: aggregates of narrow integers equal the model`, async (t) => {
    compareKernel(t, module, SEED, aggregatesPlan, aggregateNarrow, true);
  });
}
