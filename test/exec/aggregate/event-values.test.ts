/** Distinct (row, value) entries of events do not depend on the number of events that are sorted at a time. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { eachEventValue } from '../../../src/exec/aggregate/event-values.js';
import { numberingOf } from '../../../src/exec/aggregate/numbering.js';
import { RowFilter } from '../../../src/exec/aggregate/row-filter.js';
import { EntitySelection } from '../../../src/exec/condition/selection.js';
import { COLUMNS } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { keyOf, listOf } from './rounds.js';
import { ShardPair } from './shard-pair.js';

const SEED = 61_803;
t.comment(`seed ${SEED}`);

t.test('each pair of entity and value is returned once for any batch size', async (t) => {
  const prng = new Prng(SEED);
  const pair = new ShardPair(null);
  const [integers, texts] = [COLUMNS[10], COLUMNS[11]];
  for (let step = 0; step < 3; step++) {
    pair.apply(
      Array.from({ length: 80 }, (_, at) => ({
        id: `entity-${at}`,
        fields: [integers, texts].map((column) => ({
          column,
          events: Array.from({ length: prng.below(6) }, () => {
            // Some values have more events than fit into a batch.
            const value = prng.chance(0.4) ? 1 : prng.below(60) * 70_000;
            const stored = column.kind === 'code' ? `text-${value}` : BigInt(value);
            return { seconds: 1_500_000_000 + prng.below(1_000), value: stored };
          }),
        })),
      })),
    );
  }
  pair.delete(['entity-3', 'entity-44']);
  const window = { from: 1_500_000_100, to: 1_500_000_900 };
  for (const { id: columnId, kind } of [integers, texts]) {
    const wanted = [...pair.entities].flatMap(([id, { events }]) => {
      const inside = (events.get(columnId) ?? []).filter(
        ({ seconds }) => seconds >= window.from && seconds <= window.to,
      );
      return [...new Set(inside.map(({ value }) => `${pair.rowOf(id)} ${keyOf(value)}`))];
    });
    for (const batchMax of [1, 3, 17, 100, 2 ** 22]) {
      const run = boundedRun();
      const memory = run.child();
      const shard = pair.dimension;
      const filter = new RowFilter(shard, new EntitySelection(shard, null, pair.scratch, run), null, run);
      const numbering = numberingOf(shard, { from: 'events', columnId, kind, window }, memory);
      const found: string[] = [];
      const event = { columnId, window, tests: [] };
      eachEventValue(
        shard,
        event,
        filter,
        numbering,
        memory,
        run,
        (rows, numbers, count) => {
          const values = listOf(numbering.valuesOf(numbers.slice(0, count), run));
          found.push(...values.map((value, at) => `${rows[at]} ${keyOf(value)}`));
        },
        batchMax,
      );
      t.strictSame(found.sort(), [...wanted].sort(), `${kind}, ${batchMax} at a time`);
    }
  }
});
