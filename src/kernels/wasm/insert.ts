/** Parses insert bodies into encoded batches. */
import { encodeBatches } from './_insert-encode';
import { readEntity } from './_insert-entity';
import { Walk } from './_insert-records';
import { CLOSE_OBJECT, COMMA, endsLine, OPEN_OBJECT, skipSpace } from './_insert-text';

/** Zeros after the body. */
const PADDING_BYTES: usize = 64;

/**
 * Parses the insert body [bodyAt, bodyEnd) of the record at `state` and encodes its batches; returns 1, or 0 if the body is not
 * plain, has an error, or needs too much memory. With `lines` it also returns 0 if an entity does not end with its line.
 * Layout  _insert-records.ts; the batches are those of column/batch.ts.
 * Needs   the records of the model's columns and dimensions; a new request number; nowSeconds an integer below 2^52 in
 *         magnitude.
 * Gives   the counts and the positions of the batches in the record; the memory after the body is overwritten.
 * Cost    one pass over the body and one over the values, no allocation outside its memory.
 * Twin    none: src/ingest parses all other bodies, and every body if there is no SIMD.
 */
export function walkInsert(state: usize, nowSeconds: f64): u32 {
  const walk = changetype<Walk>(state);
  walk.entityCount = 0;
  walk.valueCount = 0;
  walk.batchCount = 0;
  walk.firstOpened = 0;
  walk.lastOpened = 0;
  walk.columnCount = 0;
  walk.misses = 0;
  walk.removes = 0;
  walk.nowSeconds = <i64>nowSeconds;
  const end = <usize>walk.bodyEnd;
  for (let done: usize = 0; done < PADDING_BYTES; done += 16) v128.store(end + done, i8x16.splat(0));
  walk.free = <u32>((end + PADDING_BYTES + 15) & ~15);

  let at = skipSpace(walk.bodyAt);
  if (load<u8>(at) != OPEN_OBJECT) return 0;
  do {
    at = readEntity(walk, skipSpace(at + 1));
    if (at == 0 || (walk.lines != 0 && !endsLine(at))) return 0;
    walk.entityCount++;
    at = skipSpace(at);
  } while (load<u8>(at) == COMMA);
  if (load<u8>(at) != CLOSE_OBJECT || skipSpace(at + 1) != end) return 0;
  return encodeBatches(walk) ? 1 : 0;
}
