/**
 * Arrow texts -> texts in stored form, with their hashes. Texts of ASCII are lower-cased four bytes at a time; others one code
 * point after the other.
 */
import { hashBytes, TEXT_POINTS_MAX } from '../../base/index.js';
import { codePointCount, storedText, type TextCase } from '../../schema/index.js';
import { type ArrowArray, offsetsOf } from './arrow-array.js';
import { ArrowError } from './arrow-message.js';
import { type ColumnValues, hasValue, presentRows, RowRefused, type Texts } from './column-values.js';

const HIGH_BITS = 0x80808080 | 0;
const VIEW_WORDS = 4;
const INLINE_BYTES_MAX = 12;

/** How texts become values. */
export interface TextRules {
  readonly textCase: TextCase;
  /** The code of the error about a text that is too long, and what it is. */
  readonly tooLong: readonly [code: 2008 | 2009, what: string];
}

/** Texts before they are in stored form. */
export interface RawTexts {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly present: Uint8Array | null;
}

/** Concatenates the texts of an array. Throws ArrowError. */
export function rawTextsOf(array: ArrowArray): RawTexts {
  const { length, buffers } = array;
  const present = presentRows(array);
  if (length === 0 || array.field.type.is === 'null') {
    return { offsets: new Int32Array(length + 1), bytes: new Uint8Array(0), present };
  }
  if (array.field.type.is === 'text-view') return { ...textsOfViews(array, present), present };
  const [, data = new Uint8Array(0)] = buffers;
  return { offsets: offsetsOf(array, data.length), bytes: data, present };
}

function textsOfViews(
  { length, buffers, field }: ArrowArray,
  present: Uint8Array | null,
): Omit<RawTexts, 'present'> {
  const [views, ...data] = buffers;
  const words = new Int32Array(views.buffer, views.byteOffset, length * VIEW_WORDS);
  const offsets = new Int32Array(length + 1);
  let total = 0;
  for (let row = 0; row < length; row++) {
    if (hasValue(present, row)) total += words[row * VIEW_WORDS] >>> 0;
    if (total > 2 ** 31 - 1) throw new ArrowError(`the texts of the field "${field.name}" are too long`);
    offsets[row + 1] = total;
  }
  // Views may overlap, so the texts may be longer than the buffers.
  const available = data.reduce((sum, { length: bytes }) => sum + bytes, views.length);
  if (total > available)
    throw new ArrowError(`the views of the field "${field.name}" name the same bytes again`);
  const bytes = new Uint8Array(total);
  for (let row = 0; row < length; row++) {
    const size = offsets[row + 1] - offsets[row];
    if (size === 0) continue;
    const at = row * VIEW_WORDS;
    const isInline = size <= INLINE_BYTES_MAX;
    const from = isInline ? views : data[words[at + 2]];
    const start = isInline ? row * 16 + 4 : words[at + 3];
    if (from === undefined || start < 0 || start + size > from.length) {
      throw new ArrowError(`a view of the field "${field.name}" reaches beyond its buffer`);
    }
    bytes.set(from.subarray(start, start + size), offsets[row]);
  }
  return { offsets, bytes };
}

/** The texts of integers. */
export function textsOfIntegers(texts: readonly string[], present: Uint8Array | null): RawTexts {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, row) => {
    offsets[row + 1] = offsets[row] + text.length;
  });
  return { offsets, bytes: new TextEncoder().encode(texts.join('')), present };
}

/** Empty texts are no values. Throws RowRefused for texts that are no UTF-8 or too long. */
export function storedTexts(raw: RawTexts, rules: TextRules): ColumnValues {
  const count = raw.offsets.length - 1;
  const from = raw.offsets[0];
  const source = raw.bytes.subarray(from, raw.offsets[count]);
  const { bytes, isAscii } = lowerAscii(source, rules.textCase === 'fold');
  const offsets = from === 0 && isAscii ? raw.offsets : raw.offsets.map((offset) => offset - from);
  const own = isAscii ? { offsets, bytes } : storedOneByOne({ ...raw, offsets, bytes: source }, rules);
  const present = presentTexts(own.offsets, raw.present);
  checkLengths(own, present, rules, isAscii);
  const texts: Texts = { ...own, hashes: hashesOf(own.bytes, own.offsets) };
  return { values: { kind: 'texts', texts, codes: null }, present };
}

/** A copy in lower case; `isAscii` false = the copy must not be used. */
function lowerAscii(source: Uint8Array, lower: boolean): { bytes: Uint8Array; isAscii: boolean } {
  const words = new Int32Array((source.length + 3) >> 2);
  const bytes = new Uint8Array(words.buffer, 0, source.length);
  bytes.set(source);
  let high = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    high |= word;
    const capital = (word + 0x3f3f3f3f) & ~(word + 0x25252525) & HIGH_BITS;
    if (lower) words[at] = word | (capital >>> 2);
  }
  return { bytes, isAscii: (high & HIGH_BITS) === 0 };
}

function storedOneByOne(
  { offsets: from, bytes: source, present }: RawTexts,
  rules: TextRules,
): Omit<Texts, 'hashes'> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const encoder = new TextEncoder();
  // No letter takes more than twice the bytes of its lower case; shared memory cannot be decoded, so it is copied.
  const own = new Uint8Array(source);
  let bytes = new Uint8Array(source.length + 16);
  const offsets = new Int32Array(from.length);
  for (let row = 0; row + 1 < from.length; row++) {
    let at = offsets[row];
    if (hasValue(present, row)) {
      const text = decoded(decoder, own.subarray(from[row], from[row + 1]), row);
      const stored = storedText(text, rules);
      if (at + stored.length * 3 > bytes.length) bytes = longer(bytes, at + stored.length * 3);
      at += encoder.encodeInto(stored, bytes.subarray(at)).written;
    }
    offsets[row + 1] = at;
  }
  return { offsets, bytes };
}

function longer(bytes: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.max(least, bytes.length * 2));
  grown.set(bytes);
  return grown;
}

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, row: number): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RowRefused(row, 1503, 'the text is not valid UTF-8');
  }
}

function presentTexts(offsets: Int32Array, present: Uint8Array | null): Uint8Array | null {
  let result = present;
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (offsets[row + 1] > offsets[row] || !hasValue(result, row)) continue;
    if (result === present) result = present?.slice() ?? new Uint8Array(offsets.length - 1).fill(1);
    if (result !== null) result[row] = 0;
  }
  return result;
}

function checkLengths(
  { offsets, bytes }: Omit<Texts, 'hashes'>,
  present: Uint8Array | null,
  { tooLong: [code, what] }: TextRules,
  isAscii: boolean,
): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (offsets[row + 1] - offsets[row] <= TEXT_POINTS_MAX || !hasValue(present, row)) continue;
    const text = new TextDecoder().decode(bytes.slice(offsets[row], offsets[row + 1]));
    if (!isAscii && codePointCount(text) <= TEXT_POINTS_MAX) continue;
    throw new RowRefused(row, code, `${what} is longer than ${TEXT_POINTS_MAX} characters`);
  }
}

function hashesOf(bytes: Uint8Array, offsets: Int32Array): Int32Array {
  const hashes = new Int32Array(offsets.length - 1);
  for (let row = 0; row < hashes.length; row++)
    hashes[row] = hashBytes(bytes, offsets[row], offsets[row + 1]);
  return hashes;
}
