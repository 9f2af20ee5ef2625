/**
 * Parses the content of a column's key: a value, null, a list or events. Readers take the offset of the token and return the
 * offset after it; 0 = not plain, or out of memory.
 */
import { readEvents, readRelatedEvents } from './_insert-events';
import { addRow, Builder, builderOf, Column, openBuilder, reserveEntry, Walk } from './_insert-records';
import { CLOSE_LIST, COMMA, OPEN_LIST, skipSpace } from './_insert-text';
import { readValue } from './_insert-values';

/** Indexes in FORMS of src/column/batch.ts. */
const FORM_LATEST: u32 = 0;
const FORM_LIST: u32 = 1;
const NULL: u32 = 0x6c6c756e;

/** Reads the content of column `column` at `at` for entity `row`. */
// @ts-ignore: decorator
@inline
export function readColumn(walk: Walk, column: Column, builder: Builder, row: u32, at: usize): usize {
  if (column.form == FORM_LATEST) {
    if (load<u32>(at) == NULL) return readNull(walk, builder, row, at);
    if (walk.removes != 0 && endsWithRow(removerOf(walk, builder), walk, row)) return 0;
    const end = readValue(walk, column, builder, at);
    if (end == 0) return 0;
    // There is capacity for the row, because each value has one row.
    addRow(builder, row, 0);
    walk.valueCount++;
    return end;
  }
  if (column.form == FORM_LIST) return readList(walk, column, builder, row, at);
  if (column.relation != 0) return readRelatedEvents(walk, column, builder, row, at);
  return readEvents(walk, column, builder, row, at);
}

/** Returns the builder of removals that belongs to `builder`. */
// @ts-ignore: decorator
@inline
function removerOf(walk: Walk, builder: Builder): Builder {
  return builderOf(changetype<usize>(builder), walk.shardCount);
}

/** Returns whether the builder's last row of this request is `row`. */
// @ts-ignore: decorator
@inline
function endsWithRow(builder: Builder, walk: Walk, row: u32): bool {
  const count = builder.rowCount;
  return builder.stamp == walk.request && count > 0 && load<u32>(builder.rowsAt + ((count - 1) << 2)) == row;
}

/** Reads a null, which removes the value; gives up if the entity also has a value. */
function readNull(walk: Walk, builder: Builder, row: u32, at: usize): usize {
  const remover = removerOf(walk, builder);
  if (endsWithRow(builder, walk, row)) return 0;
  if (remover.stamp != walk.request && !openBuilder(walk, remover)) return 0;
  if (!reserveEntry(walk, remover, remover.rowCount)) return 0;
  walk.removes = 1;
  addRow(remover, row, 0);
  return at + 4;
}

/** Reads a list of values; null empties the list. */
function readList(walk: Walk, column: Column, builder: Builder, row: u32, from: usize): usize {
  if (load<u32>(from) == NULL) {
    if (!reserveEntry(walk, builder, builder.rowCount)) return 0;
    addRow(builder, row, 0);
    return from + 4;
  }
  if (load<u8>(from) != OPEN_LIST) return 0;
  const before = builder.valueCount;
  let at = skipSpace(from + 1);
  let more = load<u8>(at) != CLOSE_LIST;
  while (more) {
    at = readValue(walk, column, builder, at);
    if (at == 0) return 0;
    at = skipSpace(at);
    more = load<u8>(at) == COMMA;
    if (more) at = skipSpace(at + 1);
  }
  if (load<u8>(at) != CLOSE_LIST || !reserveEntry(walk, builder, builder.rowCount)) return 0;
  addRow(builder, row, builder.valueCount - before);
  walk.valueCount += builder.valueCount - before;
  return at + 1;
}
