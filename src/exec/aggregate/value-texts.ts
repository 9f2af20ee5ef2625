/** Texts of a query's result, copied out of a dictionary or a segment's IDs. */
import { type MemoryAccount, QuarryError } from '../../base/index.js';

/** Text t is the UTF-8 bytes [offsets[t], offsets[t + 1]). */
export interface TextList {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The largest offset that fits 32 bits. */
const BYTES_MAX = 2 ** 32 - 1;

/** Strings numbers[i], where string s spans bytes[offsets[s], offsets[s + 1]). Throws 9006. */
export function textsOf(
  numbers: Uint32Array,
  offsets: Uint32Array,
  bytes: Uint8Array,
  memory: MemoryAccount,
): TextList {
  let total = 0;
  for (let at = 0; at < numbers.length; at++) total += offsets[numbers[at] + 1] - offsets[numbers[at]];
  const texts = emptyTexts(numbers.length, total, memory);
  appendTexts(texts, 0, numbers, numbers.length, offsets, bytes);
  return texts;
}

/** An empty list for `count` texts of `total` bytes, allocated by `allocator`. Throws 9006. */
export function emptyTexts(
  count: number,
  total: number,
  memory: MemoryAccount,
  allocator: (byteCount: number) => ArrayBufferLike = (byteCount) => new ArrayBuffer(byteCount),
): TextList {
  if (total > BYTES_MAX)
    throw new QuarryError(9006, 'the distinct strings of the query exceed 4 GiB in total');
  memory.reserve((count + 1) * 4 + total);
  return {
    offsets: new Uint32Array(allocator((count + 1) * 4)),
    bytes: new Uint8Array(allocator(total)),
  };
}

/** Appends strings numbers[0, count) after the first `done` texts. */
export function appendTexts(
  texts: TextList,
  done: number,
  numbers: Uint32Array,
  count: number,
  offsets: Uint32Array,
  bytes: Uint8Array,
): void {
  let end = texts.offsets[done];
  for (let at = 0; at < count; ) {
    // Adjacent strings are copied at once.
    const first = at;
    const from = offsets[numbers[at]];
    do {
      texts.offsets[done + at + 1] = end + offsets[numbers[at] + 1] - from;
      at++;
    } while (at < count && numbers[at] === numbers[at - 1] + 1);
    const to = offsets[numbers[at - 1] + 1];
    copyBytes(bytes, from, to, texts.bytes, end, at - first);
    end += to - from;
  }
}

/** For fewer bytes a loop is faster than `set`. */
const BULK_BYTES = 64;

function copyBytes(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
  strings: number,
): void {
  if (strings > 1 || end - start > BULK_BYTES) to.set(from.subarray(start, end), at);
  else for (let index = start; index < end; index++) to[at + index - start] = from[index];
}
