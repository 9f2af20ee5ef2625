/** The sum of several shards' descriptions, and the comparison with the total memory of an engine with real workers. */
import t from 'tap';
import { bytesOf, DATA_USES, NO_DATA_MEMORY } from '../../src/base/index.js';
import { sumOfData } from '../../src/engine/data-sum.js';
import { jsonObject, num } from '../support/generate.js';
import { makeDir, TestStore } from './store.js';

t.test('parts of one dimension are summed, and dimensions are in the order of their IDs', (t) => {
  const part = (databaseId: number, dimensionId: number, bytes: number) => ({
    databaseId,
    dimensionId,
    entityCount: 2,
    eventCounts: [{ columnId: 7, count: 3 }],
    memory: [
      { use: 'values', columnId: 5, bytes },
      { use: 'entity-ids', columnId: 0, bytes: 1 },
    ] as const,
  });
  const sum = (databaseId: number, dimensionId: number, times: number, bytes: number) => ({
    databaseId,
    dimensionId,
    entityCount: 2 * times,
    eventCounts: [{ columnId: 7, count: 3 * times }],
    memory: [
      { use: 'entity-ids', columnId: 0, bytes: times },
      { use: 'values', columnId: 5, bytes },
    ],
  });
  t.strictSame(sumOfData([]), []);
  t.strictSame(sumOfData([part(2, 1, 10), part(1, 2, 20), part(1, 1, 30), part(1, 2, 40)]), [
    sum(1, 1, 1, 30),
    sum(1, 2, 2, 60),
    sum(2, 1, 1, 10),
  ]);
  t.end();
});

t.test(
  'the memory, entities and events that workers report by column equal those that the engine counts',
  async (t) => {
    const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 5 });
    await store.createColumns([
      jsonObject({ name: 'city', type: 'string', storage: 'latest-value', cardinality: 'low' }),
      jsonObject({ name: 'tags', type: 'string', storage: 'list-of-values', cardinality: 'low' }),
      jsonObject({ name: 'visits', type: 'integer-event' }),
    ]);
    const visit = jsonObject({ value: num(1), date: '2016-01-03' });
    const entities = Array.from({ length: 500 }, (_, index): [string, ReturnType<typeof jsonObject>] => [
      `e${index}`,
      jsonObject({ city: `c${index % 7}`, tags: ['a', 'b'], visits: [visit, visit] }),
    ]);
    await store.insert(new Map(entities));
    // Both are computed in one turn without other requests, so they describe the same state.
    const [dimension, ...others] = await store.engine.describeData();
    t.strictSame(others, []);
    t.match(dimension, { databaseId: 1, dimensionId: 1, entityCount: 500 });
    t.strictSame(
      dimension.eventCounts.map(({ count }) => count),
      [1000],
    );
    const described = { ...NO_DATA_MEMORY };
    for (const { use, bytes } of dimension.memory) described[use] += bytes;
    const { memory, memoryUsedBytes } = store.engine.stats();
    for (const use of DATA_USES) {
      t.equal(memory[use], described[use], use);
      // Bitmaps of segments are made when a segment is used.
      t.equal(described[use] > 0, use !== 'segments', `${use} are used`);
    }
    t.equal(bytesOf(memory), memoryUsedBytes);
  },
);
