/** The guarantees of concurrent writes and reads, in an engine with real threads. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Json } from '../../src/api/index.js';
import { Prng, QuarryError } from '../../src/base/index.js';
import { databaseOf } from '../../src/catalog/index.js';
import { jsonObject, num } from '../support/generate.js';
import { copyDir, makeDir, TestStore } from './store.js';

const SEED = 5_772;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

const COLUMNS: Json = [
  jsonObject({ name: 'batch', type: 'integer' }),
  jsonObject({ name: 'visits', type: 'integer-event' }),
];

const entity = (batch: number): Json =>
  jsonObject({ batch: num(batch), visits: jsonObject({ value: num(1), date: '2016-01-03' }) });

/** `count` entities of one request: IDs by batch and number. */
function bodyOf(batch: number, count: number): Json {
  const entries = Array.from({ length: count }, (_, index) => [`b${batch}-${index}`, entity(batch)] as const);
  return new Map<string, Json>(entries);
}

const inBatch = (batch: number): Json[] => [jsonObject({ batch: jsonObject({ equals: num(batch) }) })];
const visitedAtLeast = (times: number): Json[] => [
  jsonObject({
    visits: jsonObject({ equals: num(1), between: ['2016-01-01', '2016-01-07'], minfreq: num(times) }),
  }),
];

/** The code with which `work` is refused, or null; any other failure fails the test. */
async function codeOf(work: Promise<unknown>): Promise<number | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
}

t.test('every later query sees an acknowledged insert', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await store.createColumns(COLUMNS);
  const client = async (number: number): Promise<void> => {
    for (let round = 0; round < 25; round++) {
      const batch = number * 1000 + round;
      await store.insert(bodyOf(batch, 5));
      t.equal(await store.countOne(inBatch(batch)), 5);
      t.strictSame(await store.exists([`b${batch}-4`, `b${batch}-5`]), [true, false]);
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(client));
  t.equal(await store.total(), 8 * 25 * 5);
});

t.test('a count during multi-shard inserts never sees a part of a request', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 5 });
  await store.createColumns(COLUMNS);
  const [requests, size] = [120, 60];
  let running = true;
  let seenBetween = 0;
  const wrong: string[] = [];
  const counter = async (): Promise<void> => {
    for (let last = 0; running; ) {
      const queries = [visitedAtLeast(1), [jsonObject({ batch: jsonObject({ gte: num(0) }) })]];
      const counts = await store.count(
        queries.map((query, index) => jsonObject({ 'query-name': String(index), query })),
      );
      const [events, attributes] = [counts.get('0') as number, counts.get('1') as number];
      if (events % size !== 0 || events !== attributes || events < last)
        wrong.push(`${events}/${attributes} after ${last}`);
      if (events > 0 && events < requests * size) seenBetween++;
      last = events;
      const total = await store.total();
      if (total % size !== 0 || total < last) wrong.push(`total ${total} after ${last}`);
    }
  };
  const writer = async (number: number): Promise<void> => {
    for (let round = 0; round < requests / 4; round++)
      await store.insert(bodyOf(number * 1000 + round, size));
  };
  const counters = [counter(), counter()];
  await Promise.all([0, 1, 2, 3].map(writer));
  running = false;
  await Promise.all(counters);
  t.strictSame(wrong, []);
  t.ok(seenBetween > 3, `${seenBetween} counts were taken between the inserts`);
  t.equal(await store.countOne(visitedAtLeast(1)), requests * size);
});

t.test('eight concurrent requests that create the same columns create each column once', async (t) => {
  const dir = makeDir(t);
  const store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 2 });
  const names = ['alpha', 'beta', 'gamma'];
  const body = (client: number): Json =>
    new Map<string, Json>([
      ['auto-create', ['dimension', 'column']],
      [
        `client-${client}`,
        jsonObject({
          dimension: 'fresh',
          ...Object.fromEntries(names.map((name) => [name, num(client)])),
          [`own-${client}`]: 'x',
        }),
      ],
    ]);
  const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((client) => store.insert(body(client))));
  t.ok(answers.every(({ entityCount, valueCount }) => entityCount === 1 && valueCount === 4));
  const check = async (checked: TestStore): Promise<void> => {
    const model = databaseOf(checked.engine.catalog(), 1);
    const columns = [...(model.dimensions.get('fresh')?.columns.values() ?? [])];
    const owned = Array.from({ length: 8 }, (_, client) => `own-${client}`);
    t.strictSame(columns.map(({ apiName }) => apiName).sort(), [...names, ...owned, 'entity-id'].sort());
    t.equal(new Set(columns.map(({ id }) => id)).size, columns.length, 'column IDs are unique');
    for (const name of names) {
      const query = [jsonObject({ [name]: jsonObject({ range: [num(0), num(7)] }) })];
      t.equal(await checked.countOne(query, 'fresh'), 8, name);
    }
  };
  await check(store);
  await check(await TestStore.open(t, copyDir(t, dir), { workerCount: 1 }));
});

t.test(
  'inserts concurrent with the deletion of their dimension are complete or refused, also after a restart',
  async (t) => {
    const dir = makeDir(t);
    const options = { workerCount: 2, shardCount: 2, checkpointLogBytes: 20_000 };
    const store = await TestStore.open(t, dir, options);
    const prng = new Prng(SEED);
    const codes = new Set<number | null>();
    const writer = async (client: number): Promise<void> => {
      for (let round = 0; round < 30; round++) {
        const entries = Array.from({ length: 20 }, (_, index): [string, Json] => [
          `c${client}-${round}-${index}`,
          jsonObject({
            dimension: 'racing',
            batch: num(round),
            visits: jsonObject({ value: num(1), date: '2016-01-03' }),
          }),
        ]);
        const create: [string, Json][] = client === 0 ? [] : [['auto-create', ['dimension', 'column']]];
        codes.add(await codeOf(store.insert(new Map([...create, ...entries]))));
      }
    };
    const deleter = async (): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        await pause(prng.below(8));
        codes.add(await codeOf(store.deleteDimension('racing')));
      }
    };
    await Promise.all([writer(0), writer(1), writer(2), deleter()]);
    // Without auto-create the dimension may be absent; a second deletion also finds it absent.
    t.strictSame(
      [...codes].filter((code) => ![null, 5008, 2011].includes(code)),
      [],
    );
    await store.insert(
      new Map<string, Json>([
        ['auto-create', ['dimension', 'column']],
        ['last', jsonObject({ dimension: 'racing', batch: num(1) })],
      ]),
    );
    const query = [jsonObject({ batch: jsonObject({ gte: num(0) }) })];
    const stored = async (checked: TestStore): Promise<number[]> => [
      await checked.total(['racing']),
      await checked.countOne(query, 'racing'),
    ];
    const before = await stored(store);
    t.equal(before[0], before[1]);
    t.equal(before[0] % 20, 1, 'all requests are complete, and the last one is present');
    t.strictSame(await stored(await TestStore.open(t, copyDir(t, dir), options)), before, 'after a restart');
    t.strictSame(store.fatals, []);
  },
);

t.test(
  'at the memory limit writes get 9003 and reads continue; a start with a lower limit succeeds',
  async (t) => {
    const dir = makeDir(t);
    const memoryLimitBytes = 3 * 2 ** 20;
    const store = await TestStore.open(t, dir, { memoryLimitBytes });
    await store.createColumns(COLUMNS);
    let acknowledged = 0;
    let refused: number | null = null;
    while (refused === null && acknowledged < 400) {
      refused = await codeOf(store.insert(bodyOf(acknowledged, 500)));
      if (refused === null) acknowledged++;
    }
    t.equal(refused, 9003);
    t.ok(acknowledged > 2, `${acknowledged} requests fitted`);
    t.equal(await store.total(), acknowledged * 500);
    t.equal(await store.countOne(inBatch(0)), 500);
    // The memory of an insert is estimated; tables that double may exceed the estimate a little.
    t.ok(store.engine.stats().memoryUsedBytes <= memoryLimitBytes + 2 ** 20);
    const copy = await TestStore.open(t, copyDir(t, dir), { memoryLimitBytes: 2 ** 20 });
    t.equal(await copy.total(), acknowledged * 500);
    t.equal(await codeOf(copy.insert(bodyOf(9999, 1))), 9003);
    t.equal(await copy.total(), acknowledged * 500, 'the refused insert had no effect');
  },
);

t.test(
  'a store keeps its number of shards with any number of workers, also before its first checkpoint',
  async (t) => {
    const dir = makeDir(t);
    const store = await TestStore.open(t, dir, { workerCount: 2 });
    await store.createColumns(COLUMNS);
    await store.insert(bodyOf(1, 300));
    const ids = Array.from({ length: 100 }, (_, index) => `b1-${index}`);
    for (const workerCount of [1, 3]) {
      const copy = await TestStore.open(t, copyDir(t, dir), { workerCount });
      t.equal(copy.engine.stats().shardCount, 2);
      t.equal(await copy.countOne(inBatch(1)), 300);
      t.ok((await copy.exists(ids)).every(Boolean));
    }
  },
);

t.test('another number of shards moves every entity with its values and events', async (t) => {
  const dir = makeDir(t);
  const store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 2 });
  await store.createColumns(COLUMNS);
  for (let batch = 0; batch < 4; batch++) await store.insert(bodyOf(batch % 3, 200));
  await store.close();
  for (const shardCount of [5, 1, 3]) {
    const moved = await TestStore.open(t, dir, { workerCount: 2, shardCount });
    t.equal(moved.engine.stats().shardCount, shardCount);
    const visitedTwice = await moved.countOne([...visitedAtLeast(2), 'and', ...inBatch(0)]);
    const counts = [await moved.total(), await moved.countOne(inBatch(0)), visitedTwice];
    t.strictSame(counts, [600, 200, 200], `${shardCount} shards`);
    t.ok((await moved.exists(['b0-7', 'b2-199'])).every(Boolean));
    await moved.insert(bodyOf(2, 200));
    t.equal(await moved.total(), 600, 'moved entities are found');
    await moved.close();
  }
});
