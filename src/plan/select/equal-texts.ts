/** Finds equal texts of a list, in slices. */
import { hashBytes, inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import type { Texts } from '../../vector/index.js';
import { countDifferent, type Equality, firstEntries } from './equal-entries.js';
import { equalityOf, orderOf } from './text-bytes.js';

/** For every text, the first text that equals it; null = all are distinct. Throws 9006. */
export function* firstTexts(texts: Texts, budget: MemoryAccount): Task<Uint32Array | null> {
  if (texts.distinct || texts.size < 2) return null;
  return yield* firstEntries(yield* hashesOf(texts, budget), equalityOfTexts(texts), budget);
}

/** The number of distinct texts. Throws 9006. */
export function* countTexts(texts: Texts, budget: MemoryAccount): Task<number> {
  if (texts.distinct || texts.size < 2) return texts.size;
  return yield* countDifferent(yield* hashesOf(texts, budget), equalityOfTexts(texts), budget);
}

function* hashesOf(texts: Texts, budget: MemoryAccount): Task<Uint32Array> {
  const { offsets, bytes } = texts.utf8;
  budget.reserve(texts.size * 4);
  const hashes = new Uint32Array(texts.size);
  const known = texts.hashes;
  if (known !== null) {
    const hashOfNone = hashBytes(bytes, 0, 0);
    yield* inSlices(texts.size, (from, to) => {
      for (let text = from; text < to; text++) {
        hashes[text] = offsets[text] === offsets[text + 1] ? hashOfNone : known[text];
      }
    });
    return hashes;
  }
  yield* inSlices(
    texts.size,
    (from, to) => {
      for (let text = from; text < to; text++)
        hashes[text] = hashBytes(bytes, offsets[text], offsets[text + 1]);
    },
    SLICE_TEXTS,
  );
  return hashes;
}

function equalityOfTexts(texts: Texts): Equality {
  const { offsets, bytes } = texts.utf8;
  return {
    same: equalityOf(offsets, bytes),
    allSame: (a, b, count) => areSame(offsets, bytes, a, b, count),
    order: orderOf(offsets, bytes),
  };
}

/** Pairs whose offsets are read before their bytes, so that memory reads overlap. */
const PAIRS_PER_BATCH = 64;

function areSame(
  offsets: Uint32Array,
  bytes: Uint8Array,
  a: Uint32Array,
  b: Uint32Array,
  count: number,
): boolean {
  const starts = new Uint32Array(PAIRS_PER_BATCH);
  const others = new Uint32Array(PAIRS_PER_BATCH);
  const lengths = new Uint32Array(PAIRS_PER_BATCH);
  for (let first = 0; first < count; first += PAIRS_PER_BATCH) {
    const pairs = Math.min(PAIRS_PER_BATCH, count - first);
    let difference = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const [text, other] = [a[first + pair], b[first + pair]];
      starts[pair] = offsets[text];
      others[pair] = offsets[other];
      lengths[pair] = offsets[text + 1] - offsets[text];
      difference |= lengths[pair] ^ (offsets[other + 1] - offsets[other]);
    }
    if (difference !== 0) return false;
    // Reads the first bytes of all pairs without branches: these reads cause most of the latency.
    for (let pair = 0; pair < pairs; pair++) {
      if (lengths[pair] > 0) difference |= bytes[starts[pair]] ^ bytes[others[pair]];
    }
    if (difference !== 0) return false;
    for (let pair = 0; pair < pairs; pair++) {
      if (!sameBytes(bytes, starts[pair], others[pair], lengths[pair])) return false;
    }
  }
  return true;
}

function sameBytes(bytes: Uint8Array, from: number, other: number, length: number): boolean {
  let difference = 0;
  let at = 0;
  for (; at + 4 <= length && difference === 0; at += 4) {
    difference =
      (bytes[from + at] ^ bytes[other + at]) |
      (bytes[from + at + 1] ^ bytes[other + at + 1]) |
      (bytes[from + at + 2] ^ bytes[other + at + 2]) |
      (bytes[from + at + 3] ^ bytes[other + at + 3]);
  }
  for (; at < length; at++) difference |= bytes[from + at] ^ bytes[other + at];
  return difference === 0;
}
