/** Properties of queries of every kind: a single LSN, no stale answers, and limits. */
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Cancellation, Prng, QuarryError } from '../../../src/base/index.js';
import { databaseOf } from '../../../src/catalog/index.js';
import type { QueryOptions } from '../../../src/engine/index.js';
import type { CreateWorkerClient } from '../../../src/engine/workers/worker-client.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  CountEntityPlan,
  ExtractPlan,
  TopLevel,
} from '../../../src/ir/index.js';
import type { WorkerOp } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { DATABASE_ID, makeDir, QUERY_OPTIONS, TestStore } from '../store.js';
import { workersThat } from '../threads.js';

const SEED = 662_607;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const REMEMBERING: QueryOptions = { cancellation: null, bypassCache: false };
const ALL: CountEntityPlan = { databaseId: DATABASE_ID, dimensionId: 1, condition: null };

const column = (name: string, type: string) => jsonObject({ name, 'api-name': name, type });

async function openPairs(t: Test, options: Parameters<typeof TestStore.open>[2] = {}): Promise<TestStore> {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, ...options });
  await store.createColumns([
    column('kind', 'string'),
    column('side', 'string'),
    column('number', 'integer'),
    column('event', 'string-event'),
  ]);
  return store;
}

const columnIdOf = (store: TestStore, name: string): number =>
  databaseOf(store.engine.catalog(), DATABASE_ID).dimensions.get('default')?.columns.get(name)?.id ?? -1;

function level(store: TestStore, name: string): TopLevel {
  const source = { from: 'attribute', columnId: columnIdOf(store, name), kind: 'code' } as const;
  return { source, tests: [], limit: 10, minQuantity: 1, type: 'string', decimalPlaces: null };
}

const aggregation = (levels: readonly TopLevel[]): AggregatePlan => ({
  databaseId: DATABASE_ID,
  dimensionId: 1,
  entities: null,
  levels,
  metric: null,
});

/** Workers that wait before they answer requests of this kind. */
const slowWorkers = (slow: (op: WorkerOp) => boolean, ms: number): CreateWorkerClient =>
  workersThat(async (op) => {
    if (slow(op)) await pause(ms);
  });

t.test('an answer is cached until its database changes, and never hides a write', async (t) => {
  const store = await openPairs(t);
  await store.apply({ change: 'database-created', id: 2, name: 'second', type: 'production' });
  const count = async (options: QueryOptions): Promise<number> =>
    (await store.engine.countEntities([ALL], options))[0];
  t.equal(await count(REMEMBERING), 0);
  const hits = store.engine.stats().cacheHitCount;
  t.equal(await count(REMEMBERING), 0);
  t.equal(store.engine.stats().cacheHitCount, hits + 1, 'the second answer came from the cache');
  t.equal(await count(QUERY_OPTIONS), 0);
  t.equal(store.engine.stats().cacheHitCount, hits + 1, 'a query with "bypass-cache" does not use the cache');

  const insert = (databaseId: number, text: string) =>
    store.engine.insert({
      databaseId,
      body: Buffer.from(text),
      customKey: false,
      columnIds: null,
      idempotencyId: null,
      charge: () => {},
    });
  await insert(2, '{"x": {"tag": "b"}, "auto-create": ["column"]}');
  await count(REMEMBERING);
  await insert(2, '{"y": {"tag": "b"}}');
  const before = store.engine.stats().cacheHitCount;
  t.equal(await count(REMEMBERING), 0);
  t.equal(
    store.engine.stats().cacheHitCount,
    before + 1,
    'rows of another database do not invalidate the answer',
  );

  const prng = new Prng(SEED);
  let wanted = 0;
  for (let step = 0; step < 150; step++) {
    if (prng.chance(0.5)) {
      await store.insert(jsonObject({ [`entity ${step}`]: jsonObject({ number: num(step) }) }));
      wanted++;
    } else if (prng.chance(0.3) && wanted > 0) {
      wanted -= await store.mutate([new Map([['number', new Map([['gte', num(step - 5)]])]])], null);
    }
    t.equal(await count(REMEMBERING), wanted, `step ${step}`);
  }

  // During writes: an answer includes at least the writes that were acknowledged before the query was sent.
  const writing = (async () => {
    for (let step = 0; step < 100; step++) {
      await store.insert(jsonObject({ [`late ${step}`]: jsonObject({ number: num(step) }) }));
      wanted++;
    }
  })();
  const readers = Array.from({ length: 3 }, async () => {
    for (let step = 0; step < 100; step++) {
      const least = wanted;
      const found = await count(REMEMBERING);
      if (found < least) t.fail(`${found} entities where ${least} were acknowledged`);
    }
  });
  await Promise.all([writing, ...readers]);
  t.equal(await count(REMEMBERING), wanted);
});

t.test('a text is cached for its period, and only until the data changes', async (t) => {
  const store = await openPairs(t);
  let computed = 0;
  const read = (key: string, seconds: number) =>
    store.engine.remembered(DATABASE_ID, key, seconds, async () => `${key} ${++computed}`);
  t.equal(await read('a', 5), 'a 1');
  t.equal(await read('a', 5), 'a 1');
  t.equal(await read('b', 5), 'b 2');
  t.equal(await read('a', 0), 'a 3', 'the period had ended');
  await store.insert(jsonObject({ x: jsonObject({ number: num(1) }) }));
  t.equal(await read('a', 5), 'a 4', 'the data changed');
  t.equal(await read('a', 5), 'a 4');
  await t.rejects(
    store.engine.remembered(DATABASE_ID, 'c', 5, () => Promise.reject(new QuarryError(9006))),
    {
      code: 9006,
    },
  );
  t.equal(await read('c', 5), 'c 5', 'a refusal is not cached');
});

t.test('a query of several rounds reads one LSN during writes on several shards', async (t) => {
  const store = await openPairs(t, { shardCount: 5 });
  const plan = aggregation([level(store, 'kind'), level(store, 'side')]);
  let writing = true;
  let written = 0;
  const write = async (): Promise<void> => {
    while (writing) {
      const pair = ['left', 'right'].map((side) => [
        `pair ${written} ${side}`,
        jsonObject({ kind: 'pair', side }),
      ]);
      written++;
      await store.insert(jsonObject(Object.fromEntries(pair)));
    }
  };
  const writers = [write(), write(), write()];
  for (let step = 0; step < 200; step++) {
    const [answer] = await store.engine.aggregate([plan], QUERY_OPTIONS);
    if (answer.answers !== 'values') throw new Error('no values');
    for (const { quantity, next } of answer.rows) {
      if (next?.answers !== 'values') throw new Error('no values');
      const sides = next.rows.map((row) => row.quantity);
      if (sides.length !== 2 || sides[0] !== sides[1] || sides[0] + sides[1] !== quantity) {
        t.fail(`step ${step}: ${quantity} entities of ${sides.join(' and ')}`);
      }
    }
  }
  writing = false;
  await Promise.all(writers);
  const [answer] = await store.engine.aggregate([plan], QUERY_OPTIONS);
  t.match(answer, { rows: [{ value: 'pair', quantity: written * 2 }] });
});

t.test(
  'a query of several rounds over unchanging rows does not delay records of other dimensions',
  async (t) => {
    const store = await openPairs(t, { createWorkerClient: slowWorkers((op) => op === 'select-next', 600) });
    await store.createColumns([jsonObject({ name: 'tag', type: 'string', dimension: 'second' })]);
    await store.insert(jsonObject({ x: jsonObject({ kind: 'a', side: 'b' }) }));
    // Recently changed rows are expected to change again, so the test waits until they count as unchanging.
    await pause(1_100);
    let answered = false;
    const pending = store.engine
      .aggregate([aggregation([level(store, 'kind'), level(store, 'side')])], QUERY_OPTIONS)
      .then(([answer]) => {
        answered = true;
        return answer;
      });
    await store.insert(jsonObject({ y: jsonObject({ tag: 'c', dimension: 'second' }) }));
    t.notOk(answered, 'the record did not wait for the query');
    const next = { answers: 'values', rows: [{ value: 'b', quantity: 1, next: null }] };
    t.strictSame(await pending, { answers: 'values', rows: [{ value: 'a', quantity: 1, next }] });
  },
);

t.test('extractions at one version do not deadlock with queries that wait for them', async (t) => {
  const store = await openPairs(t, { queryTimeoutMs: 20_000 });
  await store.insert(jsonObject({ x: jsonObject({ kind: 'a', side: 'b' }) }));
  const all: ExtractPlan = {
    ...{ databaseId: DATABASE_ID, dimensionId: 1, condition: null, scored: null, near: null },
    ...{ order: [], after: null, limit: 10, columns: [] },
  };
  let writing: Promise<unknown> = Promise.resolve();
  let pending: Promise<unknown> = Promise.resolve();
  const [first, second] = await store.engine.atOneVersion(async (extract) => {
    const before = await extract(all, QUERY_OPTIONS);
    writing = store.insert(jsonObject({ y: jsonObject({ kind: 'a', side: 'b' }) }));
    // The record is durable and waits at the barrier; these queries take all slots and wait there too.
    await pause(300);
    const plan = aggregation([level(store, 'kind'), level(store, 'side')]);
    pending = Promise.all(Array.from({ length: 8 }, () => store.engine.aggregate([plan], QUERY_OPTIONS)));
    await pause(100);
    return [before.length, (await extract(all, QUERY_OPTIONS)).length];
  });
  t.strictSame([first, second], [1, 1], 'the record was not seen in between');
  await writing;
  const answers = (await pending) as (readonly AggregateAnswer[])[];
  for (const [answer] of answers) t.match(answer, { rows: [{ value: 'a', quantity: 2 }] });
});

t.test('a query that waits while a column of its database is deleted is refused', async (t) => {
  const store = await openPairs(t, { createWorkerClient: slowWorkers((op) => op === 'select-next', 300) });
  await store.insert(jsonObject({ x: jsonObject({ kind: 'a', side: 'b' }) }));
  const plan = aggregation([level(store, 'kind')]);
  const pending = Array.from({ length: 6 }, () => store.engine.aggregate([plan], QUERY_OPTIONS));
  const settled = Promise.allSettled(pending);
  const columnId = columnIdOf(store, 'kind');
  await store.apply({ change: 'column-deleted', databaseId: DATABASE_ID, dimensionId: 1, columnId });
  const outcomes = (await settled).map((one) =>
    one.status === 'fulfilled' ? 'answered' : ((one.reason as QuarryError).code ?? 'bug'),
  );
  t.strictSame(outcomes, ['answered', 'answered', 'answered', 'answered', 9004, 9004]);
});

t.test('a query that exceeds its time limit is refused with 9005, and other queries continue', async (t) => {
  const store = await openPairs(t, {
    queryTimeoutMs: 1_000,
    createWorkerClient: slowWorkers((op) => op === 'select-next', 3_000),
  });
  await store.insert(jsonObject({ x: jsonObject({ kind: 'a' }) }));
  await t.rejects(store.engine.aggregate([aggregation([level(store, 'kind')])], QUERY_OPTIONS), {
    code: 9005,
  });
  t.strictSame(await store.engine.countEntities([ALL], QUERY_OPTIONS), [1]);
  const several = aggregation([level(store, 'kind'), level(store, 'side')]);
  await t.rejects(store.engine.aggregate([several], QUERY_OPTIONS), { code: 9005 });
  await store.insert(jsonObject({ y: jsonObject({ kind: 'a' }) }));
  t.strictSame(await store.engine.countEntities([ALL], QUERY_OPTIONS), [2], 'the barrier is open again');
});

t.test('a client that disconnects cancels its query', async (t) => {
  const store = await openPairs(t, { createWorkerClient: slowWorkers((op) => op === 'select-next', 200) });
  let act: (() => void) | null = null;
  const cancellation: Cancellation = {
    isCancelled: false,
    onCancel: (value) => {
      act = value;
    },
  };
  const pending = store.engine.aggregate([aggregation([level(store, 'kind')])], {
    cancellation,
    bypassCache: true,
  });
  t.not(act, null, 'the worker is notified');
  (act as unknown as () => void)();
  await t.rejects(pending, { code: 9005 });
  t.equal(act, null, 'no further request is sent');
  const gone: Cancellation = { isCancelled: true, onCancel: () => {} };
  await t.rejects(store.engine.countEntities([ALL], { cancellation: gone, bypassCache: true }), {
    code: 9005,
  });
});

t.test(
  'a query that needs more than its memory limit is refused with 9006 and releases all memory',
  async (t) => {
    const store = await openPairs(t, { queryBytesMax: 50 });
    const entities = Array.from({ length: 900 }, (_, index): [string, ReturnType<typeof jsonObject>] => [
      `entity ${index}`,
      jsonObject({ kind: `kind ${index}`, event: [jsonObject({ value: 'v', date: '2019-01-01' })] }),
    ]);
    await store.insert(new Map(entities));
    const visited = { event: jsonObject({ equals: 'v', between: ['2018-01-01', '2020-01-01'] }) };
    await t.rejects(store.countOne([jsonObject(visited)]), { code: 9006 });
    await t.rejects(store.engine.aggregate([aggregation([level(store, 'kind')])], QUERY_OPTIONS), {
      code: 9006,
    });
    t.strictSame(await store.engine.countEntities([ALL], QUERY_OPTIONS), [900]);
  },
);
