/**
 * Snapshot and log back into lanes: at start for all of them, later for one whose thread died. And what a record or a
 * change means for one lane, live and in replay alike.
 * Invariants: a lane applies the parts of records that concern its shards in LSN order; the catalog given out is that
 * of the last record. Nothing is written.
 */
import { applyChanges, type Catalog, type CatalogChange, changeFromPlain } from '../catalog/index.js';
import { decodeRecordPayload, type LogRecord, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { conditionFromPlain } from '../ir/index.js';
import type { ApplyRecord } from '../protocol/index.js';
import { LogReplay } from '../wal/index.js';
import type { LaneApi } from './lane.js';

/** Batch bytes that may wait in the lanes' queues. */
const WAITING_BYTES_MAX = 32 * 2 ** 20;

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

const noCount = (): number => 0;

/** Tells a lane what a change means for the data it holds; null = nothing. Resolves with 0. */
export function applyToLane(lane: LaneApi, change: CatalogChange): Promise<number> | null {
  switch (change.change) {
    case 'dimension-deleted': {
      const { databaseId, dimensionId } = change;
      return lane.send('drop-dimension', { databaseId, dimensionId }).then(noCount);
    }
    case 'column-deleted': {
      const { databaseId, dimensionId, columnId } = change;
      return lane.send('drop-column', { databaseId, dimensionId, columnId }).then(noCount);
    }
    case 'database-deleted':
      return lane.send('drop-database', { databaseId: change.databaseId }).then(noCount);
    default:
      return null;
  }
}

/** Sends a lane its part of a record; null = none. Resolves with the entities that an update or delete changed there. */
export function sendRecord(lane: LaneApi, record: LogRecord): Promise<number> | null {
  switch (record.type) {
    case 'catalog':
      return null;
    case 'insert': {
      const part = insertFor(lane, record);
      return part === null ? null : lane.send('apply', { records: [part] }).then(noCount);
    }
    case 'expire': {
      const { databaseId, dimensionId, columnId, beforeSeconds } = record;
      return lane.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(noCount);
    }
    default: {
      const { databaseId, dimensionId, batches } = record;
      const condition = conditionFromPlain(record.condition);
      // A copy: the record's bytes belong to the reader.
      const batch = record.type === 'update' ? new Uint8Array(batches[0].bytes) : null;
      return lane.send('mutate', { databaseId, dimensionId, condition, batch });
    }
  }
}

/** The part of an insert that concerns `lane`, or null. */
function insertFor(lane: LaneApi, record: Extract<LogRecord, { type: 'insert' }>): ApplyRecord | null {
  const own = record.batches.filter(({ shard }) => lane.shards.includes(shard));
  if (own.length === 0) return null;
  // One copy that the lane may keep: the record's bytes belong to the reader.
  const total = own.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const buffer = new SharedArrayBuffer(total);
  const target = new Uint8Array(buffer);
  let offset = 0;
  const batches = own.map(({ shard, bytes }) => {
    target.set(bytes, offset);
    const place = { shard, offset, byteLength: bytes.length };
    offset += bytes.length;
    return place;
  });
  return { databaseId: record.databaseId, buffer, batches };
}

/**
 * Reads the log from `fromLsn` on and sends every record to the lanes; resolves when they applied all of it. `note`
 * is called for every record in LSN order, with the entities it changed in these lanes.
 */
export async function replayLog(
  fs: FileSystem,
  logDir: string,
  fromLsn: number,
  catalog: Catalog,
  lanes: readonly LaneApi[],
  note: (lsn: number, record: LogRecord, entityCount: number) => void,
): Promise<Replayed> {
  const replay = new LogReplay({ fs, dir: logDir, fromLsn });
  let current = catalog;
  let recordCount = 0;
  let logBytes = 0;
  let waitingBytes = 0;
  let waiting: (() => Promise<void>)[] = [];
  const drain = async (): Promise<void> => {
    for (const settle of waiting) await settle();
    waiting = [];
    waitingBytes = 0;
  };
  for await (const { lsn, payload } of replay) {
    const record = decodeRecordPayload(payload);
    const changes = 'changes' in record ? record.changes.map(changeFromPlain) : [];
    current = applyChanges(current, changes);
    const sent = lanes.flatMap((lane) =>
      [...changes.map((change) => applyToLane(lane, change)), sendRecord(lane, record)].filter(
        (one) => one !== null,
      ),
    );
    const counts = Promise.all(sent);
    // Looked at when its turn comes; until then a failure must not count as unhandled.
    counts.catch(() => {});
    const head = headOf(record);
    waiting.push(async () =>
      note(
        lsn,
        head,
        (await counts).reduce((sum, one) => sum + one, 0),
      ),
    );
    recordCount++;
    logBytes += payload.length;
    waitingBytes += payload.length;
    if (waitingBytes > WAITING_BYTES_MAX) await drain();
  }
  await drain();
  return { catalog: current, recordCount, logBytes, replay };
}

/** The record without the bytes of its batches, which belong to the reader. */
const headOf = (record: LogRecord): LogRecord => ('batches' in record ? { ...record, batches: [] } : record);
