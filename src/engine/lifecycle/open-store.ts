/**
 * Opens a data directory at the start of the engine: snapshot, log, and at the first start the team, database and keys.
 * Invariant: if the directory is refused as corrupt or as newer than this release, nothing on disk has changed.
 */
import {
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  changeFromPlain,
  EMPTY_CATALOG,
} from '../../catalog/index.js';
import { readDeduplicationFile, readLineKeyFile, removeUnreferenced } from '../../recovery/index.js';
import { Log, type LogArchive } from '../../wal/index.js';
import type { EngineOptions } from '../options.js';
import { emptySpoolDir } from '../query/spool.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { DeduplicationTable } from '../write/deduplication.js';
import type { LineKeys } from '../write/line-keys.js';
import type { RecordNotes } from '../write/record-notes.js';
import type { UsageBook } from '../write/usage.js';
import type { WriteOrder } from '../write/write-order.js';
import type { Writer } from '../write/writer.js';
import type { Archiving } from './archiving.js';
import type { Checkpointer } from './checkpoint.js';
import { prepareFirstStart } from './first-start.js';
import { repartitionInto } from './repartition.js';
import { loadWorkers, type NoteRecord, replayLog } from './replay.js';
import type { ReplayProgress } from './replay-progress.js';

const INTERVAL_MS = 100;

export interface OpenStoreDependencies {
  readonly options: EngineOptions;
  readonly storeId: string;
  readonly logDir: string;
  readonly spoolDir: string;
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly writer: Writer;
  readonly usage: UsageBook;
  readonly deduplication: DeduplicationTable;
  readonly lineKeys: LineKeys;
  readonly notes: RecordNotes;
  readonly checkpoints: Checkpointer;
  readonly archiving: Archiving;
  readonly progress: ReplayProgress;
}

/**
 * Loads the workers and begins the order of writes. Resolves with the newest time in the store, in milliseconds; null = there
 * is none. Rejects with a CorruptionError that names file and offset, or with a NewerFormatError.
 */
export async function openStore(parts: OpenStoreDependencies): Promise<number | null> {
  const { options, logDir, workers, order, usage, deduplication, notes, checkpoints, archiving, progress } =
    parts;
  const { fs, dir, events, clock } = options;
  await emptySpoolDir(fs, parts.spoolDir);
  const started = clock.nowMs();
  const { manifest } = checkpoints;
  await fs.makeDir(logDir);
  let catalog = EMPTY_CATALOG;
  let knownMs = manifest?.createdMs ?? null;
  if (manifest !== null) {
    catalog = catalogFromPlain(manifest.catalog);
    usage.restore(manifest.usage);
    if (manifest.once != null)
      await readDeduplicationFile(fs, dir, manifest.once, (entry) => deduplication.add(entry));
    const { lineKeys, checkpointLsn } = manifest;
    if (lineKeys != null)
      await readLineKeyFile(fs, dir, lineKeys, (keys) => parts.lineKeys.restore(checkpointLsn, keys));
    const loaded = await loadWorkers(workers.all, manifest);
    events.info('snapshot loaded', { ...loaded, lsn: manifest.checkpointLsn, ms: clock.nowMs() - started });
  }
  const note: NoteRecord = (lsn, record, counts) => {
    notes.note(lsn, record, counts);
    if (record.type === 'insert' && record.lineKeys !== undefined)
      parts.lineKeys.add(lsn, record.timeMs, record.lineKeys);
    knownMs = record.timeMs;
    // Data that was deleted since the snapshot is still in it and in the log.
    if (record.type === 'catalog' && deletesDatabase(record.changes)) checkpoints.want();
    if (record.type !== 'insert') checkpoints.erase();
  };
  const replayed = await replayLog(
    { fs, logDir, manifest, catalog },
    { workers: workers.all, inserts: workers.inserts },
    note,
    { progress },
  );
  // The archive may refuse, so it is opened before anything on disk changes.
  const archive = await archiving.open(replayed.replay.end.nextLsn);
  const { nextLsn, tornTail } = await replayed.replay.repair();
  if (tornTail !== null) events.warn('unfinished last write removed', { ...tornTail });
  if (manifest !== null) {
    // The process may have died between the manifest's rename and its sync: remove no old file before the sync.
    await fs.syncDir(dir);
    await removeUnreferenced(fs, dir, [manifest]);
  }
  const { recordCount: records, logBytes: bytes } = replayed;
  events.info('log replayed', { records, bytes, ms: clock.nowMs() - started });
  checkpoints.replayed(bytes);
  // Nothing was written yet: the first start, or one after a crash during it. Its files are written before the log is allocated.
  const firstChanges = nextLsn === 1 ? await beginStore(parts) : null;
  order.begin(await openLog(parts, nextLsn, archive), replayed.catalog, nextLsn - 1);
  order.sendModels();
  if (firstChanges !== null) {
    await parts.writer.changeAnyway(() => ({ changes: firstChanges, answer: null }));
  }
  const wanted = options.shardCount;
  if (wanted !== null && wanted !== workers.shardCount) await repartition(parts, wanted);
  return knownMs;
}

function openLog(
  { options, logDir, checkpoints }: OpenStoreDependencies,
  nextLsn: number,
  archive: LogArchive | null,
): Promise<Log> {
  const { fs, durability, random64, events, firstLogFileBytes, logFileBytes } = options;
  return Log.open({
    fs,
    dir: logDir,
    durability,
    intervalMs: INTERVAL_MS,
    nextLsn,
    checkpointLsn: checkpoints.lsn,
    archive,
    random64,
    monotonicMs: () => performance.now(),
    onFatal: (error) => events.fatal(error),
    ...(firstLogFileBytes === undefined ? {} : { firstLogFileBytes }),
    ...(logFileBytes === undefined ? {} : { logFileBytes }),
  });
}

/** Writes the files of a new store and returns the changes of its first record. */
async function beginStore({
  options,
  storeId,
  workers,
  checkpoints,
}: OpenStoreDependencies): Promise<readonly CatalogChange[]> {
  const { fs, dir, randomBytes, clock } = options;
  // The shard count is fixed before the first record that depends on it.
  await checkpoints.beginStore({
    storeId,
    checkpointLsn: 0,
    shardCount: workers.shardCount,
    createdMs: clock.nowMs(),
    catalog: catalogToPlain(EMPTY_CATALOG),
    files: [],
  });
  return prepareFirstStart(fs, dir, randomBytes, clock.nowMs());
}

/** Repartitions all data: writes a snapshot with the new shards from the one with the old shards, and swaps the manifest. */
async function repartition(
  { options, workers, order, checkpoints }: OpenStoreDependencies,
  shardCount: number,
): Promise<void> {
  const { fs, dir, events, clock } = options;
  const started = clock.nowMs();
  await checkpoints.run();
  const before = workers.shardCount;
  await workers.startAnew(shardCount);
  order.sendModels();
  const { manifest } = checkpoints;
  if (manifest !== null) await repartitionInto(workers.all, { fs, dir }, manifest, shardCount);
  await checkpoints.runAnew(true);
  events.info('re-partitioned', { from: before, to: shardCount, ms: clock.nowMs() - started });
}

function deletesDatabase(plainChanges: readonly unknown[]): boolean {
  return plainChanges.map(changeFromPlain).some(({ change }) => change === 'database-deleted');
}
