/** Expiry of events and jumps of the clock, in an engine with real threads. */
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { changeColumn, type Json } from '../../../src/api/index.js';
import { ManualClock } from '../../../src/base/index.js';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  DEFAULT_PROPERTIES,
  databaseOf,
  EMPTY_CATALOG,
} from '../../../src/catalog/index.js';
import type { EngineOptions } from '../../../src/engine/index.js';
import { isExpired } from '../../../src/engine/lifecycle/expiry.js';
import { ClockWatch } from '../../../src/engine/lifecycle/retention.js';
import { Writer, type WriterDependencies } from '../../../src/engine/write/writer.js';
import type { Column } from '../../../src/schema/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, DATABASE_ID, makeDir, NOW_MS, TestStore } from '../store.js';

t.setTimeout(120_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN_YEARS_MS = 3_653 * DAY_MS;
const ENTITIES = 40;
/** The events of entity `e<index>` are `index` days old. */
const RETENTION_DAYS = 30;
const dateAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const visited: Json = [
  jsonObject({ visits: jsonObject({ gte: num(0), between: ['1990-01-01', '2100-01-01'] }) }),
];

const insert = (store: TestStore, id: string, ms: number): Promise<unknown> =>
  store.insert(jsonObject({ [id]: jsonObject({ visits: jsonObject({ value: num(1), date: dateAt(ms) }) }) }));

async function open(t: Test, options: Partial<EngineOptions>, days = RETENTION_DAYS): Promise<TestStore> {
  const store = await TestStore.open(t, makeDir(t), { expiryIntervalMs: 10, ...options });
  await store.createColumns([
    jsonObject({ name: 'visits', type: 'integer-event', 'retention-time': num(days) }),
  ]);
  for (let index = 0; index < ENTITIES; index++) {
    await insert(store, `e${index}`, NOW_MS - Math.floor((index * (RETENTION_DAYS - 1) * DAY_MS) / ENTITIES));
  }
  return store;
}

const isSuspended = (store: TestStore): boolean => store.engine.stats().retentionSuspended === 1;

/** Waits until the condition is true, for a few seconds at most. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isSo()) return true;
    await pause(10);
  }
  return false;
}

const resume = (store: TestStore): Promise<void> =>
  store.apply({ change: 'retention-set', suspended: false });

for (const [what, jumpMs] of [
  ['forward ten years', TEN_YEARS_MS],
  ['forward two days', 2 * DAY_MS],
  ['back ten years', -TEN_YEARS_MS],
] as const) {
  t.test(`a clock that was set ${what} expires no event until it is confirmed`, async (t) => {
    const clock = new ManualClock(NOW_MS);
    const store = await open(t, { clock });
    clock.jump(jumpMs);
    t.ok(await until(() => isSuspended(store)), 'suspended, as /metrics shows');
    t.match(store.warnings.join(), /the clock jumped.*"jumpSeconds":/);
    await pause(100);
    t.equal(await store.countOne(visited), ENTITIES, 'queries are answered, and no event expired');
    clock.jump(-jumpMs);
    await pause(50);
    t.ok(isSuspended(store), 'no event expires after the clock is set back either');
    await resume(store);
    await pause(100);
    t.notOk(isSuspended(store));
    t.equal(await store.countOne(visited), ENTITIES, 'nothing had expired');
    clock.advance(RETENTION_DAYS * DAY_MS + 2 * DAY_MS);
    t.ok(await until(async () => (await store.countOne(visited)) === 0), 'events expire as time passes');
  });
}

t.test('confirming a clock far ahead expires the events that are too old by it', async (t) => {
  const clock = new ManualClock(NOW_MS);
  const store = await open(t, { clock });
  clock.jump(TEN_YEARS_MS);
  t.ok(await until(() => isSuspended(store)));
  await resume(store);
  t.ok(await until(async () => (await store.countOne(visited)) === 0));
});

t.test(
  'an hour back, a leap day, and a jump in a store without retention do not suspend expiry',
  async (t) => {
    const clock = new ManualClock(Date.UTC(2024, 1, 28, 22));
    const store = await TestStore.open(t, makeDir(t), { clock, expiryIntervalMs: 5 });
    await store.createColumns([
      jsonObject({ name: 'visits', type: 'integer-event', 'retention-time': num(RETENTION_DAYS) }),
    ]);
    clock.jump(-HOUR_MS);
    await pause(50);
    for (let hour = 0; hour < 72; hour++) {
      clock.advance(HOUR_MS);
      await insert(store, `h${hour}`, clock.nowMs());
    }
    t.notOk(isSuspended(store));
    t.equal(await store.countOne(visited), 72);
    const forever = await TestStore.open(t, makeDir(t), { clock, expiryIntervalMs: 5 });
    clock.jump(TEN_YEARS_MS);
    await pause(100);
    t.notOk(isSuspended(forever));
  },
);

t.test('an event in the future of the current clock is refused, before and after a jump', async (t) => {
  const clock = new ManualClock(NOW_MS);
  const store = await open(t, { clock });
  await t.rejects(insert(store, 'late', NOW_MS + DAY_MS), { code: 2006 });
  clock.jump(-HOUR_MS);
  await t.rejects(insert(store, 'late', NOW_MS), { code: 2006 });
  await insert(store, 'early', NOW_MS - HOUR_MS);
});

t.test(
  'a suspension persists over a kill, a close and a checkpoint, and only a confirmation ends it',
  async (t) => {
    const clock = new ManualClock(NOW_MS);
    const store = await open(t, { clock });
    clock.jump(TEN_YEARS_MS);
    t.ok(await until(() => isSuspended(store)));
    const killed = copyDir(t, store.dir);
    await store.engine.checkpoint();
    await store.close();
    for (const dir of [killed, store.dir]) {
      const again = await TestStore.open(t, dir, { clock, expiryIntervalMs: 10 });
      await pause(60);
      t.ok(isSuspended(again));
      t.equal(await again.countOne(visited), ENTITIES);
      await resume(again);
      t.ok(await until(async () => (await again.countOne(visited)) === 0));
      await again.close();
    }
  },
);

t.test('a start far from the last known time suspends expiry, unless no event would expire', async (t) => {
  const store = await open(t, {});
  const dir = copyDir(t, store.dir);
  for (const [what, days, suspends] of [
    ['a day later', 1, false],
    ['much later, when events have expired', RETENTION_DAYS + 5, true],
    ['before', -3, true],
  ] as const) {
    const clock = new ManualClock(NOW_MS + days * DAY_MS);
    const again = await TestStore.open(t, copyDir(t, dir), { clock, expiryIntervalMs: 10 });
    if (suspends) t.ok(await until(() => isSuspended(again)), what);
    await pause(100);
    t.equal(isSuspended(again), suspends, what);
    t.equal(await again.countOne(visited), ENTITIES, what);
    await again.close();
  }
  const retained = await open(t, {}, 4 * RETENTION_DAYS);
  const later = { clock: new ManualClock(NOW_MS + RETENTION_DAYS * DAY_MS), expiryIntervalMs: 10 };
  const again = await TestStore.open(t, copyDir(t, retained.dir), later);
  await pause(100);
  t.notOk(isSuspended(again), 'a store that was stopped for a long time and has no expired events');
});

const changeRetention = (store: TestStore, days: Json): Promise<unknown> =>
  store.engine.change((catalog) =>
    changeColumn(
      jsonObject({ 'api-name': 'visits', 'retention-time': days }),
      databaseOf(catalog, DATABASE_ID),
    ),
  );
const eventDays = [0, 5, 10, 20, 40];
const countDays = (store: TestStore): Promise<number> => store.countOne(visited);

/** A store whose events are `eventDays` old, which are kept for `days`. */
async function openAged(t: Test, days: Json, clock: ManualClock): Promise<TestStore> {
  const store = await TestStore.open(t, makeDir(t), { clock, expiryIntervalMs: 10 });
  await store.createColumns([jsonObject({ name: 'visits', type: 'integer-event', 'retention-time': days })]);
  for (const day of eventDays) await insert(store, `d${day}`, NOW_MS - day * DAY_MS);
  return store;
}

t.test(
  'a shorter retention time deletes what is too old, and a longer one applies from then on',
  async (t) => {
    const clock = new ManualClock(NOW_MS);
    const store = await openAged(t, 'forever', clock);
    await pause(50);
    t.equal(await countDays(store), 5);
    await changeRetention(store, num(15));
    t.ok(await until(async () => (await countDays(store)) === 3), '20 and 40 days');
    await t.rejects(insert(store, 'd16', NOW_MS - 16 * DAY_MS), { code: 2001 });
    await changeRetention(store, num(7));
    t.ok(await until(async () => (await countDays(store)) === 2), '10 days');
    await changeRetention(store, num(30));
    await insert(store, 'd16', NOW_MS - 16 * DAY_MS);
    t.equal(await countDays(store), 3, 'deleted events are not restored');
    await t.rejects(insert(store, 'd31', NOW_MS - 31 * DAY_MS), { code: 2001 });
    const killed = copyDir(t, store.dir);
    await changeRetention(store, 'forever');
    await store.engine.checkpoint();
    await insert(store, 'd31', NOW_MS - 31 * DAY_MS);
    clock.advance(400 * DAY_MS);
    await pause(50);
    t.equal(await countDays(store), 4, 'nothing expires any more');
    t.notOk(isSuspended(store));
    await store.close();
    for (const [dir, count, days] of [
      [killed, 3, 30],
      [store.dir, 4, null],
    ] as const) {
      const again = await TestStore.open(t, dir, { clock: new ManualClock(NOW_MS), expiryIntervalMs: 10 });
      await pause(50);
      t.equal(await countDays(again), count);
      const { dimensions } = databaseOf(again.engine.catalog(), DATABASE_ID);
      t.equal(dimensions.get('default')?.columns.get('visits')?.retentionDays, days);
      await again.close();
    }
  },
);

t.test('a jump of the clock before a column has a retention time suspends expiry when it has', async (t) => {
  const clock = new ManualClock(NOW_MS);
  const store = await openAged(t, 'forever', clock);
  await pause(50);
  clock.jump(TEN_YEARS_MS);
  await pause(50);
  await changeRetention(store, num(15));
  t.ok(await until(() => isSuspended(store)));
  t.equal(await countDays(store), eventDays.length);
  const ahead = new ManualClock(NOW_MS);
  const fresh = await TestStore.open(t, makeDir(t), { clock: ahead, expiryIntervalMs: 10 });
  await pause(50);
  ahead.jump(TEN_YEARS_MS);
  await pause(50);
  await fresh.createColumns([
    jsonObject({ name: 'visits', type: 'integer-event', 'retention-time': num(9) }),
  ]);
  await pause(50);
  t.notOk(isSuspended(fresh), 'a column without events');
});

t.test(
  'a retention time that grows while expired events are sought deletes none that it keeps',
  async (t) => {
    const column = (retentionDays: number | null): Column => ({
      ...{ id: 1, name: 'visits', apiName: 'visits', description: '', type: 'integer-event', storage: null },
      ...{
        cardinality: null,
        decimalPlaces: null,
        range: null,
        textCase: 'fold',
        active: true,
        retentionDays,
      },
    });
    const [ids, name] = [{ databaseId: 1, dimensionId: 1 }, 'shop'];
    const made = applyChanges(EMPTY_CATALOG, [
      { change: 'database-created', id: 1, name, type: 'test', properties: DEFAULT_PROPERTIES },
      { change: 'column-created', ...ids, column: column(10) },
    ]);
    const expired = Math.floor(NOW_MS / 1000) - 10 * 86_400;
    const expiry = { ...ids, columnId: 1, beforeSeconds: expired };
    const later = (change: CatalogChange): Catalog => applyChanges(made, [change]);
    const changed = (days: number | null): Catalog =>
      later({ change: 'column-changed', ...ids, column: column(days) });
    for (const [what, head, deletes] of [
      ['unchanged', made, true],
      ['shorter', changed(9), true],
      ['longer', changed(11), false],
      ['forever', changed(null), false],
      ['deleted', later({ change: 'column-deleted', ...ids, columnId: 1 }), false],
      ['deleted with its database', later({ change: 'database-deleted', databaseId: 1 }), false],
      ['suspended', later({ change: 'retention-set', suspended: true }), false],
    ] as const) {
      const appended: number[] = [];
      const order = {
        visible: made,
        head: made,
        hasCapacity: () => true,
        append: () => appended.push(1),
      };
      const oldest = async (): Promise<number[][]> => {
        order.head = head;
        return [[expired - 2 * 86_400]];
      };
      await new Writer({
        ...{ options: { clock: new ManualClock(NOW_MS) }, workers: { sendAll: oldest }, order },
        checkWritable: () => {},
      } as unknown as WriterDependencies).expire();
      t.equal(appended.length === 1, deletes, what);
      t.equal(isExpired(head, expiry, NOW_MS), deletes || what === 'suspended');
    }
  },
);

/** A day before a leap day. */
const LEAP_EVE_MS = Date.UTC(2024, 1, 28, 23);

t.test('passing time is not a jump, also over a leap day and for any duration', async (t) => {
  const clock = new ManualClock(LEAP_EVE_MS);
  const watch = new ClockWatch(clock, null);
  for (const days of [1, 2, 366, 3_653]) {
    clock.advance(days * DAY_MS);
    t.equal(watch.jumpMs, 0, `${days} days`);
  }
});

t.test(
  'a clock that was set by more than a day counts as a jump until it is confirmed or set back',
  async (t) => {
    for (const jump of [DAY_MS + 1, -DAY_MS - 1, 3_653 * DAY_MS, -3_653 * DAY_MS]) {
      const clock = new ManualClock(LEAP_EVE_MS);
      const watch = new ClockWatch(clock, null);
      clock.jump(jump);
      clock.advance(5_000);
      t.equal(watch.jumpMs, jump);
      clock.jump(-jump);
      t.equal(watch.jumpMs, 0, 'set back');
      clock.jump(jump);
      watch.accept();
      t.equal(watch.jumpMs, 0, 'accepted');
      clock.advance(DAY_MS);
      t.equal(watch.jumpMs, 0);
    }
  },
);

t.test('a change of a day or less is not a jump: an hour back, a day forward', async (t) => {
  for (const jump of [-3_600_000, 3_600_000, DAY_MS, -DAY_MS]) {
    const clock = new ManualClock(LEAP_EVE_MS);
    const watch = new ClockWatch(clock, null);
    clock.jump(jump);
    t.equal(watch.jumpMs, 0);
  }
});

t.test('at a start the clock is compared with the last time that the store recorded', async (t) => {
  const clock = new ManualClock(LEAP_EVE_MS);
  t.equal(new ClockWatch(clock, LEAP_EVE_MS - DAY_MS).jumpMs, 0);
  t.equal(new ClockWatch(clock, LEAP_EVE_MS - 2 * DAY_MS).jumpMs, 2 * DAY_MS);
  t.equal(new ClockWatch(clock, LEAP_EVE_MS + 2 * DAY_MS).jumpMs, -2 * DAY_MS);
});
