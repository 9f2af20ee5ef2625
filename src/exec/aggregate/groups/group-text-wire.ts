/** Copies the texts of a shard's result that are in use. */
import type { WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { textsOf } from '../value-texts.js';
import { validOf } from './group-codes.js';

interface DistinctTexts {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly hashes: Uint32Array | null;
}

/**
 * The texts with the given codes, as a vector: text t of `size` distinct texts has code t + 1. Its memory is reserved
 * in the run. Throws 9006.
 */
export function codedTexts(
  codes: Uint32Array,
  texts: DistinctTexts,
  size: number,
  run: QueryRun,
): WireVector {
  const count = codes.length;
  run.reserve(size * 4 + count * 5);
  // By text: its index among the used texts plus 1.
  const usedIndexes = new Uint32Array(size);
  let usedCount = 0;
  for (let at = 0; at < count; at++) {
    const code = codes[at];
    if (code === 0 || usedIndexes[code - 1] !== 0) continue;
    usedIndexes[code - 1] = 1;
    usedCount++;
  }
  const used = new Uint32Array(usedCount);
  run.reserve(usedCount * 4);
  for (let text = 0, wireIndex = 0; wireIndex < usedCount; text++) {
    if (usedIndexes[text] === 0) continue;
    used[wireIndex++] = text;
    usedIndexes[text] = wireIndex;
  }
  const { offsets, bytes } = textsOf(used, texts.offsets, texts.bytes, run);
  let hashes: Uint32Array | null = null;
  if (texts.hashes !== null) {
    run.reserve(usedCount * 4);
    hashes = new Uint32Array(usedCount);
    for (let wireIndex = 0; wireIndex < usedCount; wireIndex++)
      hashes[wireIndex] = texts.hashes[used[wireIndex]];
  }
  const wireCodes = new Uint32Array(count);
  let isInOrder = usedCount === count;
  for (let at = 0; at < count; at++) {
    if (codes[at] !== 0) wireCodes[at] = usedIndexes[codes[at] - 1] - 1;
    if (wireCodes[at] !== at) isInOrder = false;
  }
  run.release(size * 4 + usedCount * 4);
  return {
    kind: 'text',
    count,
    valid: validOf(codes),
    codes: isInOrder ? null : wireCodes,
    // The code of a missing value must also refer to a text.
    offsets: usedCount === 0 ? new Uint32Array(2) : offsets,
    bytes,
    distinct: true,
    hashes: hashes !== null && usedCount === 0 ? new Uint32Array(1) : hashes,
  };
}
