/**
 * Parses one entity of an insert body: its ID, its dimension, which must be its first key or the default one, and its columns.
 * The column of a key is guessed: the column that followed the same column in an earlier entity, or the one after that if an
 * optional column is omitted. Otherwise its name is looked up.
 * Readers return the offset after what they read; 0 = not plain, or out of memory.
 */
import { decodeText } from './_insert-decode';
import {
  Builder,
  builderOf,
  Column,
  Dimension,
  ID_AT,
  openBuilder,
  reserveEntry,
  reserveText,
  SEEN_AT,
  SEEN_SLOTS,
  Walk,
} from './_insert-records';
import {
  CLOSE_OBJECT,
  columnNamed,
  COMMA,
  copyText,
  dimensionNamed,
  isNamed,
  lowerText,
  OPEN_OBJECT,
  plainLength,
  QUOTE,
  skipColon,
  skipSpace,
} from './_insert-text';
import { readColumn } from './_insert-columns';

/** ENTITIES_PER_INSERT_MAX and COLUMNS_PER_INSERT_MAX of src/base. */
const ENTITIES_MAX: u32 = 1000;
const COLUMNS_MAX: u32 = 5000;
/** `"dimensi` and `ion"`: together, overlapping in one byte, the key `"dimension"`. */
const DIMENSION_START: u64 = 0x69736e656d696422;
const DIMENSION_END: u32 = 0x226e6f69;
const DIMENSION_KEY_BYTES: usize = 11;
/** `auto-cre` and `-create`, overlapping. */
const AUTO_START: u64 = 0x6572632d6f747561;
const AUTO_END: u64 = 0x6574616572632d6f;
const AUTO_BYTES: u32 = 11;

/** Parses the member of the body whose key starts at `keyAt`. */
export function readEntity(walk: Walk, keyAt: usize): usize {
  if (load<u8>(keyAt) != QUOTE || walk.entityCount == ENTITIES_MAX) return 0;
  const idAt = changetype<usize>(walk) + ID_AT;
  const idEnd = readId(walk, keyAt + 1, idAt);
  if (idEnd == 0) return 0;
  const length = walk.textLength;
  const hash = walk.textHash;
  if (length == AUTO_BYTES && load<u64>(idAt) == AUTO_START && load<u64>(idAt + 3) == AUTO_END) return 0;
  if (!isNew(walk, hash)) return 0;
  walk.keyAt = <u32>keyAt;
  walk.idLength = length;
  walk.idHash = hash;
  const at = skipColon(idEnd);
  return at == 0 || load<u8>(at) != OPEN_OBJECT ? 0 : readObject(walk, skipSpace(at + 1));
}

/** Copies the ID whose first byte is at `from` to `to`; returns the offset after its quote. */
// @ts-ignore: decorator
@inline
function readId(walk: Walk, from: usize, to: usize): usize {
  const length = plainLength(from);
  if (length == 0) return decodeText(walk, from, to, false);
  walk.textLength = length;
  walk.textHash = lowerText(from, to, length);
  return from + length + 1;
}

/** Reads the current entity's ID again, in the case in which it was sent. */
function readUnchangedId(walk: Walk): void {
  const from = <usize>walk.keyAt + 1;
  const to = changetype<usize>(walk) + ID_AT;
  const length = plainLength(from);
  if (length == 0) decodeText(walk, from, to, true);
  else {
    walk.textLength = length;
    walk.textHash = copyText(from, to, length);
  }
  walk.idLength = walk.textLength;
  walk.idHash = walk.textHash;
}

/** Stores the hash of an ID. Returns false if the request already contains an ID with that hash. */
// @ts-ignore: decorator
@inline
function isNew(walk: Walk, hash: u32): bool {
  const table = changetype<usize>(walk) + SEEN_AT;
  const entry = (<u64>walk.request << 32) | <u64>hash;
  let slot = hash & (SEEN_SLOTS - 1);
  let other = load<u64>(table + (slot << 3));
  while (<u32>(other >> 32) == walk.request) {
    if (other == entry) return false;
    slot = (slot + 1) & (SEEN_SLOTS - 1);
    other = load<u64>(table + (slot << 3));
  }
  store<u64>(table + (slot << 3), entry);
  return true;
}

/** Parses an entity's object from its first key on. */
function readObject(walk: Walk, from: usize): usize {
  let at = from;
  let place = walk.defaultDimension;
  if (load<u64>(at) == DIMENSION_START && load<u32>(at + 7) == DIMENSION_END) {
    at = skipColon(at + DIMENSION_KEY_BYTES);
    if (at == 0 || load<u8>(at) != QUOTE) return 0;
    place = dimensionAt(walk, at);
    if (place == 0) return 0;
    at = skipSpace(at + changetype<Dimension>(place).nameBytes);
    if (load<u8>(at) != COMMA) return 0;
    at = skipSpace(at + 1);
  }
  if (place == 0) return 0;
  const dimension = changetype<Dimension>(place);
  if (dimension.preservesIds) readUnchangedId(walk);
  const shard = <u32>((<u64>walk.idHash * <u64>walk.shardCount) >> 32);
  const entities = builderOf(place + offsetof<Dimension>(), shard);
  if (entities.stamp != walk.request && !openBatch(walk, dimension, entities)) return 0;
  return addEntity(walk, entities) ? readColumns(walk, dimension, shard, entities.valueCount - 1, at) : 0;
}

/** Returns the dimension whose name is at `at`, or 0. */
// @ts-ignore: decorator
@inline
function dimensionAt(walk: Walk, at: usize): u32 {
  const guess = walk.guess;
  if (guess != 0) {
    const dimension = changetype<Dimension>(guess);
    if (isNamed(at, dimension.nameAt, dimension.nameBytes)) return guess;
  }
  const found = dimensionNamed(walk, at);
  walk.guess = found;
  return found;
}

function openBatch(walk: Walk, dimension: Dimension, entities: Builder): bool {
  if (!openBuilder(walk, entities)) return false;
  if (dimension.stamp != walk.request) {
    dimension.stamp = walk.request;
    dimension.firstTouched = 0;
    dimension.lastTouched = 0;
  }
  const place = <u32>changetype<usize>(entities);
  entities.nextOpened = 0;
  if (walk.lastOpened == 0) walk.firstOpened = place;
  else changetype<Builder>(walk.lastOpened).nextOpened = place;
  walk.lastOpened = place;
  return true;
}

/** Adds the entity with the current ID. */
// @ts-ignore: decorator
@inline
function addEntity(walk: Walk, entities: Builder): bool {
  const row = entities.valueCount;
  walk.entity++;
  const length = walk.idLength;
  if (!reserveEntry(walk, entities, row) || !reserveText(walk, entities, length)) return false;
  const from = changetype<usize>(walk) + ID_AT;
  const start = entities.textLength;
  const to = <usize>entities.textAt + start;
  for (let done: u32 = 0; done < length; done += 16) v128.store(to + done, v128.load(from + done));
  store<u32>(entities.valuesAt + (row << 2), walk.idHash);
  store<u32>(entities.endsAt + ((row + 1) << 2), start + length);
  entities.textLength = start + length;
  entities.valueCount = row + 1;
  return true;
}

/** Parses the columns of an entity, from the first key to the end of the object. */
function readColumns(walk: Walk, dimension: Dimension, shard: u32, row: u32, from: usize): usize {
  const request = walk.request;
  let at = from;
  let previous: u32 = 0;
  for (;;) {
    if (load<u8>(at) != QUOTE) return 0;
    const guess = previous == 0 ? dimension.guess : changetype<Column>(previous).next;
    let found = guessed(guess, at);
    if (found == 0) {
      found = columnNamed(dimension, at);
      if (found == 0) return 0;
      if (previous == 0) dimension.guess = found;
      else changetype<Column>(previous).next = found;
    }
    const column = changetype<Column>(found);
    at = skipColon(at + column.nameBytes);
    if (at == 0) return 0;
    const builder = builderOf(found + offsetof<Column>(), shard);
    if (builder.stamp != request && !openColumn(walk, dimension, column, builder)) return 0;
    at = readColumn(walk, column, builder, row, at);
    if (at == 0) return 0;
    previous = found;
    at = skipSpace(at);
    if (load<u8>(at) != COMMA) break;
    at = skipSpace(at + 1);
  }
  return load<u8>(at) == CLOSE_OBJECT ? at + 1 : 0;
}

/** Returns `guess`, or the column that follows it, if the key at `at` names it; otherwise 0. */
// @ts-ignore: decorator
@inline
function guessed(guess: u32, at: usize): u32 {
  if (guess == 0) return 0;
  const column = changetype<Column>(guess);
  if (isNamed(at, column.nameAt, column.nameBytes)) return guess;
  const behind = column.next;
  if (behind == 0) return 0;
  const other = changetype<Column>(behind);
  return isNamed(at, other.nameAt, other.nameBytes) ? behind : 0;
}

/** Opens the builder for this request and records that the request names its column. */
function openColumn(walk: Walk, dimension: Dimension, column: Column, builder: Builder): bool {
  if (column.stamp != walk.request) {
    if (walk.columnCount == COLUMNS_MAX) return false;
    walk.columnCount++;
    column.stamp = walk.request;
    column.nextTouched = 0;
    const place = <u32>changetype<usize>(column);
    if (dimension.lastTouched == 0) dimension.firstTouched = place;
    else changetype<Column>(dimension.lastTouched).nextTouched = place;
    dimension.lastTouched = place;
  }
  return openBuilder(walk, builder);
}
