/** Counts by code equal the model, and only less frequent strings are omitted if the best are requested. */

import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { countByCode } from '../../../src/exec/aggregate/code-counts.js';
import { ShardOperatorStats } from '../../../src/exec/scan/operator-stats.js';
import { type AggregateState, TEXT } from '../../../src/ir/index.js';
import { Arena } from '../../../src/storage/index.js';
import { fromWire, valueAt } from '../../../src/vector/index.js';
import { KEY } from '../../storage/shard-model.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction } from '../extract/extraction.js';
import { planOf, unbounded } from '../items/items-model.js';
import { columnOf, inputAt, inputOf, PLAIN } from '../scan/select-rows.js';
import { compareKernel } from './kernel-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const inputs = [inputOf(columnOf(4))];
const grouping = { keys: [inputAt({ inputs }, 0)], perEntity: false, aggregates: [COUNT_ROWS, COUNT_ROWS] };

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: strings are counted as in the model, missing ones too`, async (t) => {
    const plan = (prng: Prng) => planOf(prng, inputs, [], null, grouping);
    compareKernel(t, module, SEED, plan, (source, run, stats) => countByCode(source, null, run, stats));
  });
}

t.test('the best strings have exact counts, and the others have at most restMax', async (t) => {
  const prng = new Prng(SEED);
  const extraction = new Extraction(null, 1);
  const column = columnOf(4);
  const wanted = new Map<string, number>();
  const changes = Array.from({ length: 2_000 }, (_, id) => {
    const text = `text ${Math.min(prng.below(300), prng.below(300))}`;
    wanted.set(text, (wanted.get(text) ?? 0) + 1);
    return { id: `entity ${id}`, fields: [{ column, latest: text }] };
  });
  extraction.insert(changes);
  const dimension = extraction.shards[0].dimension(KEY);
  const plan = { ...PLAIN, inputs, grouping };
  for (const best of [1, 10, 100, 299, 1_000]) {
    const source = { dimension, plan, tables: [], scratch: new Arena(null) };
    const run = unbounded();
    const found = countByCode(source, best, run, new ShardOperatorStats(0, false));
    if (found === null) throw new Error('the kernel does not apply');
    const keys = fromWire(found.keys[0]);
    const { counts } = found.states[0] as Extract<AggregateState, { holds: 'count' }>;
    const { restMax = 0 } = found;
    for (let group = 0; group < found.groupCount; group++) {
      const text = valueAt(keys, group) as string;
      t.equal(counts[group], wanted.get(text));
      t.ok(counts[group] > restMax);
    }
    const omitted = [...wanted.values()].filter((of) => of <= restMax).length;
    t.equal(found.groupCount + omitted, wanted.size);
    t.ok(best < wanted.size ? found.groupCount < best : restMax === 0, `${found.groupCount} of ${best}`);
    t.ok(run.reservedBytes > 0, 'the result is reserved');
  }
});

t.test('other plans are not counted by code', async (t) => {
  const extraction = new Extraction(null, 1);
  extraction.insert([{ id: 'a', fields: [{ column: columnOf(4), latest: 'x' }] }]);
  const dimension = extraction.shards[0].dimension(KEY);
  const all = [...inputs, inputOf(columnOf(3)), { type: TEXT, from: 'entity-id' } as const];
  const goes = (more: object): boolean => {
    const plan = { ...PLAIN, inputs: all, grouping: { ...grouping, ...more } };
    const source = { dimension, plan, tables: [], scratch: new Arena(null) };
    return countByCode(source, null, unbounded(), new ShardOperatorStats(0, false)) !== null;
  };
  t.equal(goes({}), true);
  t.equal(goes({ keys: [inputAt({ inputs: all }, 1)] }), false, 'integers have no codes');
  t.equal(goes({ keys: [inputAt({ inputs: all }, 2)] }), false, 'entity IDs have no codes');
  t.equal(goes({ keys: [grouping.keys[0], grouping.keys[0]] }), false);
  t.equal(goes({ perEntity: true }), false);
  t.equal(goes({ aggregates: [{ ...COUNT_ROWS, of: inputAt({ inputs: all }, 1) }] }), false);
});
