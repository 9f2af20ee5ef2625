/**
 * Snapshot files of one shard as batches for another number of shards: how a store changes its shard count.
 * Invariants: an entity keeps its ID, values and events; only its shard, row and codes change. Rare and simple
 * rather than fast: it runs once, at a start with another --shards.
 */
import { hashBytes, invariant, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT, shardOf } from '../base/index.js';
import {
  type ArrowColumn,
  type ArrowTable,
  type ArrowValues,
  type Batch,
  narrowU32,
  type Section,
  type Values,
} from '../column/index.js';
import type { SnapshotFileEntry } from '../format/index.js';
import { COLUMN_ID_KEY } from './copy-segment.js';
import { inLoadOrder, readSnapshotFile, type SnapshotStore } from './lane-snapshot.js';

export interface ShardBatch {
  readonly databaseId: number;
  readonly shard: number;
  readonly batch: Batch;
}

interface Ids {
  readonly offsets: Int32Array | Uint32Array;
  readonly bytes: Uint8Array;
}

/** Batches of all entities and events of one old shard's dimension, entities before their events. */
export async function* batchesOfShard(
  store: SnapshotStore,
  files: readonly SnapshotFileEntry[],
  shardCount: number,
): AsyncGenerator<ShardBatch> {
  const ids: Ids[] = [];
  for (const entry of inLoadOrder(files)) {
    const table = await readSnapshotFile(store, entry);
    const { databaseId, dimensionId } = entry;
    const batches =
      entry.kind === 'entities'
        ? entityBatches(table, dimensionId, shardCount, ids)
        : eventBatches(table, dimensionId, entry.columnId, shardCount, ids);
    for (const [shard, batch] of batches) yield { databaseId, shard, batch };
  }
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
    batches.set(shard, { dimensionId, ...gatherIds(rows.map((row) => [own, row])), sections });
  }
  return batches;
}

/** The IDs at the given places, with their hashes. */
function gatherIds(places: readonly (readonly [Ids, number])[]): Omit<Batch, 'dimensionId' | 'sections'> {
  const idOffsets = new Uint32Array(places.length + 1);
  places.forEach(([{ offsets }, row], index) => {
    idOffsets[index + 1] = idOffsets[index] + offsets[row + 1] - offsets[row];
  });
  const idBytes = new Uint8Array(idOffsets[places.length]);
  const idHashes = new Uint32Array(places.length);
  places.forEach(([{ offsets, bytes }, row], index) => {
    idBytes.set(bytes.subarray(offsets[row], offsets[row + 1]), idOffsets[index]);
    idHashes[index] = hashBytes(idBytes, idOffsets[index], idOffsets[index + 1]);
  });
  return { rowCount: places.length, idHashes, idOffsets, idBytes };
}

/** The column's values at `rows`, or null when none of them has one. */
function attributeSection(column: ArrowColumn, rows: readonly number[]): Section | null {
  const { validity } = column;
  const entries: number[] = [];
  rows.forEach((row, entry) => {
    if (validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0) entries.push(entry);
  });
  if (entries.length === 0) return null;
  const common = {
    columnId: Number(column.metadata?.get(COLUMN_ID_KEY)),
    rows: Uint32Array.from(entries),
    dates: null,
  };
  const from = entries.map((entry) => rows[entry]);
  if (column.kind !== 'list') {
    return { ...common, form: 'latest', counts: null, valueCount: from.length, values: gather(column, from) };
  }
  const { offsets, items } = column;
  const counts = Uint32Array.from(from, (row) => offsets[row + 1] - offsets[row]);
  const places = from.flatMap((row) =>
    Array.from({ length: offsets[row + 1] - offsets[row] }, (_, at) => offsets[row] + at),
  );
  return { ...common, form: 'list', counts, valueCount: places.length, values: gather(items, places) };
}

/** The values at `places` in the form of a batch. */
function gather(values: ArrowValues, places: readonly number[]): Values {
  switch (values.kind) {
    case 'bool':
      return { kind: 'bits', bits: Uint8Array.from(places, (at) => (values.bits[at >> 3] >> (at & 7)) & 1) };
    case 'date32':
      return { kind: 'i32', i32: Int32Array.from(places, (at) => values.i32[at]) };
    case 'int64':
    case 'timestamp':
    case 'decimal': {
      const words = new Uint32Array(places.length * 2);
      places.forEach((at, index) => {
        words[index * 2] = values.words[at * 2];
        words[index * 2 + 1] = values.words[at * 2 + 1];
      });
      return { kind: 'i64', words };
    }
    case 'point': {
      const f64 = new Float64Array(places.length * 2);
      places.forEach((at, index) => {
        f64[index * 2] = values.f64[at * 2];
        f64[index * 2 + 1] = values.f64[at * 2 + 1];
      });
      return { kind: 'geo', f64 };
    }
    case 'dictionary': {
      const { idHashes, idOffsets, idBytes } = gatherIds(
        places.map((at) => [values.dictionary, values.codes[at]]),
      );
      return { kind: 'code', hashes: idHashes, offsets: idOffsets, bytes: idBytes };
    }
    default:
      throw new Error(`a snapshot file holds values of kind ${values.kind} in a column`);
  }
}

function eventBatches(
  table: ArrowTable,
  dimensionId: number,
  columnId: number,
  shardCount: number,
  ids: readonly Ids[],
): Map<number, Batch> {
  const [rows, dates, values] = table.columns;
  invariant(
    rows?.kind === 'uint32' && dates?.kind === 'timestamp',
    'a snapshot file of events holds row, date, value',
  );
  const seconds = narrowU32(dates.words);
  const placesOf = new Map<number, { entities: Map<number, number>; entries: number[]; events: number[] }>();
  for (let event = 0; event < table.rowCount; event++) {
    const row = rows.u32[event];
    const { offsets, bytes } = ids[row >>> SEGMENT_ROWS_SHIFT];
    const place = row & SEGMENT_ROWS_MASK;
    const shard = shardOf(hashBytes(bytes, offsets[place], offsets[place + 1]), shardCount);
    let own = placesOf.get(shard);
    if (own === undefined) {
      own = { entities: new Map(), entries: [], events: [] };
      placesOf.set(shard, own);
    }
    const entity = own.entities.get(row) ?? own.entities.size;
    own.entities.set(row, entity);
    own.entries.push(entity);
    own.events.push(event);
  }
  const batches = new Map<number, Batch>();
  for (const [shard, { entities, entries, events }] of placesOf) {
    const owners = [...entities.keys()].map(
      (row) => [ids[row >>> SEGMENT_ROWS_SHIFT], row & SEGMENT_ROWS_MASK] as const,
    );
    const section: Section = {
      columnId,
      form: 'event',
      rows: Uint32Array.from(entries),
      counts: null,
      dates: Uint32Array.from(events, (event) => seconds[event]),
      valueCount: events.length,
      values: gather(values, events),
    };
    batches.set(shard, { dimensionId, ...gatherIds(owners), sections: [section] });
  }
  return batches;
}
