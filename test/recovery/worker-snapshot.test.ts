/**
 * Checkpoints of one worker's shards, in memory: their content despite concurrent changes, and the shards loaded from
 * them.
 */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { createLz4, type SnapshotFileEntry } from '../../src/format/index.js';
import {
  loadSnapshot,
  readSnapshotFile,
  type SnapshotStore,
  WorkerCheckpoint,
} from '../../src/recovery/index.js';
import { ArenaPool, Shard } from '../../src/storage/index.js';
import {
  applyPlain,
  batchOf,
  type Change,
  COLUMNS,
  type Dump,
  dumpPlain,
  dumpShard,
  generateChanges,
  type StoredEntities,
} from '../storage/stored.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';
import { KEY, MODEL } from './models.js';

const SEED = 1_618_033;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

const SHARD_COUNT = 1;

/** One shard of a worker and its model, with a separate disk. */
class StoredShard {
  readonly disk: FaultyDisk = faultyDisk();
  readonly store: SnapshotStore = { fs: this.disk, dir: '/store', lz4: createLz4() };
  readonly shard = new Shard(new ArenaPool(null), 0);
  readonly entities: StoredEntities = new Map();

  apply(changes: readonly Change[]): void {
    this.shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes));
    applyPlain(this.entities, changes);
  }

  begin(lsn: number): WorkerCheckpoint {
    return new WorkerCheckpoint(this.store, lsn, SHARD_COUNT, [this.shard], [MODEL]);
  }

  async checkpoint(lsn: number): Promise<readonly SnapshotFileEntry[]> {
    return finish(this.begin(lsn));
  }

  /** The content that a restart would load from `files`. */
  async loaded(files: readonly SnapshotFileEntry[]): Promise<Dump> {
    const shard = new Shard(new ArenaPool(null), 0);
    await loadSnapshot(this.store, files, new Map([[0, shard]]));
    const stored = shard.find(KEY);
    return stored === undefined ? [] : dumpShard(stored);
  }
}

async function finish(checkpoint: WorkerCheckpoint): Promise<readonly SnapshotFileEntry[]> {
  while (!(await checkpoint.step()));
  return checkpoint.finish();
}

const OPTIONS = { count: 120, idCount: 500, textCount: 300, density: 0.4 };

t.test(
  'a restart loads exactly the content of the checkpoint: every form and kind, nulls and replaced lists',
  async (t) => {
    const prng = new Prng(SEED);
    const stored = new StoredShard();
    for (let round = 0; round < 12; round++) stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
    t.strictSame(await stored.loaded(await stored.checkpoint(7)), dumpPlain(stored.entities));
  },
);

t.test('a checkpoint contains the state of its LSN, regardless of changes between its steps', async (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 15; round++) {
    const stored = new StoredShard();
    for (let more = prng.below(6); more >= 0; more--) stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
    if (prng.chance(0.5)) await stored.checkpoint(1);
    const columns = prng.chance(0.3) ? COLUMNS.filter(({ form }) => form === 'event') : COLUMNS;
    if (prng.chance(0.5)) stored.apply(generateChanges(prng, columns, OPTIONS));
    const wanted = dumpPlain(stored.entities);
    const checkpoint = stored.begin(2);
    for (let done = false; !done; ) {
      for (let more = prng.below(3); more > 0; more--) {
        stored.apply(generateChanges(prng, COLUMNS, { ...OPTIONS, count: prng.pick([1, 50]) }));
      }
      done = await checkpoint.step();
    }
    const files = await checkpoint.finish();
    t.strictSame(await stored.loaded(files), wanted, `round ${round}`);
    t.strictSame(
      await stored.loaded(await stored.checkpoint(3)),
      dumpPlain(stored.entities),
      'and the next one',
    );
  }
});

const [INTEGER_EVENT] = COLUMNS.filter(({ form }) => form === 'event');
const [, , INTEGER] = COLUMNS;

/** `count` events of one entity, in descending order of time. */
const events = (id: string, count: number): Change => ({
  id,
  fields: [
    {
      column: INTEGER_EVENT,
      events: Array.from({ length: count }, (_, index) => ({
        seconds: 1_600_000_000 - index,
        value: BigInt(index),
      })),
    },
  ],
});

t.test('a segment that is sealed during a checkpoint is written in its original state', async (t) => {
  const stored = new StoredShard();
  stored.apply([events('a', SEGMENT_ROWS_MAX - 10)]);
  const wanted = dumpPlain(stored.entities);
  const checkpoint = stored.begin(1);
  stored.apply([events('b', 50)]);
  t.strictSame(
    stored.shard
      .find(KEY)
      ?.events.get(INTEGER_EVENT.id)
      ?.segments.map(({ sealed }) => sealed),
    [true, false],
  );
  t.strictSame(await stored.loaded(await finish(checkpoint)), wanted);
  t.strictSame(await stored.loaded(await stored.checkpoint(2)), dumpPlain(stored.entities));
});

t.test('a full segment that is not sealed yet is unchanged after a restart', async (t) => {
  const stored = new StoredShard();
  stored.apply([events('a', SEGMENT_ROWS_MAX)]);
  const files = await stored.checkpoint(1);
  const shard = new Shard(new ArenaPool(null), 0);
  await loadSnapshot(stored.store, files, new Map([[0, shard]]));
  stored.apply([events('b', 3)]);
  shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, [events('b', 3)]));
  const current = shard.dimension(KEY);
  t.strictSame(
    current.events.get(INTEGER_EVENT.id)?.segments.map(({ sealed }) => sealed),
    [true, false],
  );
  t.strictSame(dumpShard(current), dumpPlain(stored.entities));
});

t.test('a dimension that is dropped during a checkpoint leaves no file that fails to load', async (t) => {
  for (const stepsBefore of [0, 1, 2, 3]) {
    const stored = new StoredShard();
    stored.apply([events('a', SEGMENT_ROWS_MAX + 5)]);
    await stored.checkpoint(1);
    // The entities change; the sealed events keep their file.
    stored.apply([{ id: 'a', fields: [{ column: INTEGER, latest: 5n }] }, events('b', 9)]);
    const checkpoint = stored.begin(2);
    stored.apply([events('c', SEGMENT_ROWS_MAX)]);
    for (let step = 0; step < stepsBefore; step++) await checkpoint.step();
    stored.shard.drop(KEY);
    stored.apply([events('d', 1)]);
    t.strictSame(await stored.loaded(await finish(checkpoint)), [], `dropped after ${stepsBefore} steps`);
  }
});

t.test('only segments that changed are written again', async (t) => {
  const prng = new Prng(SEED + 2);
  const stored = new StoredShard();
  stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
  stored.apply([events('x', SEGMENT_ROWS_MAX + 100)]);
  const first = await stored.checkpoint(1);
  t.strictSame(await stored.checkpoint(2), first, 'nothing changed');
  stored.apply([events('x', 1)]);
  const second = await stored.checkpoint(3);
  const isNew = (entry: SnapshotFileEntry): boolean => !first.some(({ path }) => path === entry.path);
  t.strictSame(
    second.filter(isNew).map(({ kind, columnId, segment }) => [kind, columnId, segment]),
    [['events', INTEGER_EVENT.id, 1]],
  );
  t.strictSame(await stored.loaded(second), dumpPlain(stored.entities));
});

t.test('a loaded segment keeps its file until it changes', async (t) => {
  const prng = new Prng(SEED + 3);
  const stored = new StoredShard();
  stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
  const files = await stored.checkpoint(1);
  const shard = new Shard(new ArenaPool(null), 0);
  await loadSnapshot(stored.store, files, new Map([[0, shard]]));
  const again = await finish(new WorkerCheckpoint(stored.store, 2, SHARD_COUNT, [shard], [MODEL]));
  t.strictSame(again.map(({ path }) => path).sort(), files.map(({ path }) => path).sort());
});

t.test(
  'names of all files of a checkpoint are synced, including files written by a failed checkpoint',
  async (t) => {
    const prng = new Prng(SEED + 4);
    const stored = new StoredShard();
    for (let round = 0; round < 3; round++) stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
    const failed = stored.begin(1);
    while (!(await failed.step()));
    const files = await stored.checkpoint(2);
    const crashed = stored.disk.afterCrash();
    for (let times = 0; times < 20; times++) {
      const disk = times === 0 ? crashed : stored.disk.afterCrash();
      const store = { ...stored.store, fs: disk };
      for (const entry of files) t.equal((await readSnapshotFile(store, entry)).rowCount, entry.rowCount);
    }
  },
);

t.test('a damaged, truncated or missing file is named and never loaded', async (t) => {
  const prng = new Prng(SEED + 5);
  const stored = new StoredShard();
  stored.apply(generateChanges(prng, COLUMNS, OPTIONS));
  const files = await stored.checkpoint(1);
  for (const entry of files) {
    const file = `/store/${entry.path}`;
    const bytes = stored.disk.bytesOf(file);
    for (let times = 0; times < 5; times++) {
      const flipped = bytes.slice();
      flipped[prng.below(flipped.length)] ^= 1 << prng.below(8);
      stored.disk.put(file, flipped);
      await t.rejects(readSnapshotFile(stored.store, entry), { name: 'CorruptionError', file });
    }
    stored.disk.put(file, bytes.subarray(0, bytes.length - 1));
    await t.rejects(readSnapshotFile(stored.store, entry), { name: 'CorruptionError', file });
    await stored.disk.remove(file);
    await t.rejects(readSnapshotFile(stored.store, entry), { name: 'CorruptionError', file });
    stored.disk.put(file, bytes);
  }
});
