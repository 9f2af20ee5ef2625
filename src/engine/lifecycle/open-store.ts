/**
 * A data directory as the engine finds it at its start: snapshot, log, and on the first start the team, database and keys.
 * Invariant: when it is refused as corrupt or as newer than this release, nothing on disk was changed.
 */
import {
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  changeFromPlain,
  EMPTY_CATALOG,
} from '../../catalog/index.js';
import { readDeduplicationFile, removeUnreferenced } from '../../recovery/index.js';
import { Log, type LogArchive } from '../../wal/index.js';
import type { EngineOptions } from '../options.js';
import { emptySpoolDir } from '../query/spool.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { OnceTable } from '../write/deduplication.js';
import type { RecordNotes } from '../write/record-notes.js';
import type { UsageBook } from '../write/usage.js';
import type { WriteOrder } from '../write/write-order.js';
import type { Writer } from '../write/writer.js';
import type { Archiving } from './archiving.js';
import type { Checkpointer } from './checkpoint.js';
import { prepareFirstStart } from './first-start.js';
import { repartitionInto } from './repartition.js';
import { loadLanes, type NoteRecord, replayLog } from './replay.js';
import type { ReplayProgress } from './replay-progress.js';

const INTERVAL_MS = 100;

export interface OpenParts {
  readonly options: EngineOptions;
  readonly storeId: string;
  readonly logDir: string;
  readonly spoolDir: string;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly writer: Writer;
  readonly usage: UsageBook;
  readonly once: OnceTable;
  readonly notes: RecordNotes;
  readonly checkpoints: Checkpointer;
  readonly archiving: Archiving;
  readonly progress: ReplayProgress;
}

/**
 * Loads the lanes and begins the order of writes. Resolves with the newest time that the store knows of, in milliseconds;
 * null = it knows none. Rejects with a CorruptionError that names file and place, or a NewerFormatError.
 */
export async function openStore(parts: OpenParts): Promise<number | null> {
  const { options, logDir, lanes, order, usage, once, notes, checkpoints, archiving, progress } = parts;
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
      await readDeduplicationFile(fs, dir, manifest.once, (entry) => once.add(entry));
    const loaded = await loadLanes(lanes.all, manifest);
    events.info('snapshot loaded', { ...loaded, lsn: manifest.checkpointLsn, ms: clock.nowMs() - started });
  }
  const note: NoteRecord = (lsn, record, counts) => {
    notes.note(lsn, record, counts);
    knownMs = record.timeMs;
    // Whatever was deleted since the snapshot is still in it, and in the log.
    if (record.type === 'catalog' && deletesDatabase(record.changes)) checkpoints.want();
    if (record.type !== 'insert') checkpoints.erase();
  };
  const replayed = await replayLog(
    fs,
    logDir,
    manifest,
    catalog,
    { lanes: lanes.all, inserts: lanes.inserts },
    note,
    { progress },
  );
  // Before anything on disk changes: it may refuse.
  const archive = await archiving.open(replayed.replay.end.nextLsn);
  const { nextLsn, tornTail } = await replayed.replay.repair();
  if (tornTail !== null) events.warn('unfinished last write cut off', { ...tornTail });
  if (manifest !== null) {
    // A kill may have come between the manifest's rename and its sync: nothing of the old one goes before that.
    await fs.syncDir(dir);
    await removeUnreferenced(fs, dir, [manifest]);
  }
  const { recordCount: records, logBytes: bytes } = replayed;
  events.info('log replayed', { records, bytes, ms: clock.nowMs() - started });
  checkpoints.replayed(bytes);
  // Nothing was ever written: a first start, or one after a crash amid the first. Its files come before the log takes room.
  const firstChanges = nextLsn === 1 ? await beginStore(parts) : null;
  order.begin(await openLog(parts, nextLsn, archive), replayed.catalog, nextLsn - 1);
  order.tellModels();
  if (firstChanges !== null) {
    await parts.writer.changeAnyway(() => ({ changes: firstChanges, answer: null }));
  }
  const wanted = options.shardCount;
  if (wanted !== null && wanted !== lanes.shardCount) await repartition(parts, wanted);
  return knownMs;
}

function openLog(
  { options, logDir, checkpoints }: OpenParts,
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

/** The files of a new store; what its first record changes. */
async function beginStore({
  options,
  storeId,
  lanes,
  checkpoints,
}: OpenParts): Promise<readonly CatalogChange[]> {
  const { fs, dir, randomBytes, clock } = options;
  // The shard count is fixed before the first record that depends on it.
  await checkpoints.beginStore({
    storeId,
    checkpointLsn: 0,
    shardCount: lanes.shardCount,
    createdMs: clock.nowMs(),
    catalog: catalogToPlain(EMPTY_CATALOG),
    files: [],
  });
  return prepareFirstStart(fs, dir, randomBytes, clock.nowMs());
}

/** Splits all data anew: from a snapshot by the old shards into one by the new ones, swapped like any other. */
async function repartition(
  { options, lanes, order, checkpoints }: OpenParts,
  shardCount: number,
): Promise<void> {
  const { fs, dir, events, clock } = options;
  const started = clock.nowMs();
  await checkpoints.run();
  const before = lanes.shardCount;
  await lanes.startAnew(shardCount);
  order.tellModels();
  const { manifest } = checkpoints;
  if (manifest !== null) await repartitionInto(lanes.all, { fs, dir }, manifest, shardCount);
  await checkpoints.runAnew(true);
  events.info('re-partitioned', { from: before, to: shardCount, ms: clock.nowMs() - started });
}

function deletesDatabase(plainChanges: readonly unknown[]): boolean {
  return plainChanges.map(changeFromPlain).some(({ change }) => change === 'database-deleted');
}
