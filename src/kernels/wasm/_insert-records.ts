/**
 * The records in the memory of the insert parser. src/ingest/plain/tables.ts writes the records of columns, dimensions and names,
 * field by field in the order given here, four bytes each.
 * A record belongs to the request whose number is its stamp; the contents of an older record are invalid.
 * Memory for values is allocated after the body and never freed within a request; the next request starts over. A builder starts
 * with slightly more capacity than it last used, and doubles.
 */

/** Entries in the table of IDs seen, each with a request number and a hash. */
export const SEEN_SLOTS: u32 = 2048;
/** Offsets after the walk's record: the current ID, and the table of IDs seen. */
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
  /** 0 = none. */
  defaultDimension: u32;
  /** Offset of the hash table of dimension records by name, and its size minus one. */
  dimensionsAt: u32;
  dimensionMask: u32;
  /** Two bytes for each code point below 65,536: its lower-case mapping; 0 = not written yet. */
  lowerAt: u32;
  // The results.
  entityCount: u32;
  valueCount: u32;
  /** For each batch: shard, dimension ID, offset, size in bytes. */
  batchesAt: u32;
  batchCount: u32;
  /** 1 = the parser gave up because the table of lower-case mappings is missing. */
  misses: u32;
  // Internal state of the parser.
  free: u32;
  /** The last dimension named; 0 = none. */
  guess: u32;
  firstOpened: u32;
  lastOpened: u32;
  columnCount: u32;
  /** Length and hash of the last ID or decoded text. */
  textLength: u32;
  textHash: u32;
  /** Length and hash of the current entity's ID. */
  idLength: u32;
  idHash: u32;
  /** Number of the current entity, counted over all requests. */
  entity: u32;
  /** 1 = the request removes some value. */
  removes: u32;
  /** Set by the caller: 1 = every entity ends with its line. */
  lines: u32;
  /** Offset of the current entity's key. */
  keyAt: u32;
  nowSeconds: i64;
}

/** Values of one column, or entities of one dimension, for one shard. */
// @ts-ignore: decorator
@unmanaged
export class Builder {
  stamp: u32;
  // Size of an entry in each part; 0 = the builder has no such part.
  rowBytes: u32;
  extraBytes: u32;
  valueBytes: u32;
  endBytes: u32;
  shard: u32;
  /** For entities: the dimension's record. */
  owner: u32;
  /** For entities: the builder opened next. */
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

/** A column, followed by its builders by shard, and then (latest-value only) by those of removals. */
// @ts-ignore: decorator
@unmanaged
export class Column {
  stamp: u32;
  id: u32;
  form: u32;
  kind: u32;
  reader: u32;
  places: u32;
  /** -1 = events are kept forever. */
  retentionDays: i32;
  boundsAt: u32;
  boundCount: u32;
  nameAt: u32;
  nameBytes: u32;
  /** The column that followed this one in an earlier entity, used as a guess; 0 = none yet. */
  next: u32;
  nextTouched: u32;
  /** For event columns; 0 = in no relation. */
  relation: u32;
  /** For related events: the last entity that named the column. */
  entity: u32;
  unused: u32;
}

/** A relation: all its columns that an entity names must have equally many events. */
// @ts-ignore: decorator
@unmanaged
export class Relation {
  id: u32;
  /** The last entity that named a column of the relation, and its number of events. */
  entity: u32;
  eventCount: u32;
  unused: u32;
}

/** A dimension, followed by the builders of its entities by shard. */
// @ts-ignore: decorator
@unmanaged
export class Dimension {
  stamp: u32;
  id: u32;
  nameAt: u32;
  nameBytes: u32;
  columnsAt: u32;
  columnMask: u32;
  /** The first column of the previous entity, used as a guess. */
  guess: u32;
  firstTouched: u32;
  lastTouched: u32;
  /** 1 = entity IDs keep their case. */
  preservesIds: u32;
}

/** Allocates `bytes`, 16-aligned; 0 = out of memory. */
export function allocate(walk: Walk, bytes: u32): u32 {
  const at = walk.free;
  const size = (bytes + 15) & ~15;
  if (size > walk.memoryEnd - at) return 0;
  walk.free = at + size;
  return at;
}

/** Moves the part at `from` to a larger block; 0 = out of memory. */
function moved(walk: Walk, from: u32, usedBytes: u32, bytes: u32): u32 {
  const at = allocate(walk, bytes);
  if (at != 0 && usedBytes != 0) memory.copy(at, from, usedBytes);
  return at;
}

/** Moves the builder's entries to blocks with the given capacity. */
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

/** Empties an older request's builder for this request. Returns false if out of memory. */
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

/** Ensures capacity for one more row or value. Returns false if out of memory. */
// @ts-ignore: decorator
@inline
export function reserveEntry(walk: Walk, builder: Builder, count: u32): bool {
  return count < builder.capacity || resize(walk, builder, builder.capacity << 1);
}

/** Adds a row; the caller has ensured capacity. */
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

/** Ensures capacity for one more text of `length` bytes, written in whole vectors. Returns false if out of memory. */
// @ts-ignore: decorator
@inline
export function reserveText(walk: Walk, builder: Builder, length: u32): bool {
  return builder.textLength + length + 16 <= builder.textCapacity || growText(walk, builder, length + 16);
}

/** Returns the builder of `shard` among the builders from `first` on. */
// @ts-ignore: decorator
@inline
export function builderOf(first: usize, shard: u32): Builder {
  return changetype<Builder>(first + <usize>shard * offsetof<Builder>());
}
