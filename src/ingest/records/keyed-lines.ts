/**
 * The lines of an insert that have keys (base/line-key.ts), by which a line that is sent again is recognized. A key comes from
 * the caller, or from a field of a flat record. Rows of Arrow have the same keys (columnar/row-keys.ts).
 * Invariant: a line that is left out is blanked out, so that all lines keep their numbers.
 */
import { hasLineKey, LINE_KEY_BYTES, lineKeyOf } from '../../base/index.js';
import { columnNameOf, DEFAULT_DIMENSION } from '../../schema/index.js';
import type { LineNumbers } from '../lines.js';
import { skipBlanks } from '../plain/rewrite-lines.js';
import type { IngestScratch } from '../scratch.js';
import type { RecordMapping } from './mapping.js';
import { fieldsReader, lineEnd, recordErrorOf } from './parse-records.js';

const SPACE = 0x20;
const KEY_WORDS = LINE_KEY_BYTES / 4;

export interface LineKeySettings {
  /** A key per line after the head, blank lines included; null = the mapping names a field of the keys. */
  readonly keys: Uint8Array | null;
  /** The indexes of lines that are left out. Their keys are zero. */
  readonly omitted: readonly number[];
}

export interface LineKeyList {
  /** A key per line; zero for lines that are left out. */
  readonly keys: Uint8Array;
  /** The indexes of lines that are left out: those of the settings, and repeats of keys. */
  readonly omitted: readonly number[];
}

export interface KeyedLines extends LineKeyList {
  /** The text, in which lines that are left out are blank. */
  readonly text: Uint8Array;
}

/** The lines of `text`, which is only read. `databaseId`: keys of different databases differ. */
export function keyedLines(
  text: Uint8Array,
  numbers: LineNumbers,
  { keys: lineKeys, omitted }: LineKeySettings,
  fieldKeys: { readonly mapping: RecordMapping | null; readonly databaseId: number },
  scratch: IngestScratch,
): KeyedLines {
  const headEnd = numbers.head === 0 ? 0 : Math.min(text.length, lineEnd(text, 0) + 1);
  const keys = new Uint8Array(lineKeys ?? keysOfField(text, headEnd, fieldKeys, scratch));
  const left = [...omitted, ...clearRepeats(keys)];
  return { text: left.length === 0 ? text : withoutLines(text, headEnd, left), keys, omitted: left };
}

/**
 * Clears the key of every line that has the key of a line before it. Returns the indexes of these lines. `keys` begins its buffer.
 * A table of lines by a word of their key, with linear probing: a record batch has hundreds of thousands of keys.
 */
export function clearRepeats(keys: Uint8Array): number[] {
  const words = new Int32Array(keys.buffer, 0, keys.length >> 2);
  const lineCount = keys.length / LINE_KEY_BYTES;
  const slots = new Int32Array(2 ** (32 - Math.clz32(lineCount * 2)));
  const repeats: number[] = [];
  for (let line = 0; line < lineCount; line++) {
    if (!hasLineKey(keys, line)) continue;
    let slot = words[line * KEY_WORDS] & (slots.length - 1);
    while (slots[slot] !== 0 && !isSameKey(words, slots[slot] - 1, line))
      slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] === 0) slots[slot] = line + 1;
    else {
      keys.fill(0, line * LINE_KEY_BYTES, (line + 1) * LINE_KEY_BYTES);
      repeats.push(line);
    }
  }
  return repeats;
}

function isSameKey(words: Int32Array, one: number, other: number): boolean {
  for (let word = 0; word < KEY_WORDS; word++) {
    if (words[one * KEY_WORDS + word] !== words[other * KEY_WORDS + word]) return false;
  }
  return true;
}

/** What tells keys of a field apart from those of other fields, dimensions and databases. */
export const keyScopeOf = (
  databaseId: number,
  dimension: string | null,
  columnName: string,
): readonly (string | number)[] => [databaseId, 'records', dimension ?? DEFAULT_DIMENSION, columnName];

function withoutLines(text: Uint8Array, headEnd: number, omitted: readonly number[]): Uint8Array {
  const copy = new Uint8Array(text);
  const lines = new Set(omitted);
  for (let line = 0, at = headEnd; at < copy.length; line++) {
    const end = lineEnd(copy, at);
    if (lines.has(line)) copy.fill(SPACE, at, end);
    at = end + 1;
  }
  return copy;
}

/** The keys of records by the field `mapping.dedupe`. A record that has none, or cannot be read, has no key. */
function keysOfField(
  text: Uint8Array,
  headEnd: number,
  { mapping, databaseId }: { readonly mapping: RecordMapping | null; readonly databaseId: number },
  { line: source }: IngestScratch,
): Uint8Array {
  const field = mapping?.dedupe ?? null;
  if (mapping === null || field === null) return new Uint8Array(0);
  const name = columnNameOf(field);
  const scope = keyScopeOf(databaseId, mapping.dimension, name);
  const fieldsOf = whole(() => fieldsReader(text.subarray(0, Math.max(0, headEnd - 1)), mapping, source));
  const keys: Uint8Array[] = [];
  for (let at = headEnd; at < text.length; ) {
    const end = lineEnd(text, at);
    const isBlank = skipBlanks(text, at, end) === end;
    const line = text.subarray(at, end);
    const token = isBlank ? undefined : whole(() => fieldsOf?.(line).get(name));
    const value = token === undefined ? null : dedupeTextOf(token);
    keys.push(value === null ? NO_KEY : lineKeyOf(scope, value));
    at = end + 1;
  }
  return Buffer.concat(keys);
}

const NO_KEY = new Uint8Array(LINE_KEY_BYTES);

/** The result of `read`; undefined if the record or the header cannot be read, which the parse will say. */
function whole<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    recordErrorOf(thrown);
    return undefined;
  }
}

/** The text of a field by which records are compared, or null if it is missing, empty or a list. */
export function dedupeTextOf(token: string): string | null {
  if (token.startsWith('"')) {
    const text = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
    return text === '' ? null : text;
  }
  return token === 'null' || token.startsWith('[') ? null : token;
}
