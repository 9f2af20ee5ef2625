/** Writes that take effect once: the deduplication table alone, and in the engine over restarts and connections. */
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import type { Json } from '../../../src/api/index.js';
import { ManualClock, QuarryError } from '../../../src/base/index.js';
import { DeduplicationTable, RETENTION_MS } from '../../../src/engine/write/deduplication.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, makeDir, NOW_MS, TestStore } from '../store.js';

t.setTimeout(120_000);

const entry = (id: string, timeMs: number, lsn = 1) => ({
  id,
  bodyHash: `of ${id}`,
  timeMs,
  lsn,
  answer: [lsn],
});
const never = (): Promise<readonly number[]> => Promise.reject(new Error('the write ran again'));

t.test('an idempotency key returns its first answer, only for the same body', async (t) => {
  const table = new DeduplicationTable(10);
  table.add(entry('a', 1000, 5));
  t.strictSame(await table.run('a', () => 'of a', 1000, never), [5]);
  await t.rejects(
    table.run('a', () => 'other', 1000, never),
    { code: 9001 },
  );
});

t.test('a repeat waits for the first request; if that is refused, the repeat is executed', async (t) => {
  const table = new DeduplicationTable(10);
  const order: string[] = [];
  const write = async (name: string, fails: boolean): Promise<readonly number[]> => {
    order.push(`begin ${name}`);
    await setImmediate();
    order.push(`end ${name}`);
    if (fails) throw new QuarryError(9003);
    table.add(entry('a', 1000, 7));
    return [7];
  };
  const all = await Promise.allSettled([
    table.run(
      'a',
      () => 'of a',
      1000,
      () => write('first', true),
    ),
    table.run(
      'a',
      () => 'of a',
      1000,
      () => write('second', false),
    ),
    table.run(
      'a',
      () => 'of a',
      1000,
      () => write('third', false),
    ),
  ]);
  t.match(all, [{ reason: { code: 9003 } }, { value: [7] }, { value: [7] }]);
  t.strictSame(order, ['begin first', 'end first', 'begin second', 'end second']);
});

t.test('a full table refuses new idempotency keys and drops no key younger than 24 hours', async (t) => {
  const table = new DeduplicationTable(2);
  const write = async (): Promise<readonly number[]> => [1];
  table.add(entry('a', 0));
  table.add(entry('b', 10));
  await t.rejects(
    table.run('c', () => 'of c', RETENTION_MS - 1, write),
    { code: 9003 },
  );
  t.strictSame(await table.run('a', () => 'of a', RETENTION_MS - 1, never), [1]);
  t.strictSame(await table.run('c', () => 'of c', RETENTION_MS, write), [1]);
  t.equal(table.count, 1);
});

const COLUMNS: Json = [
  jsonObject({ name: 'number', type: 'integer' }),
  jsonObject({ name: 'visits', type: 'integer-event' }),
];
const visit = jsonObject({ value: num(1), date: '2016-01-03' });
const BODY = jsonObject({
  a: jsonObject({ number: num(1), visits: visit }),
  b: jsonObject({ visits: visit }),
});
const visitedAtLeast = (times: number): Json => [
  jsonObject({
    visits: jsonObject({ equals: num(1), between: ['2016-01-01', '2016-01-07'], minfreq: num(times) }),
  }),
];

t.test(
  'writes with an idempotency key take effect once: concurrently, after a kill, after a checkpoint and a close',
  async (t) => {
    const dir = makeDir(t);
    let store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 3 });
    await store.createColumns(COLUMNS);
    const answers = await Promise.all([1, 2, 3, 4].map(() => store.insert(BODY, 'insert')));
    for (const answer of answers) t.strictSame(answer, { entityCount: 2, valueCount: 3 });
    const add = (): Promise<number> =>
      store.mutate(visitedAtLeast(1), jsonObject({ visits: visit }), {
        idempotencyId: 'update',
        bodyHash: 'x',
      });
    t.strictSame(await Promise.all([add(), add()]), [2, 2]);
    await t.rejects(store.mutate(visitedAtLeast(1), null, { idempotencyId: 'update', bodyHash: 'y' }), {
      code: 9001,
    });
    const empty = (): Promise<unknown> => store.insert('{}', 'empty');
    t.strictSame(await empty(), { entityCount: 0, valueCount: 0 });
    const check = async (what: string): Promise<void> => {
      t.strictSame(await store.insert(BODY, 'insert'), { entityCount: 2, valueCount: 3 }, what);
      t.equal(await add(), 2, what);
      await t.rejects(store.insert(jsonObject({ a: jsonObject({ number: num(9) }) }), 'empty'), {
        code: 9001,
      });
      t.equal(await store.countOne(visitedAtLeast(2)), 2, what);
      t.equal(await store.countOne(visitedAtLeast(3)), 0, what);
      t.equal(store.engine.stats().idempotencyKeyCount, 3, what);
      t.match(
        store.engine.usage(1),
        { insertedEntityCount: 2, insertedValueCount: 3, updatedEntityCount: 2 },
        what,
      );
    };
    await check('at once');
    const killed = copyDir(t, dir);
    await store.engine.checkpoint();
    await check('during a snapshot');
    const killedLater = copyDir(t, dir);
    await store.close();
    for (const [what, again] of [
      ['after a kill', killed],
      ['after a kill that follows a checkpoint', killedLater],
      ['after a close', dir],
    ]) {
      store = await TestStore.open(t, again, { workerCount: 1 });
      await check(what);
      await store.close();
    }
  },
);

t.test(
  'idempotency keys are dropped after 24 hours, and a write without one is never recorded',
  async (t) => {
    const clock = new ManualClock(NOW_MS);
    const store = await TestStore.open(t, makeDir(t), { clock });
    await store.createColumns(COLUMNS);
    await store.insert(BODY);
    await store.insert(BODY, 'name');
    t.equal(store.engine.stats().idempotencyKeyCount, 1);
    clock.advance(RETENTION_MS);
    await store.insert(BODY, 'name');
    t.equal(await store.countOne(visitedAtLeast(3)), 2);
  },
);
