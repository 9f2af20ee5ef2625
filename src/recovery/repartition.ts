/**
 * Snapshot files of one shard as batches for another number of shards: how a store changes its shard count.
 * Invariants: an entity keeps its ID, values and events, and related events stay related; only its shard, row, codes
 * and links change; deleted entities and their events stay behind. Rare and simple rather than fast: it runs once, at
 * a start with another --shards.
 */
import { hashBytes, invariant, shardOf } from '../base/index.js';
import type { ArrowColumn, ArrowTable, Batch, Section } from '../column/index.js';
import type { SnapshotFileEntry } from '../format/index.js';
import { gatherPlaces, gatherStrings } from './batch-values.js';
import { COLUMN_ID_KEY } from './copy-segment.js';
import { inLoadOrder, readSnapshotFile, type SnapshotStore } from './lane-snapshot.js';
import { EventRegrouping, type Ids } from './repartition-events.js';

export interface ShardBatch {
  readonly databaseId: number;
  readonly shard: number;
  readonly batch: Batch;
}

/**
 * Batches of all entities and events of one old shard's dimension, entities before their events. Related events of
 * all columns are held in memory until the last file is read, since a batch must hold all that belong together.
 */
export async function* batchesOfShard(
  store: SnapshotStore,
  files: readonly SnapshotFileEntry[],
  shardCount: number,
): AsyncGenerator<ShardBatch> {
  if (files.length === 0) return;
  const [{ databaseId, dimensionId }] = files;
  const ids: Ids[] = [];
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
  ids: Ids[],
): Map<number, Batch> {
  const [own, ...columns] = table.columns;
  invariant(own?.kind === 'utf8', 'a snapshot file of entities begins with their IDs');
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
    const given = { rowCount: rows.length, idHashes: hashes, idOffsets: offsets, idBytes: bytes };
    batches.set(shard, { dimensionId, ...given, sections });
  }
  return batches;
}

const isPresent = (validity: Uint8Array | null, row: number): boolean =>
  validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;

/** The column's values at `rows`, or null when none of them has one. */
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
    const values = gatherPlaces(from.map((row) => [column, row]));
    return { ...common, form: 'latest', counts: null, valueCount: from.length, values };
  }
  const { offsets, items } = column;
  const counts = Uint32Array.from(from, (row) => offsets[row + 1] - offsets[row]);
  const places = from.flatMap((row) =>
    Array.from({ length: offsets[row + 1] - offsets[row] }, (_, at) => [items, offsets[row] + at] as const),
  );
  return { ...common, form: 'list', counts, valueCount: places.length, values: gatherPlaces(places) };
}
