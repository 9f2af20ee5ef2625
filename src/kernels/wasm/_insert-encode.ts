/**
 * Encodes the parsed entities as batches (layout of column/batch.ts), concatenated: by shard, then by the first mention of the
 * dimension. Sections follow the first mention of their columns; the removals of a column follow its values.
 */
import { allocate, Builder, builderOf, Column, Dimension, Relation, Walk } from './_insert-records';

/** BATCH_VERSION of src/column. */
const BATCH_VERSION: u32 = 1;
/** Indexes in FORMS of src/column. */
const FORM_LATEST: u32 = 0;
const FORM_REMOVE: u32 = 3;
const HEAD_BYTES: u32 = 32;
const BATCH_PLACE_BYTES: u32 = 16;

// @ts-ignore: decorator
@inline
function padded(bytes: u32): u32 {
  return (bytes + 7) & ~7;
}

/** Returns the size of all parts of a builder. */
function partsBytes(builder: Builder): u32 {
  const rowCount = builder.rowCount;
  const valueCount = builder.valueCount;
  const rows = padded(rowCount * builder.rowBytes) + padded(rowCount * builder.extraBytes);
  const values = padded(valueCount * builder.valueBytes);
  return builder.endBytes == 0
    ? rows + values
    : rows + values + padded((valueCount + 1) * builder.endBytes) + padded(builder.textLength);
}

/** Copies `bytes` from `from` to `at`, padded with zeros to the 8-aligned offset that it returns. */
function copyPart(at: u32, from: u32, bytes: u32): u32 {
  if (bytes == 0) return at;
  const end = at + padded(bytes);
  store<u64>(end - 8, 0);
  memory.copy(at, from, bytes);
  return end;
}

function copyParts(from: u32, builder: Builder): u32 {
  let at = copyPart(from, builder.rowsAt, builder.rowCount * builder.rowBytes);
  at = copyPart(at, builder.extraAt, builder.rowCount * builder.extraBytes);
  at = copyPart(at, builder.valuesAt, builder.valueCount * builder.valueBytes);
  if (builder.endBytes == 0) return at;
  at = copyPart(at, builder.endsAt, (builder.valueCount + 1) * builder.endBytes);
  return copyPart(at, builder.textAt, builder.textLength);
}

function writeHead(at: u32, a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32): u32 {
  store<u32>(at, a);
  store<u32>(at, b, 4);
  store<u32>(at, c, 8);
  store<u32>(at, d, 12);
  store<u32>(at, e, 16);
  store<u32>(at, f, 20);
  store<u32>(at, g, 24);
  store<u32>(at, 0, 28);
  return at + HEAD_BYTES;
}

/** Returns the size of the batch of the entities `entities`. */
function batchBytes(walk: Walk, entities: Builder): u32 {
  let bytes = HEAD_BYTES + partsBytes(entities);
  const dimension = changetype<Dimension>(entities.owner);
  for (let at = dimension.firstTouched; at != 0; at = changetype<Column>(at).nextTouched) {
    bytes += sectionBytes(walk, builderOf(at + offsetof<Column>(), entities.shard));
    if (takesAway(walk, changetype<Column>(at))) {
      bytes += sectionBytes(walk, builderOf(at + offsetof<Column>(), walk.shardCount + entities.shard));
    }
  }
  return bytes;
}

/** Returns whether the column has builders for removals. */
// @ts-ignore: decorator
@inline
function takesAway(walk: Walk, column: Column): bool {
  return walk.removes != 0 && column.form == FORM_LATEST;
}

// @ts-ignore: decorator
@inline
function hasRows(walk: Walk, builder: Builder): bool {
  return builder.stamp == walk.request && builder.rowCount > 0;
}

function sectionBytes(walk: Walk, builder: Builder): u32 {
  return hasRows(walk, builder) ? HEAD_BYTES + partsBytes(builder) : 0;
}

function writeSection(at: u32, column: Column, form: u32, builder: Builder): u32 {
  const relationId = column.relation == 0 ? 0 : changetype<Relation>(column.relation).id;
  const rowCount = builder.rowCount;
  const sectionAt = writeHead(at, column.id, form, column.kind, rowCount, builder.valueCount, builder.textLength, relationId);
  return copyParts(sectionAt, builder);
}

function writeBatch(walk: Walk, from: u32, entities: Builder): u32 {
  const dimension = changetype<Dimension>(entities.owner);
  let at = copyParts(from + HEAD_BYTES, entities);
  let sectionCount: u32 = 0;
  for (let place = dimension.firstTouched; place != 0; place = changetype<Column>(place).nextTouched) {
    const column = changetype<Column>(place);
    const values = builderOf(place + offsetof<Column>(), entities.shard);
    if (hasRows(walk, values)) {
      at = writeSection(at, column, column.form, values);
      sectionCount++;
    }
    if (!takesAway(walk, column)) continue;
    const removed = builderOf(changetype<usize>(values), walk.shardCount);
    if (hasRows(walk, removed)) {
      at = writeSection(at, column, FORM_REMOVE, removed);
      sectionCount++;
    }
  }
  writeHead(from, BATCH_VERSION, dimension.id, entities.valueCount, sectionCount, entities.textLength, 0, 0);
  return at;
}

/** Encodes all batches and stores their positions in the walk's record. Returns false if out of memory. */
export function encodeBatches(walk: Walk): bool {
  let count: u32 = 0;
  let bytes: u32 = 0;
  for (let at = walk.firstOpened; at != 0; at = changetype<Builder>(at).nextOpened) {
    bytes += batchBytes(walk, changetype<Builder>(at));
    count++;
  }
  const placesAt = allocate(walk, count * BATCH_PLACE_BYTES);
  let to = allocate(walk, bytes);
  if (placesAt == 0 || to == 0) return false;
  walk.batchesAt = placesAt;
  walk.batchCount = count;
  let place = placesAt;
  for (let shard: u32 = 0; shard < walk.shardCount; shard++) {
    for (let at = walk.firstOpened; at != 0; at = changetype<Builder>(at).nextOpened) {
      const entities = changetype<Builder>(at);
      if (entities.shard != shard) continue;
      const end = writeBatch(walk, to, entities);
      store<u32>(place, shard);
      store<u32>(place, changetype<Dimension>(entities.owner).id, 4);
      store<u32>(place, to, 8);
      store<u32>(place, end - to, 12);
      place += BATCH_PLACE_BYTES;
      to = end;
    }
  }
  return true;
}
