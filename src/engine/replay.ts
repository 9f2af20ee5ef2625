/**
 * Snapshot and log back into lanes: at start for all of them, later for one whose thread died.
 * Invariants: a lane applies the batches of its shards in LSN order; the catalog given out is that of the last
 * record. Nothing is written.
 */
import type { CatalogChange } from '../catalog/index.js';
import { applyChanges, type Catalog, changeFromPlain } from '../catalog/index.js';
import { decodeRecordPayload, type LogRecord, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
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

/** The part of a record that concerns `lane`, or null. */
export function recordFor(lane: LaneApi, record: LogRecord): ApplyRecord | null {
  if (record.type !== 'insert') return null;
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

/** Tells the lanes what a change means for the data they hold. */
export function applyToLanes(lanes: readonly LaneApi[], change: CatalogChange): Promise<unknown>[] {
  if (change.change !== 'dimension-deleted') return [];
  const { databaseId, dimensionId } = change;
  return lanes.map((lane) => lane.send('drop-dimension', { databaseId, dimensionId }));
}

/** Reads the log from `fromLsn` on and sends every record to the lanes; resolves when they applied all of it. */
export async function replayLog(
  fs: FileSystem,
  logDir: string,
  fromLsn: number,
  catalog: Catalog,
  lanes: readonly LaneApi[],
): Promise<Replayed> {
  const replay = new LogReplay({ fs, dir: logDir, fromLsn });
  let current = catalog;
  let recordCount = 0;
  let logBytes = 0;
  let waitingBytes = 0;
  let waiting: Promise<unknown>[] = [];
  for await (const { payload } of replay) {
    const record = decodeRecordPayload(payload);
    const changes = record.changes.map(changeFromPlain);
    current = applyChanges(current, changes);
    for (const change of changes) waiting.push(...applyToLanes(lanes, change));
    for (const lane of lanes) {
      const part = recordFor(lane, record);
      if (part !== null) waiting.push(lane.send('apply', { records: [part] }));
    }
    recordCount++;
    logBytes += payload.length;
    waitingBytes += payload.length;
    if (waitingBytes > WAITING_BYTES_MAX) {
      await Promise.all(waiting);
      waiting = [];
      waitingBytes = 0;
    }
  }
  await Promise.all(waiting);
  return { catalog: current, recordCount, logBytes, replay };
}
