/**
 * Loops that write rows [from, to) of a vector into the buffers of a record batch, whose first row is row `from`. Missing
 * values are written with arbitrary contents; a missing text takes no bytes.
 */
import type { FloatVector, TextVector, WideIntegers } from '../vector/index.js';

const TWO_32 = 2 ** 32;
/** Texts up to this many bytes are copied byte by byte, which is faster. */
const SHORT_TEXT_BYTES = 48;

export function countMissing(valid: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) count += valid[row] ^ 1;
  return count;
}

/** Packs flags of 0 and 1 into bits, least significant first. */
export function packBits(into: Uint8Array, at: number, flags: Uint8Array, from: number, to: number): void {
  const whole = from + ((to - from) & ~7);
  let byte = at;
  for (let row = from; row < whole; row += 8) {
    into[byte++] =
      flags[row] |
      (flags[row + 1] << 1) |
      (flags[row + 2] << 2) |
      (flags[row + 3] << 3) |
      (flags[row + 4] << 4) |
      (flags[row + 5] << 5) |
      (flags[row + 6] << 6) |
      (flags[row + 7] << 7);
  }
  for (let row = whole; row < to; row++) into[byte] |= flags[row] << (row - whole);
}

/** Writes safe integers in two's complement, `wordCount` 32-bit words each, lowest word first. */
export function putIntegers(
  words: Int32Array,
  wordCount: number,
  numbers: Float64Array,
  from: number,
  to: number,
): void {
  if (wordCount === 1) {
    for (let row = from; row < to; row++) words[row - from] = numbers[row];
    return;
  }
  let at = 0;
  for (let row = from; row < to; row++) {
    const value = numbers[row];
    words[at] = value;
    words[at + 1] = Math.floor(value / TWO_32);
    if (wordCount === 4) {
      const sign = value < 0 ? -1 : 0;
      words[at + 2] = sign;
      words[at + 3] = sign;
    }
    at += wordCount;
  }
}

/** Like `putIntegers`, for integers of any size that fit in `wordCount` words. */
export function putWide(
  words: Int32Array,
  wordCount: number,
  wide: WideIntegers,
  valid: Uint8Array | null,
  from: number,
  to: number,
): void {
  let at = 0;
  for (let row = from; row < to; row++, at += wordCount) {
    if (valid !== null && valid[row] === 0) continue;
    let rest = wide[row];
    for (let word = 0; word < wordCount; word++) {
      words[at + word] = Number(BigInt.asIntN(32, rest));
      rest >>= 32n;
    }
  }
}

export function putFloats(into: Float64Array, { numbers }: FloatVector, from: number, to: number): void {
  into.set(numbers.subarray(from, to));
}

/** Fills `offsets`, which has one element more than there are rows, and writes the texts to `into` from byte `textsAt`. */
export function copyTexts(
  offsets: Int32Array,
  into: Uint8Array,
  textsAt: number,
  { codes, texts, valid }: TextVector,
  from: number,
): void {
  const { offsets: textOffsets, bytes } = texts.utf8;
  const rowCount = offsets.length - 1;
  if (codes === null && valid === null) {
    const first = textOffsets[from];
    for (let row = 0; row <= rowCount; row++) offsets[row] = textOffsets[from + row] - first;
    into.set(bytes.subarray(first, textOffsets[from + rowCount]), textsAt);
    return;
  }
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const isMissing = valid !== null && valid[from + row] === 0;
    if (!isMissing) {
      const code = codes === null ? from + row : codes[from + row];
      const start = textOffsets[code];
      const end = textOffsets[code + 1];
      const to = textsAt + length - start;
      if (end - start > SHORT_TEXT_BYTES) into.set(bytes.subarray(start, end), to + start);
      else for (let index = start; index < end; index++) into[to + index] = bytes[index];
      length += end - start;
    }
    offsets[row + 1] = length;
  }
}
