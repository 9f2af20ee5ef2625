/**
 * Snapshot and log back into lanes: at start for all of them, later for one whose thread died. And what a record or a
 * change means for one lane, live and in replay alike.
 * Invariants: a lane applies the parts of records that concern its shards in LSN order; the catalog given out is that
 * of the last record. Nothing is written.
 */
import { applyChanges, type Catalog, type CatalogChange, changeFromPlain } from '../../catalog/index.js';
import { decodeRecordPayload, type LogRecord, type Manifest, type RecordBatch } from '../../format/index.js';
import type { FileSystem } from '../../io/index.js';
import { conditionFromPlain } from '../../ir/index.js';
import type { WorkerRequests } from '../../protocol/index.js';
import { type LogEntry, LogReplay } from '../../wal/index.js';
import type { LaneApi } from '../workers/worker-client.js';
import type { InsertMemory } from '../write/insert-memory.js';
import type { ReplayProgress } from './replay-progress.js';

/** What may wait in the lanes' queues. */
const WAITING_BYTES_MAX = 8 * 2 ** 20;
const WAITING_RECORDS_MAX = 4_096;

/** Told of a record: its LSN, itself without the bytes of its batches, and the entities that each of its steps changed. */
export type NoteRecord = (lsn: number, record: LogRecord, counts: StepCounts) => void;

export interface ReplayTarget {
  readonly lanes: readonly LaneApi[];
  readonly inserts: InsertMemory;
}

/** Who follows a replay. */
export interface ReplayWatch {
  /** Called before each record: these are applied one after the other then, so that it is known at which one a lane ended. */
  readonly begin?: ((entry: LogEntry) => void) | null;
  readonly progress?: ReplayProgress | null;
}

export interface Replayed {
  readonly catalog: Catalog;
  readonly recordCount: number;
  readonly logBytes: number;
  readonly replay: LogReplay;
}

/** Loads each lane's own files of the snapshot. */
export async function loadLanes(
  lanes: readonly LaneApi[],
  manifest: Manifest,
): Promise<{ rowCount: number; bytes: number }> {
  const loaded = await Promise.all(
    lanes.map((lane) =>
      lane.send('load', { files: manifest.files.filter((file) => lane.shards.includes(file.shard)) }),
    ),
  );
  return loaded.reduce((sum, one) => ({
    rowCount: sum.rowCount + one.rowCount,
    bytes: sum.bytes + one.bytes,
  }));
}

/** Entities that each step of a record changed: one number, or those of a script's steps; none of what changes no rows. */
export type StepCounts = readonly number[];

const NO_COUNTS: StepCounts = [];
const noCounts = (): StepCounts => NO_COUNTS;

/** What several lanes counted of one record, together. */
export function addCounts(each: readonly StepCounts[]): StepCounts {
  const length = each.reduce((longest, counts) => Math.max(longest, counts.length), 0);
  return Array.from({ length }, (_, step) => each.reduce((sum, counts) => sum + (counts[step] ?? 0), 0));
}

/** Tells a lane what a change means for the data it holds; null = nothing. */
export function applyToLane(lane: LaneApi, change: CatalogChange): Promise<StepCounts> | null {
  switch (change.change) {
    case 'dimension-deleted': {
      const { databaseId, dimensionId } = change;
      return lane.send('drop-dimension', { databaseId, dimensionId }).then(noCounts);
    }
    case 'column-deleted': {
      const { databaseId, dimensionId, columnId } = change;
      return lane.send('drop-column', { databaseId, dimensionId, columnId }).then(noCounts);
    }
    case 'database-deleted':
      return lane.send('drop-database', { databaseId: change.databaseId }).then(noCounts);
    default:
      return null;
  }
}

/**
 * Sends a lane its part of a record; null = none. Resolves with the entities that updates and deletes changed there. Batches
 * wait for the lane in `inserts`.
 */
export function sendRecord(
  lane: LaneApi,
  record: LogRecord,
  inserts: InsertMemory,
): Promise<StepCounts> | null {
  switch (record.type) {
    case 'catalog':
      return null;
    case 'insert':
      return sendInsert(lane, record.databaseId, record.batches, inserts)?.then(noCounts) ?? null;
    case 'expire': {
      const { databaseId, dimensionId, columnId, beforeSeconds } = record;
      return lane.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(noCounts);
    }
    case 'script':
      return sendScript(lane, record, inserts);
    default: {
      const { databaseId, dimensionId, batches } = record;
      return lane.send('mutate', mutationOf(databaseId, dimensionId, record.condition, batches)).then(one);
    }
  }
}

const one = (count: number): StepCounts => [count];

function mutationOf(
  databaseId: number,
  dimensionId: number,
  condition: unknown,
  batches: readonly RecordBatch[],
): WorkerRequests['mutate'] {
  // A copy: the record's bytes belong to the reader.
  const batch = batches.length === 0 ? null : new Uint8Array(batches[0].bytes);
  return { databaseId, dimensionId, condition: conditionFromPlain(condition), batch };
}

/** Sends a lane its part of every step, in their order and in one turn. */
function sendScript(
  lane: LaneApi,
  record: Extract<LogRecord, { type: 'script' }>,
  inserts: InsertMemory,
): Promise<StepCounts> {
  const { databaseId } = record;
  let next = 0;
  const counts = record.steps.map((step) => {
    const batches = record.batches.slice(next, next + step.batchCount);
    next += step.batchCount;
    if (step.step !== 'insert') {
      return lane.send('mutate', mutationOf(databaseId, step.dimensionId, step.condition, batches));
    }
    return sendInsert(lane, databaseId, batches, inserts)?.then(() => 0) ?? 0;
  });
  return Promise.all(counts);
}

/** Sends a lane its own batches of an insert; null = none. */
function sendInsert(
  lane: LaneApi,
  databaseId: number,
  all: readonly RecordBatch[],
  inserts: InsertMemory,
): Promise<null> | null {
  const own = all.filter(({ shard }) => lane.shards.includes(shard));
  if (own.length === 0) return null;
  // A copy: the record's bytes belong to the reader.
  const buffer = inserts.acquire(own.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const target = inserts.bytesOf(buffer);
  let offset = 0;
  const batches = own.map(({ shard, bytes }) => {
    target.set(bytes, offset);
    const place = { shard, offset, byteLength: bytes.length };
    offset += bytes.length;
    return place;
  });
  // No other thread has seen it: also when this one ends, nobody looks at it any more.
  return lane
    .send('apply', { records: [{ databaseId, buffer, batches }] })
    .finally(() => inserts.release(buffer));
}

/**
 * Reads the log after the manifest's checkpoint and sends every record to the lanes; resolves when they applied all of it.
 * `note` is called for every record in LSN order, with the entities that it changed in these lanes, step by step.
 */
export async function replayLog(
  fs: FileSystem,
  logDir: string,
  manifest: Manifest | null,
  catalog: Catalog,
  { lanes, inserts }: ReplayTarget,
  note: NoteRecord,
  { begin = null, progress = null }: ReplayWatch = {},
): Promise<Replayed> {
  const fromLsn = (manifest?.checkpointLsn ?? 0) + 1;
  const replay = new LogReplay({ fs, dir: logDir, fromLsn, manifest });
  progress?.begin(await replay.files());
  let current = catalog;
  let recordCount = 0;
  let logBytes = 0;
  let waitingBytes = 0;
  const waiting: { readonly bytes: number; readonly settle: () => Promise<void> }[] = [];
  const settleUntil = async (recordsMax: number): Promise<void> => {
    while (waiting.length > recordsMax || waitingBytes > WAITING_BYTES_MAX) {
      const { bytes, settle } = waiting[0];
      await settle();
      waiting.shift();
      waitingBytes -= bytes;
    }
  };
  for await (const entry of replay) {
    const { lsn, payload } = entry;
    begin?.(entry);
    const record = decodeRecordPayload(payload);
    const changes = 'changes' in record ? record.changes.map(changeFromPlain) : [];
    current = applyChanges(current, changes);
    const sent = lanes.flatMap((lane) =>
      [...changes.map((change) => applyToLane(lane, change)), sendRecord(lane, record, inserts)].filter(
        (one) => one !== null,
      ),
    );
    const counts = Promise.all(sent);
    // Looked at when its turn comes; until then a failure must not count as unhandled.
    counts.catch(() => {});
    const head = headOf(record);
    const { length: bytes } = payload;
    waiting.push({ bytes, settle: async () => note(lsn, head, addCounts(await counts)) });
    recordCount++;
    progress?.at(entry);
    logBytes += bytes;
    waitingBytes += bytes;
    await settleUntil(begin === null ? WAITING_RECORDS_MAX : 0);
  }
  await settleUntil(0);
  progress?.end();
  return { catalog: current, recordCount, logBytes, replay };
}

/** The record without the bytes of its batches, which belong to the reader. */
const headOf = (record: LogRecord): LogRecord => ('batches' in record ? { ...record, batches: [] } : record);
