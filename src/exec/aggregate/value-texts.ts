/** Texts of a query's answer, copied out of a dictionary or a segment's IDs. */
import { type MemoryAccount, QuarryError } from '../../base/index.js';
import type { ValueList } from '../../ir/index.js';

type TextList = Extract<ValueList, { kind: 'text' }>;

/** What offsets of 32 bits reach. */
const BYTES_MAX = 2 ** 32 - 1;

/** Strings numbers[i], of which string s spans bytes[offsets[s], offsets[s + 1]). Throws 9006. */
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

/** Room for `count` texts of `total` bytes, in memory from `room`. Throws 9006. */
export function emptyTexts(
  count: number,
  total: number,
  memory: MemoryAccount,
  room: (byteCount: number) => ArrayBufferLike = (byteCount) => new ArrayBuffer(byteCount),
): TextList {
  if (total > BYTES_MAX)
    throw new QuarryError(9006, 'the distinct strings of the query are too long together');
  memory.reserve((count + 1) * 4 + total);
  return {
    kind: 'text',
    offsets: new Uint32Array(room((count + 1) * 4)),
    bytes: new Uint8Array(room(total)),
  };
}

/** Writes strings numbers[0, count) behind the first `done` texts. */
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
    // Strings that follow one another are copied in one go.
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

/** A call of `set` costs more than a loop over a few bytes. */
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
