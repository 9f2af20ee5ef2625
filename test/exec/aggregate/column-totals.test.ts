/** Totals of columns and events equal the model; other plans have none. */

import t from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { columnTotals } from '../../../src/exec/aggregate/column-totals.js';
import { columnTotalsOf, type Expression, type Input, type SelectPlan } from '../../../src/ir/index.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { MODULES } from '../extract/extract-plans.js';
import { generateAggregate, generateEvent, planOf } from '../items/items-model.js';
import { columnOf, inputAt, inputOf } from '../scan/select-rows.js';
import { compareKernel } from './kernel-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

function totalsPlan(prng: Prng): SelectPlan {
  const events = prng.chance(0.5) ? generateEvent(prng, prng.pick([21, 22])) : null;
  const inputs: Input[] =
    events === null ? [1, 2, 3, 4].map((id) => inputOf(columnOf(id))) : [inputOf(columnOf(events.columnId))];
  const operand = (): Expression => inputAt({ inputs }, prng.below(inputs.length));
  const aggregates = Array.from({ length: 3 }, () => generateAggregate(prng, operand()));
  return planOf(prng, inputs, [], events, { keys: [], perEntity: false, aggregates });
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: totals equal the model`, async (t) => {
    compareKernel(t, module, SEED, totalsPlan, columnTotals);
  });
}

t.test('a plan with keys, a filter, other aggregates or operands has no totals', async (t) => {
  const inputs = [inputOf(columnOf(3)), inputOf(columnOf(4)), inputOf(columnOf(21))];
  const [number, text, event] = inputs.map((_, input) => inputAt({ inputs }, input));
  const sum = { ...COUNT_ROWS, function: 'sum', of: number, type: number.type } as const;
  const plan = (aggregate: object, more: Partial<SelectPlan> = {}): SelectPlan => ({
    ...{ databaseId: 1, dimensionId: 2, condition: null, filter: null, events: null, joins: [], inputs },
    ...{ feeds: [], having: null, outputs: [], distinct: false, order: [], offset: 0, limit: null },
    grouping: { keys: [], perEntity: false, aggregates: [{ ...COUNT_ROWS, ...aggregate }] },
    ...more,
  });
  const statistic = (aggregate: object): string | undefined => columnTotalsOf(plan(aggregate))?.[0].statistic;
  t.equal(statistic({}), 'count');
  t.equal(statistic(sum), 'sum');
  t.equal(statistic({ ...sum, function: 'avg' }), 'sum');
  t.equal(statistic({ ...sum, function: 'max' }), 'max');
  t.equal(statistic({ of: text }), 'count');
  t.equal(statistic({ ...sum, distinct: true }), undefined);
  t.equal(statistic({ ...sum, function: 'stddev' }), undefined);
  t.equal(statistic({ ...sum, function: 'min', of: text }), undefined);
  t.equal(statistic({ ...sum, of: event }), undefined, 'rows are entities');
  t.equal(
    statistic({ ...sum, of: { op: 'call', type: number.type, name: 'abs', args: [number], unit: null } }),
    undefined,
  );
  const grouping = { keys: [text], perEntity: false, aggregates: [COUNT_ROWS] };
  t.equal(columnTotalsOf(plan({}, { grouping })), null);
  t.equal(
    columnTotalsOf(plan({}, { filter: { op: 'constant', type: { type: 'boolean' }, value: true } })),
    null,
  );
});
