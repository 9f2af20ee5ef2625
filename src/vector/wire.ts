/** Vectors in messages between threads: plain data with only the texts of their rows and no views of shared memory. */
import { invariant } from '../base/index.js';
import { type TextBytes, Texts } from './texts.js';
import type { TextVector, Vector } from './vector.js';

export type WireVector =
  | Exclude<Vector, TextVector>
  | (Omit<TextVector, 'texts'> & {
      /** Offsets of the texts that occur in rows. */
      readonly offsets: Uint32Array;
      readonly bytes: Uint8Array;
      readonly distinct: boolean;
      /** See Texts; absent or null = not known, or not needed where the vector is sent. */
      readonly hashes?: Uint32Array | null;
    });

/** Copies the first `vector.count` rows; without the hashes of texts, unless `withHashes`. */
export function toWire(vector: Vector, withHashes = false): WireVector {
  const { count } = vector;
  const valid = vector.valid === null ? null : vector.valid.slice(0, count);
  switch (vector.kind) {
    case 'exact': {
      const numbers = vector.numbers?.slice(0, count) ?? null;
      return { kind: 'exact', count, valid, numbers, wide: vector.wide?.slice(0, count) ?? null };
    }
    case 'float':
      return { kind: 'float', count, valid, numbers: vector.numbers.slice(0, count) };
    case 'boolean':
      return { kind: 'boolean', count, valid, bits: vector.bits.slice(0, count) };
    case 'text':
      return textToWire(vector, valid, withHashes ? vector.texts.hashes : null);
  }
}

function textToWire(vector: TextVector, valid: Uint8Array | null, known: Uint32Array | null): WireVector {
  const { count, codes, texts } = vector;
  const { distinct } = texts;
  const { offsets, bytes } = texts.utf8;
  if (codes === null && valid === null && count === texts.size && count > 0) {
    const own = { offsets: offsets.slice(0, count + 1), bytes: bytes.slice(0, offsets[count]) };
    return { kind: 'text', count, valid, codes, ...own, distinct, hashes: known?.slice(0, count) ?? null };
  }
  const used = new Uint32Array(texts.size);
  const order = new Uint32Array(Math.min(count, texts.size));
  let usedCount = 0;
  const wireCodes = new Uint32Array(count);
  let length = 0;
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const code = codes === null ? row : codes[row];
    if (used[code] === 0) {
      order[usedCount++] = code;
      used[code] = usedCount;
      length += offsets[code + 1] - offsets[code];
    }
    wireCodes[row] = used[code] - 1;
  }
  const own = copyTexts(offsets, bytes, order.subarray(0, usedCount), length);
  const hashes = known && hashesOf(order.subarray(0, usedCount), known);
  return { kind: 'text', count, valid, codes: wireCodes, ...own, distinct, hashes };
}

/** Like copyTexts, the hashes. */
function hashesOf(order: Uint32Array, known: Uint32Array): Uint32Array {
  const hashes = new Uint32Array(Math.max(order.length, 1));
  for (let text = 0; text < order.length; text++) hashes[text] = known[order[text]];
  return hashes;
}

/** Fewer bytes are copied faster by a loop. */
const BULK_COPY_MIN = 96;

/** Copies the texts of `order`, which have `length` bytes in total; a single empty text if there are none, for missing values. */
function copyTexts(offsets: Uint32Array, bytes: Uint8Array, order: Uint32Array, length: number): TextBytes {
  const ownOffsets = new Uint32Array(Math.max(order.length, 1) + 1);
  const ownBytes = new Uint8Array(length);
  let at = 0;
  for (let index = 0; index < order.length; ) {
    // Texts of consecutive codes are side by side.
    const first = index;
    const start = offsets[order[first]];
    do {
      ownOffsets[index + 1] = at + offsets[order[index] + 1] - start;
      index++;
    } while (index < order.length && order[index] === order[index - 1] + 1);
    const end = offsets[order[index - 1] + 1];
    if (end - start > BULK_COPY_MIN) ownBytes.set(bytes.subarray(start, end), at);
    else for (let byte = start, to = at; byte < end; byte++, to++) ownBytes[to] = bytes[byte];
    at += end - start;
  }
  invariant(at === length, 'the texts of a vector have the measured length');
  return { offsets: ownOffsets, bytes: ownBytes };
}

export function fromWire(wire: WireVector): Vector {
  if (wire.kind !== 'text') return wire;
  const { kind, count, valid, codes, offsets, bytes, distinct, hashes = null } = wire;
  return {
    kind,
    count,
    valid,
    codes,
    texts: Texts.ofBytes({ offsets, bytes }, offsets.length - 1, distinct, hashes),
  };
}
