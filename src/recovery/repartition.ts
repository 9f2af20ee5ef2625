/**
 * Converts the snapshot files of one shard to batches for another number of shards: this is how a store changes its shard count.
 * Invariants: an entity keeps its ID, values and events, and related events stay related; only its shard, row, codes and links
 * change; deleted entities and their events are dropped. Simple rather than fast: it runs once, at a start with another --shards.
 */
import { hashBytes, invariant, shardOf } from '../base/index.js';
import type { ArrowColumn, ArrowTable, Batch, Section } from '../column/index.js';
import type { SnapshotFileEntry } from '../format/index.js';
import { gatherStrings, gatherValuesAt } from './batch-values.js';
import { COLUMN_ID_KEY } from './copy-segment.js';
import { EventRegrouping, type SegmentIds } from './repartition-events.js';
import { inLoadOrder, readSnapshotFile, type SnapshotStore } from './worker-snapshot.js';

export interface ShardBatch {
  readonly databaseId: number;
  readonly shard: number;
  readonly batch: Batch;
}

/**
 * Batches of all entities and events of one old shard's dimension, entities before their events. Related events of all columns
 * are kept in memory until the last file is read, because a batch must contain all events of a group.
 */
export async function* batchesOfShard(
  store: SnapshotStore,
  files: readonly SnapshotFileEntry[],
  shardCount: number,
): AsyncGenerator<ShardBatch> {
  if (files.length === 0) return;
  const [{ databaseId, dimensionId }] = files;
  const ids: SegmentIds[] = [];
  const events = new EventRegrouping(dimensionId, shardCount, ids);
  for (const entry of inLoadOrder(files)) {
    const table = await readSnapshotFile(store, entry);
    const batches =
      entry.kind === 'entities'
        ? entityBatches(table, dimensionId, shardCount, ids)
        : events.batchesOf(table, entry.columnId);
    for (const [shard, batch] of batches) yield { databaseId, shard, batch };
  }
  for (const [shard, batch] of events.relatedBatches()) yield { databaseId, shard, batch };
}

function entityBatches(
  table: ArrowTable,
  dimensionId: number,
  shardCount: number,
  ids: SegmentIds[],
): Map<number, Batch> {
  const [own, ...columns] = table.columns;
  invariant(own?.kind === 'utf8', 'a snapshot file of entities starts with a column of IDs');
  ids.push(own);
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < table.rowCount; row++) {
    if (!isPresent(own.validity, row)) continue;
    const shard = shardOf(hashBytes(own.bytes, own.offsets[row], own.offsets[row + 1]), shardCount);
    const rows = rowsOf.get(shard);
    if (rows === undefined) rowsOf.set(shard, [row]);
    else rows.push(row);
  }
  const batches = new Map<number, Batch>();
  for (const [shard, rows] of rowsOf) {
    const sections = columns
      .map((column) => attributeSection(column, rows))
      .filter((section) => section !== null);
    const { hashes, offsets, bytes } = gatherStrings(rows.map((row) => [own, row]));
    const ids = { rowCount: rows.length, idHashes: hashes, idOffsets: offsets, idBytes: bytes };
    batches.set(shard, { dimensionId, ...ids, sections });
  }
  return batches;
}

const isPresent = (validity: Uint8Array | null, row: number): boolean =>
  validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;

/** Returns the column's values at `rows`, or null if none of them has one. */
function attributeSection(column: ArrowColumn, rows: readonly number[]): Section | null {
  const { validity } = column;
  const entries: number[] = [];
  rows.forEach((row, entry) => {
    if (isPresent(validity, row)) entries.push(entry);
  });
  if (entries.length === 0) return null;
  const common = {
    columnId: Number(column.metadata?.get(COLUMN_ID_KEY)),
    rows: Uint32Array.from(entries),
    dates: null,
    relationId: 0,
  };
  const from = entries.map((entry) => rows[entry]);
  if (column.kind !== 'list') {
    const values = gatherValuesAt(from.map((row) => [column, row]));
    return { ...common, form: 'latest', counts: null, valueCount: from.length, values };
  }
  const { offsets, items } = column;
  const counts = Uint32Array.from(from, (row) => offsets[row + 1] - offsets[row]);
  const positions = from.flatMap((row) =>
    Array.from({ length: offsets[row + 1] - offsets[row] }, (_, at) => [items, offsets[row] + at] as const),
  );
  return { ...common, form: 'list', counts, valueCount: positions.length, values: gatherValuesAt(positions) };
}
