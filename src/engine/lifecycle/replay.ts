/**
 * Loads snapshot and log into workers: at the start into all of them, later into one whose thread died. It also sends records
 * and changes to a worker, in normal operation and in replay.
 * Invariants: a worker applies the parts of records that concern its shards in LSN order. The resulting catalog is that of the
 * last record. Nothing is written.
 */
import { applyChanges, type Catalog, type CatalogChange, changeFromPlain } from '../../catalog/index.js';
import {
  changesIn,
  decodeRecordPayload,
  type LogRecord,
  type Manifest,
  type RecordBatch,
} from '../../format/index.js';
import type { FileSystem } from '../../io/index.js';
import { conditionFromPlain } from '../../ir/index.js';
import type { WorkerRequests } from '../../protocol/index.js';
import { type LogEntry, LogReplay } from '../../wal/index.js';
import type { WorkerApi } from '../workers/worker-client.js';
import type { InsertMemory } from '../write/insert-memory.js';
import type { ReplayProgress } from './replay-progress.js';

/** Limit of the bytes that wait in the workers' queues. */
const WAITING_BYTES_MAX = 8 * 2 ** 20;
const WAITING_RECORDS_MAX = 4_096;

/** Called for a record: its LSN, the record without the bytes of its batches, and the entities that each step changed. */
export type NoteRecord = (lsn: number, record: LogRecord, counts: StepCounts) => void;

/** The log, and the state from which it continues; manifest null = the store has no checkpoint yet. */
export interface ReplaySource {
  readonly fs: FileSystem;
  readonly logDir: string;
  readonly manifest: Manifest | null;
  readonly catalog: Catalog;
}

export interface ReplayTarget {
  readonly workers: readonly WorkerApi[];
  readonly inserts: InsertMemory;
}

/** Observers of a replay. */
export interface ReplayWatch {
  /** Called before each record. Records are then applied one by one, so that the record at which a worker ends is known. */
  readonly begin?: ((entry: LogEntry) => void) | null;
  readonly progress?: ReplayProgress | null;
}

export interface Replayed {
  readonly catalog: Catalog;
  readonly recordCount: number;
  readonly logBytes: number;
  readonly replay: LogReplay;
}

/** Loads into each worker the snapshot files of its shards. */
export async function loadWorkers(
  workers: readonly WorkerApi[],
  manifest: Manifest,
): Promise<{ rowCount: number; bytes: number }> {
  const loaded = await Promise.all(
    workers.map((worker) =>
      worker.send('load', { files: manifest.files.filter((file) => worker.shards.includes(file.shard)) }),
    ),
  );
  return loaded.reduce((sum, one) => ({
    rowCount: sum.rowCount + one.rowCount,
    bytes: sum.bytes + one.bytes,
  }));
}

/** Number of entities that each step of a record changed: one number, or one per step of a script; empty without rows. */
export type StepCounts = readonly number[];

const NO_COUNTS: StepCounts = [];
const noCounts = (): StepCounts => NO_COUNTS;

/** Adds the counts of one record over several workers. */
export function addCounts(each: readonly StepCounts[]): StepCounts {
  const length = each.reduce((longest, counts) => Math.max(longest, counts.length), 0);
  return Array.from({ length }, (_, step) => each.reduce((sum, counts) => sum + (counts[step] ?? 0), 0));
}

/** Sends a worker the effect of a catalog change on its data; null = none. */
export function applyToWorker(worker: WorkerApi, change: CatalogChange): Promise<StepCounts> | null {
  switch (change.change) {
    case 'dimension-deleted': {
      const { databaseId, dimensionId } = change;
      return worker.send('drop-dimension', { databaseId, dimensionId }).then(noCounts);
    }
    case 'column-deleted': {
      const { databaseId, dimensionId, columnId } = change;
      return worker.send('drop-column', { databaseId, dimensionId, columnId }).then(noCounts);
    }
    case 'segment-deleted': {
      const { databaseId, segmentId } = change;
      return worker.send('drop-dimension', { databaseId, dimensionId: segmentId }).then(noCounts);
    }
    case 'segment-set': {
      const { databaseId, replaces } = change;
      if (replaces === null) return null;
      return worker.send('drop-dimension', { databaseId, dimensionId: replaces }).then(noCounts);
    }
    case 'database-deleted':
      return worker.send('drop-database', { databaseId: change.databaseId }).then(noCounts);
    default:
      return null;
  }
}

/**
 * Sends a worker its part of a record; null = none. Resolves with the number of entities that updates and deletes changed there.
 * Batches wait for the worker in `inserts`.
 */
export function sendRecord(
  worker: WorkerApi,
  record: LogRecord,
  inserts: InsertMemory,
): Promise<StepCounts> | null {
  switch (record.type) {
    case 'catalog':
      return null;
    case 'insert':
      return sendInsert(worker, record.databaseId, record.batches, inserts)?.then(noCounts) ?? null;
    case 'expire': {
      const { databaseId, dimensionId, columnId, beforeSeconds } = record;
      return worker.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(noCounts);
    }
    case 'script':
      return sendScript(worker, record, inserts);
    default: {
      const { databaseId, dimensionId, batches } = record;
      return worker.send('mutate', mutationOf(databaseId, dimensionId, record.condition, batches)).then(one);
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

/** Sends a worker its part of every step, in order and in one turn. */
function sendScript(
  worker: WorkerApi,
  record: Extract<LogRecord, { type: 'script' }>,
  inserts: InsertMemory,
): Promise<StepCounts> {
  const { databaseId } = record;
  let next = 0;
  const counts = record.steps.map((step) => {
    const batches = record.batches.slice(next, next + step.batchCount);
    next += step.batchCount;
    if (step.step !== 'insert') {
      return worker.send('mutate', mutationOf(databaseId, step.dimensionId, step.condition, batches));
    }
    return sendInsert(worker, databaseId, batches, inserts)?.then(() => 0) ?? 0;
  });
  return Promise.all(counts);
}

/** Sends a worker its batches of an insert; null = none. */
function sendInsert(
  worker: WorkerApi,
  databaseId: number,
  all: readonly RecordBatch[],
  inserts: InsertMemory,
): Promise<null> | null {
  const own = all.filter(({ shard }) => worker.shards.includes(shard));
  if (own.length === 0) return null;
  // A copy: the record's bytes belong to the reader.
  const buffer = inserts.acquire(own.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const target = inserts.bytesOf(buffer);
  let offset = 0;
  const batches = own.map(({ shard, bytes }) => {
    target.set(bytes, offset);
    const location = { shard, offset, byteLength: bytes.length };
    offset += bytes.length;
    return location;
  });
  // No other thread has this part, so it is free even if the worker's thread ends.
  return worker
    .send('apply', { records: [{ databaseId, buffer, batches }] })
    .finally(() => inserts.release(buffer));
}

/**
 * Reads the log after the manifest's checkpoint and sends every record to the workers; resolves when they have applied all.
 * Calls `note` for every record in LSN order, with the number of entities that each step changed in these workers.
 */
export async function replayLog(
  { fs, logDir, manifest, catalog }: ReplaySource,
  { workers, inserts }: ReplayTarget,
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
    const changes = changesIn(record).map(changeFromPlain);
    current = applyChanges(current, changes);
    const sent = workers.flatMap((worker) =>
      [...changes.map((change) => applyToWorker(worker, change)), sendRecord(worker, record, inserts)].filter(
        (one) => one !== null,
      ),
    );
    const counts = Promise.all(sent);
    // The promise is awaited later; until then a rejection must not count as unhandled.
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

/** The record without views of the payload, whose bytes belong to the reader. */
function headOf(record: LogRecord): LogRecord {
  if (!('batches' in record)) return record;
  const head = { ...record, batches: [] };
  if (head.type !== 'insert' || head.lineKeys === undefined) return head;
  return { ...head, lineKeys: new Uint8Array(head.lineKeys) };
}
