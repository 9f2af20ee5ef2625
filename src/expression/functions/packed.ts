/**
 * Packed texts: a text after sort keys, in a form whose order by UTF-8 bytes is that of the keys, then that of the text.
 * Aggregates of several values per row use them: the text of the least packed text is that of the row with the least keys.
 *
 *   packed text   keys, text, number of its UTF-16 units as LENGTH_DIGITS hexadecimal digits
 *   key           'm' and the value, or 'a' (first) or 'z' (last) if it is missing
 *   exact number  'p' and 39 digits, or 'n' and the digits of 10^39 - 1 - magnitude
 *   float         the bits of the double as 16 hexadecimal digits, all inverted if it is negative, else the first
 *   boolean       0 or 1
 *   text          with \\u0000 written as \\u0000\\u0001, then \\u0000\\u0000; descending: the hexadecimal digits of its
 *                 inverted bytes, then 'z'
 */
import type { SqlType, Vector } from '../../vector/index.js';
import { Texts, valueAt } from '../../vector/index.js';
import { TEXT_CHARS_MAX, tooLongText, tooMuchText, VECTOR_CHARS_MAX } from '../error.js';
import { bigintAt, textOf } from '../kinds.js';
import { isValid } from '../validity.js';

/** Direction of a key: ascending or descending, missing values first or last. */
export type KeyDirection = 'af' | 'al' | 'df' | 'dl';

const LENGTH_DIGITS = 6;
const EXACT_DIGITS = 39;
const EXACT_END = 10n ** BigInt(EXACT_DIGITS);

type Encode = (row: number) => string;

/** Packs `keys` and `text`; directions[i] is that of key i. Missing where the text is missing. Throws 6000. */
export function packTexts(directions: readonly string[], text: Vector, keys: readonly Vector[]): Vector {
  const { count, valid, codes, texts } = textOf(text);
  const encoders = keys.map((key, index) => keyEncoder(key, directions[index]));
  const strings = new Array<string>(count).fill('');
  let chars = 0;
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    let packed = '';
    for (const encode of encoders) packed += encode(row);
    const own = texts.text(codes === null ? row : codes[row]);
    packed += own + own.length.toString(16).padStart(LENGTH_DIGITS, '0');
    chars += packed.length;
    if (packed.length > TEXT_CHARS_MAX) throw tooLongText();
    if (chars > VECTOR_CHARS_MAX) throw tooMuchText();
    strings[row] = packed;
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(strings) };
}

export function packedText(packed: string): string {
  const end = packed.length - LENGTH_DIGITS;
  return packed.slice(end - Number.parseInt(packed.slice(end), 16), end);
}

function keyEncoder(key: Vector, direction: string): Encode {
  const present = presentEncoder(key, direction.startsWith('d'));
  const missing = direction.endsWith('f') ? 'a' : 'z';
  return (row) => (isValid(key.valid, row) ? `m${present(row)}` : missing);
}

function presentEncoder(key: Vector, isDescending: boolean): Encode {
  switch (key.kind) {
    case 'exact':
      return (row) => exactKey(isDescending ? -bigintAt(key, row) : bigintAt(key, row));
    case 'float':
      return (row) => floatKey(isDescending ? 0 - key.numbers[row] : key.numbers[row] + 0);
    case 'boolean':
      return (row) => ((key.bits[row] === 1) === isDescending ? '0' : '1');
    case 'text': {
      const { codes, texts } = key;
      const encode = isDescending ? descendingText : ascendingText;
      return (row) => encode(texts.text(codes === null ? row : codes[row]));
    }
  }
}

function exactKey(value: bigint): string {
  const magnitude = value < 0n ? EXACT_END - 1n + value : value;
  return (value < 0n ? 'n' : 'p') + String(magnitude).padStart(EXACT_DIGITS, '0');
}

function floatKey(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  if (value < 0) for (let at = 0; at < 8; at++) bytes[at] ^= 0xff;
  else bytes[0] ^= 0x80;
  return bytes.toString('hex');
}

const ascendingText = (text: string): string => `${text.replaceAll('\0', '\0\u0001')}\0\0`;

function descendingText(text: string): string {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) bytes[at] ^= 0xff;
  return `${bytes.toString('hex')}z`;
}

/** Each row's value as JSON; `null` for a missing one. */
export function jsonItems(vector: Vector, type: SqlType, asText: (vector: Vector) => Vector): Vector {
  const { count, valid } = vector;
  const written = textOf(type.type === 'text' || type.type === 'json' ? vector : asText(vector));
  const isQuoted = ['text', 'date', 'datetime', 'interval'].includes(type.type);
  const strings = new Array<string>(count).fill('null');
  let chars = 0;
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    const text = String(valueAt(written, row));
    strings[row] = isQuoted ? JSON.stringify(text) : text;
    chars += strings[row].length;
    if (chars > VECTOR_CHARS_MAX) throw tooMuchText();
  }
  return { kind: 'text', count, valid: null, codes: null, texts: Texts.ofStrings(strings) };
}
