/** The content of checkpoints while entities are deleted and changed, events expire and columns are dropped. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { createLz4, type SnapshotFileEntry } from '../../src/format/index.js';
import {
  loadSnapshot,
  readSnapshotFile,
  type SnapshotStore,
  WorkerCheckpoint,
} from '../../src/recovery/index.js';
import type { Shard } from '../../src/storage/index.js';
import { ShardModel } from '../storage/shard-model.js';
import {
  type Change,
  COLUMNS,
  differenceOf,
  dumpPlain,
  dumpShard,
  generateChanges,
} from '../storage/stored.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { KEY, MODEL } from './models.js';

const SEED = 1_414_213;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

const SHARD_COUNT = 1;
const [INTEGER_EVENT, TEXT_EVENT] = COLUMNS.filter(({ form }) => form === 'event');
const [, , INTEGER] = COLUMNS;

const single = (id: string): Change => ({
  id,
  fields: [{ column: INTEGER_EVENT, events: [{ seconds: 1_600_000_000, value: 1n }] }],
});

async function finish(checkpoint: WorkerCheckpoint): Promise<readonly SnapshotFileEntry[]> {
  while (!(await checkpoint.step()));
  return checkpoint.finish();
}

/** A shard and its model, each with a separate disk. */
class StoredModel {
  readonly store: SnapshotStore = { fs: faultyDisk(), dir: '/store', lz4: createLz4() };
  readonly model: ShardModel;

  constructor(model: ShardModel) {
    this.model = model;
  }

  begin(lsn: number): WorkerCheckpoint {
    return new WorkerCheckpoint(this.store, lsn, SHARD_COUNT, [this.model.shard], [MODEL]);
  }

  async restored(files: readonly SnapshotFileEntry[]): Promise<Shard> {
    const shard = this.model.emptyShard();
    await loadSnapshot(this.store, files, new Map([[0, shard]]));
    return shard;
  }
}

const STEP = { idCount: 150, textCount: 40, count: 60 };

t.test(
  'deletions, updates, expiry and dropped columns between steps do not affect a checkpoint',
  async (t) => {
    for (let round = 0; round < 4; round++) {
      const prng = new Prng(SEED + 100 + round);
      const stored = new StoredModel(new ShardModel({ compactionDeadMin: prng.pick([1, 30]) }));
      const { model } = stored;
      for (let lsn = 1; lsn < 12; lsn++) {
        for (let more = prng.below(6); more >= 0; more--) model.step(prng, STEP);
        const wanted = dumpPlain(model.entities);
        const checkpoint = stored.begin(lsn);
        const done: string[] = [];
        do {
          for (let more = prng.below(3); more > 0; more--) done.push(model.step(prng, STEP));
        } while (!(await checkpoint.step()));
        const shard = await stored.restored(await checkpoint.finish());
        const what = `round ${round}, lsn ${lsn}, then ${done}`;
        if (!t.equal(differenceOf(dumpShard(shard.dimension(KEY)), wanted), null, what)) return;
      }
    }
  },
);

t.test('a shard that is loaded repeatedly continues like one that never was', async (t) => {
  for (let round = 0; round < 4; round++) {
    const prng = new Prng(SEED + 200 + round);
    const stored = new StoredModel(new ShardModel({ compactionDeadMin: prng.pick([1, 30]) }));
    const { model } = stored;
    for (let lsn = 1; lsn < 15; lsn++) {
      for (let more = prng.below(5); more >= 0; more--) model.step(prng, STEP);
      const files = await finish(stored.begin(lsn));
      const deadBefore = model.dimension.segments.map(({ deadCount }) => deadCount);
      model.shard = await stored.restored(files);
      t.strictSame(model.differences(), [], `round ${round}, lsn ${lsn}`);
      t.strictSame(
        model.dimension.segments.map(({ deadCount }) => deadCount),
        deadBefore,
        'deleted rows stay deleted',
      );
    }
  }
});

t.test(
  'segments of events keep their numbers when earlier ones expire, and manifests refer to the correct files',
  async (t) => {
    const stored = new StoredModel(new ShardModel());
    const { model } = stored;
    const fill = (seconds: number, count: number): void =>
      model.insert([
        {
          id: 'a',
          fields: [
            {
              column: INTEGER_EVENT,
              events: Array.from({ length: count }, (_, index) => ({
                seconds: seconds + (index % 1000),
                value: BigInt(index),
              })),
            },
          ],
        },
      ]);
    const numbers = (files: readonly SnapshotFileEntry[]): number[] =>
      files
        .filter(({ kind }) => kind === 'events')
        .map(({ segment }) => segment)
        .sort((a, b) => a - b);
    const first = 1_500_000_000;
    for (let segment = 0; segment < 3; segment++) fill(first + segment * 10_000, SEGMENT_ROWS_MAX);
    fill(first + 30_000, 10);
    const before = await finish(stored.begin(1));
    t.strictSame(numbers(before), [0, 1, 2, 3]);
    model.expire(INTEGER_EVENT.id, first + 10_500);
    const after = await finish(stored.begin(2));
    t.strictSame(numbers(after), [1, 2, 3]);
    t.strictSame(
      after
        .filter(({ path }) => before.every((old) => old.path !== path))
        .map(({ kind, segment }) => [kind, segment]),
      [['events', 1]],
      'only the segment that lost events is written again',
    );
    model.shard = await stored.restored(after);
    t.strictSame(model.differences(), []);
    fill(first + 40_000, SEGMENT_ROWS_MAX);
    const last = await finish(stored.begin(3));
    t.strictSame(numbers(last), [1, 2, 3, 4]);
    model.shard = await stored.restored(last);
    t.strictSame(model.differences(), []);
    model.expire(INTEGER_EVENT.id, first + 99_000);
    const none = await finish(stored.begin(4));
    t.strictSame(numbers(none), []);
    model.shard = await stored.restored(none);
    t.strictSame(model.differences(), []);
  },
);

t.test(
  'a column that is dropped during a checkpoint is in its files, but not in the next ones',
  async (t) => {
    const columnIds = async (
      stored: StoredModel,
      files: readonly SnapshotFileEntry[],
    ): Promise<Set<number>> => {
      const found = new Set<number>();
      for (const entry of files) {
        if (entry.kind === 'events') found.add(entry.columnId);
        const { columns } = await readSnapshotFile(stored.store, entry);
        for (const { metadata } of columns) found.add(Number(metadata?.get('quarry:column-id') ?? 0));
      }
      return found;
    };
    for (const column of COLUMNS) {
      const prng = new Prng(SEED + 300);
      const stored = new StoredModel(new ShardModel());
      const { model } = stored;
      for (let round = 0; round < 4; round++) {
        model.insert(
          generateChanges(prng, COLUMNS, { count: 60, idCount: 100, textCount: 20, density: 0.6 }),
        );
        if (round === 1) await finish(stored.begin(1));
      }
      const wanted = dumpPlain(model.entities);
      const checkpoint = stored.begin(2);
      await checkpoint.step();
      model.dropColumn(column.id);
      const during = await finish(checkpoint);
      t.ok((await columnIds(stored, during)).has(column.id), `column ${column.id} is present`);
      const shard = await stored.restored(during);
      t.equal(differenceOf(dumpShard(shard.dimension(KEY)), wanted), null);
      const after = await finish(stored.begin(3));
      t.notOk((await columnIds(stored, after)).has(column.id), `column ${column.id} is absent`);
      // The drop in the log is replayed over a snapshot with or without the column.
      for (const files of [during, after]) {
        model.shard = await stored.restored(files);
        model.shard.dropColumn(KEY, column.id);
        t.strictSame(model.differences(), []);
      }
    }
  },
);

t.test("a deleted entity's row is in the file without an ID or any value", async (t) => {
  const stored = new StoredModel(new ShardModel({ compactionDeadMin: 1000 }));
  const { model } = stored;
  const fields = (value: bigint) => [
    { column: INTEGER, latest: value },
    { column: INTEGER_EVENT, events: [{ seconds: 1_500_000_000, value }] },
  ];
  model.insert(['aa', 'secret', 'c'].map((id, index) => ({ id, fields: fields(BigInt(index)) })));
  model.delete(['secret']);
  const files = await finish(stored.begin(1));
  const [ids, values] = (await readSnapshotFile(stored.store, files[0])).columns;
  t.ok(ids.kind === 'utf8' && Buffer.from(ids.bytes).toString() === 'aac');
  t.strictSame(
    [ids.validity?.[0], values.validity?.[0]].map((byte) => Number(byte) & 7),
    [5, 5],
  );
  model.shard = await stored.restored(files);
  t.strictSame(model.differences(), []);
});

t.test('a database that is dropped during a checkpoint leaves no file', async (t) => {
  const stored = new StoredModel(new ShardModel());
  stored.model.insert([single('a')]);
  const checkpoint = stored.begin(1);
  stored.model.shard.dropDatabase(KEY.databaseId);
  t.strictSame(await finish(checkpoint), []);
  t.equal(stored.model.shard.find(KEY), undefined);
});

t.test(
  'segments that compaction replaces during a checkpoint are written in their original state',
  async (t) => {
    const stored = new StoredModel(new ShardModel());
    const { model } = stored;
    const filler = (from: number, count: number): Change[] =>
      Array.from({ length: count }, (_, index) => ({
        id: `f${from + index}`,
        fields: index % 10 === 0 ? [{ column: INTEGER, latest: BigInt(from + index) }] : [],
      }));
    const [first, second] = [filler(0, SEGMENT_ROWS_MAX), filler(SEGMENT_ROWS_MAX, 20_000)];
    model.insert(first);
    model.insert(second);
    // Few of all rows, but enough of the first segment's rows for compaction.
    model.delete(first.slice(0, 20_000).map(({ id }) => id));
    t.equal(model.dimension.segments[0].deadCount, 20_000);
    const wanted = dumpPlain(model.entities);
    const checkpoint = stored.begin(1);
    model.delete(second.slice(0, 5_000).map(({ id }) => id));
    t.equal(model.dimension.segments[0].deadCount, 0, 'compacted');
    model.insert(filler(100_000, 2_000));
    const shard = await stored.restored(await finish(checkpoint));
    t.equal(differenceOf(dumpShard(shard.dimension(KEY)), wanted), null);
    t.strictSame(model.differences(), []);
  },
);

t.test('links that are renumbered during a checkpoint keep their old numbers in its files', async (t) => {
  const stored = new StoredModel(new ShardModel({ linkMax: 10 }));
  const { model } = stored;
  const pairs = (id: string, seconds: number, count: number): Change => {
    const dates = Array.from({ length: count }, (_, index) => seconds + index);
    return {
      id,
      fields: [
        { column: INTEGER_EVENT, events: dates.map((date) => ({ seconds: date, value: BigInt(date) })) },
        { column: TEXT_EVENT, events: dates.map((date) => ({ seconds: date, value: `t${date}` })) },
      ],
    };
  };
  model.insert([pairs('a', 1_500_000_000, 4)]);
  model.insert([pairs('a', 1_500_000_100, 4)]);
  for (const { id } of [INTEGER_EVENT, TEXT_EVENT]) model.expire(id, 1_500_000_050);
  await finish(stored.begin(1));
  model.insert([single('b')]);
  const wanted = dumpPlain(model.entities);
  const checkpoint = stored.begin(2);
  model.insert([pairs('c', 1_500_000_200, 5)]);
  t.strictSame(model.differences(), []);
  const shard = await stored.restored(await finish(checkpoint));
  t.equal(differenceOf(dumpShard(shard.dimension(KEY)), wanted), null);
});
