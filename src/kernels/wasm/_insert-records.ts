/**
 * What the walk over insert bodies keeps in its memory. The records of columns, dimensions and names are laid there by
 * src/ingest/plain-tables.ts, field by field in the order in which they stand here, four bytes each.
 * A record is of the request whose number is its stamp; what an older one says is forgotten.
 * Room for values is taken from behind the body, is never given back within a request, and is begun anew by the next
 * one: a builder starts with room for somewhat more than it held last, and doubles.
 */

/** Entries of the table of IDs seen: a request's number and a hash each. */
export const SEEN_SLOTS: u32 = 2048;
/** Places behind the walk's record: an ID being read, and the table of IDs seen. */
export const ID_AT: usize = 256;
export const SEEN_AT: usize = 8192;

// @ts-ignore: decorator
@unmanaged
export class Walk {
  bodyAt: u32;
  bodyEnd: u32;
  memoryEnd: u32;
  request: u32;
  shardCount: u32;
  /** 0 = there is none. */
  defaultDimension: u32;
  /** Records of dimensions by the hash of their names, and the size of that table less one. */
  dimensionsAt: u32;
  dimensionMask: u32;
  /** Two bytes for each code point below 65,536, its lower-case mapping; 0 = not laid yet. */
  lowerAt: u32;
  // What came of it.
  entityCount: u32;
  valueCount: u32;
  /** Of each batch: shard, dimension's id, place, bytes. */
  batchesAt: u32;
  batchCount: u32;
  /** 1 = gave up for want of the table of lower-case mappings. */
  misses: u32;
  // Used by the walk alone.
  free: u32;
  /** The dimension named last; 0 = none. */
  guess: u32;
  firstOpened: u32;
  lastOpened: u32;
  columnCount: u32;
  /** Of the ID or the decoded text that was read last. */
  textLength: u32;
  textHash: u32;
  /** Of the entity being read. */
  idLength: u32;
  idHash: u32;
  /** Number of the entity being read, over all requests. */
  entity: u32;
  /** Something was taken away in this request. */
  removes: u32;
  /** Filled in by the caller: 1 = every entity ends with its line. */
  lines: u32;
  nowSeconds: i64;
}

/** Values of one column, or entities of one dimension, for one shard. */
// @ts-ignore: decorator
@unmanaged
export class Builder {
  stamp: u32;
  // Bytes that an entry takes in each part; 0 = it has no such part.
  rowBytes: u32;
  extraBytes: u32;
  valueBytes: u32;
  endBytes: u32;
  shard: u32;
  /** Of entities: the dimension's record. */
  owner: u32;
  /** Of entities: the builder opened next. */
  nextOpened: u32;
  rowCount: u32;
  valueCount: u32;
  textLength: u32;
  capacity: u32;
  textCapacity: u32;
  rowsAt: u32;
  extraAt: u32;
  valuesAt: u32;
  endsAt: u32;
  textAt: u32;
}

/** A column; its builders stand behind it, by shard, and behind them those of values taken away (latest-value only). */
// @ts-ignore: decorator
@unmanaged
export class Column {
  stamp: u32;
  id: u32;
  form: u32;
  kind: u32;
  reader: u32;
  places: u32;
  /** -1 = events are kept for ever. */
  retentionDays: i32;
  boundsAt: u32;
  boundCount: u32;
  nameAt: u32;
  nameBytes: u32;
  /** The column that stood behind this one in an earlier entity: a guess; 0 = none yet. */
  next: u32;
  nextTouched: u32;
  /** Of events; 0 = in no relation. */
  relation: u32;
  /** Of related events: the entity that named the column last. */
  entity: u32;
  unused: u32;
}

/** A relation: the columns in it that an entity names have equally many events there. */
// @ts-ignore: decorator
@unmanaged
export class Relation {
  id: u32;
  /** The entity that named one of its columns last, with so many events. */
  entity: u32;
  eventCount: u32;
  unused: u32;
}

/** A dimension; the builders of its entities stand behind it, by shard. */
// @ts-ignore: decorator
@unmanaged
export class Dimension {
  stamp: u32;
  id: u32;
  nameAt: u32;
  nameBytes: u32;
  columnsAt: u32;
  columnMask: u32;
  /** The column that stood first in the last entity: a guess. */
  guess: u32;
  firstTouched: u32;
  lastTouched: u32;
  unused: u32;
}

/** Room for `bytes`, 16-aligned; 0 = none is left. */
export function allocate(walk: Walk, bytes: u32): u32 {
  const at = walk.free;
  const size = (bytes + 15) & ~15;
  if (size > walk.memoryEnd - at) return 0;
  walk.free = at + size;
  return at;
}

/** The part at `from` in a larger place; 0 = there is none left. */
function moved(walk: Walk, from: u32, usedBytes: u32, bytes: u32): u32 {
  const at = allocate(walk, bytes);
  if (at != 0 && usedBytes != 0) memory.copy(at, from, usedBytes);
  return at;
}

/** Moves the builder's entries to where there is room for `capacity` of them. */
function resize(walk: Walk, builder: Builder, capacity: u32): bool {
  const rowCount = builder.rowCount;
  const valueCount = builder.valueCount;
  const endBytes = builder.endBytes;
  const rowsAt = moved(walk, builder.rowsAt, rowCount * builder.rowBytes, capacity * builder.rowBytes);
  const extraAt = moved(walk, builder.extraAt, rowCount * builder.extraBytes, capacity * builder.extraBytes);
  const valuesAt = moved(walk, builder.valuesAt, valueCount * builder.valueBytes, capacity * builder.valueBytes);
  const endsAt = moved(walk, builder.endsAt, valueCount == 0 ? 0 : (valueCount + 1) * endBytes, (capacity + 1) * endBytes);
  if (rowsAt == 0 || extraAt == 0 || valuesAt == 0 || endsAt == 0) return false;
  builder.rowsAt = rowsAt;
  builder.extraAt = extraAt;
  builder.valuesAt = valuesAt;
  builder.endsAt = endsAt;
  builder.capacity = capacity;
  return true;
}

/** Makes an older request's builder an empty one of this request. False = no room. */
export function openBuilder(walk: Walk, builder: Builder): bool {
  const held = max(builder.rowCount, builder.valueCount);
  const textLength = builder.textLength;
  builder.stamp = walk.request;
  builder.rowCount = 0;
  builder.valueCount = 0;
  builder.textLength = 0;
  if (!resize(walk, builder, held + (held >>> 3) + 8)) return false;
  if (builder.endBytes == 0) return true;
  store<u32>(builder.endsAt, 0);
  builder.textCapacity = textLength + (textLength >>> 3) + 64;
  builder.textAt = allocate(walk, builder.textCapacity);
  return builder.textAt != 0;
}

/** Makes room for one row or value more. False = no room. */
// @ts-ignore: decorator
@inline
export function reserveEntry(walk: Walk, builder: Builder, count: u32): bool {
  return count < builder.capacity || resize(walk, builder, builder.capacity << 1);
}

/** Adds a row, for which there is room. */
// @ts-ignore: decorator
@inline
export function addRow(builder: Builder, row: u32, extra: u32): void {
  const index = builder.rowCount++;
  store<u32>(builder.rowsAt + (index << 2), row);
  if (builder.extraBytes != 0) store<u32>(builder.extraAt + (index << 2), extra);
}

function growText(walk: Walk, builder: Builder, length: u32): bool {
  const capacity = (builder.textCapacity << 1) + length;
  const at = moved(walk, builder.textAt, builder.textLength, capacity);
  if (at == 0) return false;
  builder.textAt = at;
  builder.textCapacity = capacity;
  return true;
}

/** Makes room for a text of `length` bytes more, written in whole vectors. False = no room. */
// @ts-ignore: decorator
@inline
export function reserveText(walk: Walk, builder: Builder, length: u32): bool {
  return builder.textLength + length + 16 <= builder.textCapacity || growText(walk, builder, length + 16);
}

/** The builder of `shard` among those that stand behind the record at `first`. */
// @ts-ignore: decorator
@inline
export function builderOf(first: usize, shard: u32): Builder {
  return changetype<Builder>(first + <usize>shard * offsetof<Builder>());
}
