/** Updates, deletes, deleted columns and databases, and expired events, in an engine with real threads. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { Json } from '../../../src/api/index.js';
import { ManualClock } from '../../../src/base/index.js';
import { DEFAULT_PROPERTIES, databaseOf } from '../../../src/catalog/index.js';
import type { Column } from '../../../src/schema/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, DATABASE_ID, makeDir, NOW_MS, QUERY_OPTIONS, TestStore } from '../store.js';

t.setTimeout(120_000);

/** The entities that are deleted and inserted again. */
const LATER_COLUMNS: readonly Json[] = [
  jsonObject({ name: 'tag', type: 'string' }),
  jsonObject({ name: 'visits', type: 'integer-event', 'retention-time': num(30) }),
];
const COLUMNS: Json = [jsonObject({ name: 'number', type: 'integer' }), ...LATER_COLUMNS];
const DAY_MS = 86_400_000;
const dateAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const ALL_TIME = ['1990-01-01', '2100-01-01'];

function body(count: number): Json {
  const entries = Array.from({ length: count }, (_, index): [string, Json] => [
    `e${index}`,
    jsonObject({
      number: num(index),
      tag: `t${index % 10}`,
      visits: jsonObject({ value: num(index), date: dateAt(NOW_MS - (index % 20) * DAY_MS) }),
    }),
  ]);
  return new Map(entries);
}

const tagged = (tag: string): Json => [jsonObject({ tag: jsonObject({ equals: tag }) })];
const visited: Json = [jsonObject({ visits: jsonObject({ gte: num(0), between: ALL_TIME }) })];
const unvisited: Json = ['not', ...(visited as Json[])];

async function open(t: Parameters<typeof TestStore.open>[0], options = {}): Promise<TestStore> {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3, ...options });
  await store.createColumns(COLUMNS);
  await store.insert(body(1000));
  return store;
}

t.test('updates and deletes take effect on all shards, also after a kill and a close', async (t) => {
  const store = await open(t);
  const set = jsonObject({ tag: 'new', visits: jsonObject({ value: num(5), date: '2019-12-30' }) });
  t.equal(await store.mutate(tagged('t3'), set), 100);
  t.equal(await store.mutate(tagged('t4'), null), 100);
  t.equal(await store.mutate(tagged('none'), null), 0);
  const check = async (store: TestStore): Promise<void> => {
    t.equal(await store.total(), 900);
    t.equal(await store.countOne(tagged('new')), 100);
    t.equal(await store.countOne(tagged('t3')), 0);
    t.equal(await store.countOne(tagged('t4')), 0);
    t.equal(await store.countOne(['not', jsonObject({ tag: jsonObject({ equals: 'new' }) })]), 800);
    t.equal(await store.countOne(['not', jsonObject({ 'entity-id': jsonObject({ equals: 'e4' }) })]), 900);
    t.strictSame(await store.exists(['e3', 'e4', 'e14']), [true, false, false]);
    t.match(store.engine.usage(DATABASE_ID), { updatedEntityCount: 100, dayWriteCount: 1100 });
  };
  await check(store);
  const killed = copyDir(t, store.dir);
  await store.close();
  for (const dir of [killed, store.dir]) {
    const again = await TestStore.open(t, dir, { workerCount: 1 });
    await check(again);
    await again.insert(jsonObject({ e4: jsonObject({ tag: 'back' }) }));
    t.equal(await again.countOne(tagged('back')), 1);
    t.equal(await again.countOne([jsonObject({ number: jsonObject({ equals: num(4) }) })]), 0);
    await again.close();
  }
});

t.test(
  'the set values are validated like those of an insert, and a refused update changes nothing',
  async (t) => {
    const store = await open(t);
    for (const [set, code] of [
      [jsonObject({ number: 'text' }), 2007],
      [jsonObject({ absent: num(1) }), 2011],
      [jsonObject({ 'entity-id': 'x' }), 2020],
      [jsonObject({ tag: '' }), 2015],
      [jsonObject({ visits: jsonObject({ value: num(1), date: '2100-01-01' }) }), 2006],
    ] as const) {
      await t.rejects(store.mutate(tagged('t1'), set), { code });
    }
    t.equal(await store.countOne(tagged('t1')), 100);
  },
);

t.test('a deleted column is removed from memory, and from the disk after the next checkpoint', async (t) => {
  const store = await open(t);
  await store.engine.checkpoint();
  const { columns } = databaseOf(store.engine.catalog(), DATABASE_ID).dimensions.get('default') as {
    columns: ReadonlyMap<string, Column>;
  };
  const drop = (name: string) =>
    ({
      change: 'column-deleted',
      databaseId: DATABASE_ID,
      dimensionId: 1,
      columnId: columns.get(name)?.id as number,
    }) as const;
  await store.apply(drop('tag'), drop('visits'));
  const killed = copyDir(t, store.dir);
  await store.createColumns(LATER_COLUMNS);
  t.equal(await store.countOne(tagged('t1')), 0);
  t.equal(await store.countOne(visited), 0);
  t.equal(await store.countOne(unvisited), 0, 'no entity has an event of the new column');
  await store.engine.checkpoint();
  const after = copyDir(t, store.dir);
  await store.close();
  for (const dir of [killed, after]) {
    const again = await TestStore.open(t, dir);
    if (dir === killed) await again.createColumns(LATER_COLUMNS);
    t.equal(await again.total(), 1000);
    t.equal(await again.countOne(tagged('t1')), 0);
    t.equal(await again.countOne(visited), 0);
    t.equal(await again.countOne([jsonObject({ number: jsonObject({ lt: num(10) }) })]), 10);
    await again.close();
  }
});

t.test('a record deletes the events past their retention time', async (t) => {
  const clock = new ManualClock(NOW_MS);
  const store = await open(t, { clock, expiryIntervalMs: 20 });
  t.equal(await store.countOne(visited), 1000);
  clock.advance(20 * DAY_MS);
  // Events of the last ten days before NOW_MS are kept: entities e0 to e9 of every twenty, and e10 to the second.
  for (let tries = 0; (await store.countOne(visited)) === 1000 && tries < 500; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.equal(await store.countOne(visited), 550);
  t.equal(await store.countOne(unvisited), 0, 'an entity without events satisfies neither');
  const killed = copyDir(t, store.dir);
  await store.close();
  const again = await TestStore.open(t, killed, { clock: new ManualClock(NOW_MS) });
  t.equal(await again.countOne(visited), 550);
});

t.test('after the next checkpoint no file contains deleted data, even in an idle store', async (t) => {
  const marker = 'zanzibar-marker';
  const filesWith = (dir: string): string[] =>
    (fs.readdirSync(dir, { recursive: true }) as string[]).filter((name) => {
      const file = path.join(dir, name);
      return fs.statSync(file).isFile() && fs.readFileSync(file).includes(marker);
    });
  for (const how of ['entity', 'column', 'database'] as const) {
    const store = await open(t);
    await store.insert(jsonObject({ marked: jsonObject({ tag: marker }) }));
    t.not(filesWith(store.dir).length, 0, 'the deleted data is in the log');
    await store.engine.checkpoint();
    const tag = databaseOf(store.engine.catalog(), DATABASE_ID).dimensions.get('default')?.columns.get('tag');
    const columnId = tag?.id ?? 0;
    if (how === 'entity') await store.mutate(tagged(marker), null);
    else if (how === 'database') await store.apply({ change: 'database-deleted', databaseId: DATABASE_ID });
    else
      await store.apply({
        change: 'column-deleted',
        databaseId: DATABASE_ID,
        dimensionId: 1,
        columnId,
      });
    await store.engine.checkpoint();
    t.strictSame(filesWith(store.dir), [], how);
    const killed = copyDir(t, store.dir);
    await store.close();
    const again = await TestStore.open(t, killed);
    t.equal(again.engine.catalog().databases.size, how === 'database' ? 0 : 1);
    if (how === 'column') t.equal(await again.total(), 1001);
    if (how === 'entity') t.equal(await again.total(), 1000);
    await again.close();
  }
});

t.test(
  'the data, keys and files of a deleted database are removed; another database is unchanged',
  async (t) => {
    const store = await open(t);
    await store.apply(
      {
        change: 'database-created',
        id: 2,
        name: 'second',
        type: 'production',
        properties: DEFAULT_PROPERTIES,
      },
      { change: 'key-created', key: { hash: 'cd'.repeat(32), kind: 'master', databaseId: 2 } },
    );
    const insert = (databaseId: number, text: string) =>
      store.engine.insert({
        databaseId,
        body: Buffer.from(text),
        customKey: false,
        columnIds: null,
        idempotencyId: null,
        charge: () => {},
      });
    await insert(2, '{"x": {"tag": "only here"}, "auto-create": ["column"]}');
    t.equal(await store.total(), 1000, 'databases share no data');
    const memory = store.engine.stats().memoryUsedBytes;
    await store.apply({ change: 'database-deleted', databaseId: DATABASE_ID });
    await t.rejects(insert(DATABASE_ID, '{"x": {"tag": "late"}}'), { code: 8002 });
    t.equal(store.engine.catalog().databases.size, 1);
    t.strictSame(
      [...store.engine.catalog().keys.values()].map((key) => (key.kind === 'team' ? 0 : key.databaseId)),
      [0, 2],
    );
    await store.engine.checkpoint();
    t.ok(store.engine.stats().memoryUsedBytes < memory);
    const dir = copyDir(t, store.dir);
    await store.close();
    const again = await TestStore.open(t, dir);
    t.equal(again.engine.catalog().databases.size, 1);
    const counts = await again.engine.countEntities(
      [{ databaseId: 2, dimensionId: 1, condition: null }],
      QUERY_OPTIONS,
    );
    t.strictSame(counts, [1]);
  },
);
