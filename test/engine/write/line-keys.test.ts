/** Lines that are inserted once by their keys: the table alone, and in the engine over connections, restarts and checkpoints. */
import t, { type Test } from 'tap';
import { lineKeyOf, Prng } from '../../../src/base/index.js';
import { RETENTION_MS } from '../../../src/engine/write/deduplication.js';
import { LineKeys } from '../../../src/engine/write/line-keys.js';
import type { RecordMapping } from '../../../src/ingest/index.js';
import { jsonObject } from '../../support/generate.js';
import { copyDir, DATABASE_ID, makeDir, NOW_MS, TestStore } from '../store.js';

t.setTimeout(120_000);

const keysOf = (...names: readonly string[]): Uint8Array =>
  Buffer.concat(names.map((name) => (name === '' ? new Uint8Array(16) : lineKeyOf(['scope'], name))));

t.test('a key is known for 24 hours, and a line without a key never', (t) => {
  const table = new LineKeys(100);
  table.add(1, NOW_MS, keysOf('a', 'b'));
  t.strictSame(table.known(keysOf('b', 'c', '', 'a'), NOW_MS), [0, 3]);
  t.strictSame(table.known(keysOf('a'), NOW_MS + RETENTION_MS - 1), [0]);
  t.strictSame(table.known(keysOf('a'), NOW_MS + RETENTION_MS + 1_000), []);
  t.end();
});

t.test('a full table refuses new keys with 9003, until old ones expire', (t) => {
  const table = new LineKeys(3);
  table.add(1, NOW_MS, keysOf('a', 'b'));
  table.makeCapacity(1, NOW_MS);
  t.throws(() => table.makeCapacity(2, NOW_MS), { code: 9003 });
  t.equal(table.count, 2, 'a refusal removes nothing');
  table.makeCapacity(2, NOW_MS + RETENTION_MS + 1_000);
  t.equal(table.count, 0);
  t.end();
});

t.test(
  'a snapshot has the keys of records up to its LSN, also if keys expire and are added meanwhile',
  (t) => {
    const table = new LineKeys(100_000);
    const names = Array.from({ length: 40_000 }, (_, number) => `k${number}`);
    table.add(1, NOW_MS - RETENTION_MS - 2_000, keysOf('old 1', 'old 2'));
    table.add(5, NOW_MS, keysOf(...names));
    table.add(6, NOW_MS, keysOf('later'));
    const copy = new LineKeys(100_000);
    let isFirst = true;
    for (const part of table.upTo(5, NOW_MS)) {
      copy.restore(5, part);
      if (isFirst) table.makeCapacity(10, NOW_MS);
      if (isFirst) table.add(7, NOW_MS, keysOf('meanwhile'));
      isFirst = false;
    }
    t.equal(table.count, 40_002, 'the expired keys were removed');
    t.equal(copy.known(keysOf(...names), NOW_MS).length, 40_000);
    t.strictSame(copy.known(keysOf('later', 'meanwhile'), NOW_MS), []);
    t.strictSame([...table.upTo(4, NOW_MS)].length, 0);
    t.end();
  },
);

t.test('random additions and expiries agree with a map', (t) => {
  const seed = 23;
  const prng = new Prng(seed);
  const table = new LineKeys(1_000_000);
  const model = new Map<string, number>();
  let nowMs = NOW_MS;
  for (let lsn = 1; lsn <= 300; lsn++) {
    nowMs += prng.below(RETENTION_MS / 50);
    const names = Array.from({ length: prng.below(400) }, () => `n${prng.below(20_000)}`);
    const known = table.known(keysOf(...names), nowMs);
    const seconds = Math.floor(nowMs / 1_000) * 1_000;
    const expected = names.flatMap((name, line) => {
      const at = model.get(name);
      return at !== undefined && at + 1_000 + RETENTION_MS > nowMs ? [line] : [];
    });
    if (JSON.stringify(known) !== JSON.stringify(expected)) t.fail(`seed ${seed}, record ${lsn}`);
    const added = [...new Set(names.filter((_, line) => !known.includes(line)))];
    table.makeCapacity(added.length, nowMs);
    table.add(lsn, nowMs, keysOf(...added));
    for (const name of added) model.set(name, seconds);
  }
  t.ok(table.count < model.size, 'some keys were removed');
  t.end();
});

const MAPPING: RecordMapping = {
  format: 'json',
  delimiter: ',',
  dimension: null,
  id: { from: 'uuid' },
  events: [],
  time: null,
  eventFields: null,
  dedupe: 'seq',
  unknown: 'refuse',
  createsColumns: false,
  createsDimension: false,
};

const inserted = (store: TestStore, lines: readonly string[], more: object = {}) =>
  store.engine.insert({
    databaseId: DATABASE_ID,
    body: new TextEncoder().encode(lines.join('\n')),
    lines: { head: 0, first: 1 },
    records: MAPPING,
    customKey: false,
    columnIds: null,
    charge: () => {},
    idempotencyId: null,
    ...more,
  });

const line = (seq: number | string): string => JSON.stringify({ name: `line ${seq}`, seq });

const open = (t: Test, dir: string, options: object = {}): Promise<TestStore> =>
  TestStore.open(t, dir, { workerCount: 2, ...options });

t.test(
  'lines of two requests at once, within a body, after a kill and a checkpoint are inserted once',
  async (t) => {
    const dir = makeDir(t);
    const store = await open(t, dir);
    await store.createColumns([jsonObject({ name: 'name', type: 'string' })]);
    const body = Array.from({ length: 500 }, (_, seq) => line(seq));
    const both = await Promise.all([inserted(store, body), inserted(store, [...body].reverse())]);
    t.equal(both[0].entityCount + both[1].entityCount, 500);
    t.equal((both[0].duplicateCount ?? 0) + (both[1].duplicateCount ?? 0), 500);
    t.strictSame(await inserted(store, [line('a'), '', line('a'), line(7), line('b')]), {
      entityCount: 2,
      valueCount: 2,
      duplicateCount: 2,
    });
    t.equal(await store.total(), 502);
    t.match(store.engine.stats(), { lineKeyCount: 502, duplicateLineCount: 502 });

    const killed = await open(t, copyDir(t, dir));
    t.strictSame(await inserted(killed, body), { entityCount: 0, valueCount: 0, duplicateCount: 500 });
    await killed.close();
    await store.close();

    const again = await open(t, dir);
    t.strictSame(await inserted(again, [line('c'), ...body]), {
      entityCount: 1,
      valueCount: 1,
      duplicateCount: 500,
    });
    const last = await open(t, copyDir(t, dir), { shardCount: 3 });
    t.strictSame(await inserted(last, [line('c'), line(1), line('d')]), {
      entityCount: 1,
      valueCount: 1,
      duplicateCount: 2,
    });
    t.equal(await last.total(), 504);
  },
);
