/**
 * Encodes rows of several columns as words, so that rows are equal exactly if their words are: finds equal groups and
 * rows without an object per row. In slices.
 * Layout  row r is words[r x width], ..., words[r x width + width - 1]. Texts and booleans are numbered, 0 = missing,
 *         and several columns share a word as long as their combinations fit. Floats and integers take two words (-0
 *         is 0), integers of more than 64 bits four; if they may be missing, a final word has a presence bit for each.
 */
import { HASH_SEED, hashBlock, hashEnd, inSlices, type MemoryAccount, type Task } from '../../base/index.js';
import { are64, halvesOf, type Vector } from '../../vector/index.js';
import { type Equality, firstEntries } from './equal-entries.js';
import { firstTexts } from './equal-texts.js';

/** Columns whose presence bits share a word. */
const WORD_BITS = 32;
const WORD_VALUES = 2 ** WORD_BITS;
/** Single words are looked up in a direct table if they have at most this many values per row. */
const DIRECT_FACTOR = 4;
const DIRECT_MIN = 1_024;

interface RowWords {
  readonly words: Uint32Array;
  readonly width: number;
  readonly count: number;
  /** Exclusive upper limit of the words, if a row has one word. */
  readonly limit: number;
}

/** For every row of the columns, the first row that equals it; missing values are equal. Throws 9006. */
export function* firstRows(
  columns: readonly Vector[],
  count: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  budget.reserve(count * 4);
  const scratch = budget.remainder();
  const rows = yield* rowWords(columns, count, scratch);
  if (rows.width === 0) return new Uint32Array(count);
  if (rows.width === 1 && rows.limit <= DIRECT_FACTOR * count + DIRECT_MIN) {
    return yield* firstsOfWords(rows, scratch);
  }
  scratch.reserve(count * 4);
  const hashes = new Uint32Array(count);
  yield* inSlices(count, (from, to) => hashRows(rows, hashes, from, to));
  return yield* firstEntries(hashes, equalityOfRows(rows), scratch);
}

function* firstsOfWords({ words, count, limit }: RowWords, budget: MemoryAccount): Task<Uint32Array> {
  budget.reserve(limit * 4);
  const seen = new Uint32Array(limit);
  const firsts = new Uint32Array(count);
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) {
      const word = words[row];
      if (seen[word] === 0) seen[word] = row + 1;
      firsts[row] = seen[word] - 1;
    }
  });
  return firsts;
}

function hashRows({ words, width }: RowWords, hashes: Uint32Array, from: number, to: number): void {
  for (let row = from, at = from * width; row < to; row++) {
    let hash = HASH_SEED;
    for (const end = at + width; at < end; at++) hash = hashBlock(hash, words[at]);
    hashes[row] = hashEnd(hash, 0, width * 4);
  }
}

function equalityOfRows({ words, width }: RowWords): Equality {
  const same = (a: number, b: number): boolean => sameWords(words, width, a, b);
  return {
    same,
    allSame: (a, b, count) => {
      for (let index = 0; index < count; index++) {
        if (!sameWords(words, width, a[index], b[index])) return false;
      }
      return true;
    },
    order: (a, b) => {
      for (let at = a * width, other = b * width, end = at + width; at < end; at++, other++) {
        if (words[at] !== words[other]) return words[at] - words[other];
      }
      return 0;
    },
  };
}

function sameWords(words: Uint32Array, width: number, a: number, b: number): boolean {
  for (let at = a * width, other = b * width, end = at + width; at < end; at++, other++) {
    if (words[at] !== words[other]) return false;
  }
  return true;
}

/** The location of a column in a row. */
type WordLocation =
  /** In a shared word: its number, times `factor`. */
  | { readonly word: number; readonly factor: number }
  /** In words of its own, with a presence bit in another word; null = no value is missing. */
  | { readonly word: number; readonly missing: { readonly word: number; readonly bit: number } | null };

function* rowWords(columns: readonly Vector[], count: number, budget: MemoryAccount): Task<RowWords> {
  const { locations, width, limit } = locationsOf(columns);
  budget.reserve(count * width * 4);
  const words = new Uint32Array(count * width);
  for (const [index, column] of columns.entries()) {
    const location = locations[index];
    const numbers = column.kind === 'text' ? yield* firstTexts(column.texts, budget) : null;
    yield* inSlices(count, (from, to) => {
      if ('factor' in location) putNumbered(column, numbers, location, { words, width }, from, to);
      else putWide(column, location, { words, width }, from, to);
    });
  }
  return { words, width, count, limit };
}

function locationsOf(columns: readonly Vector[]): {
  locations: WordLocation[];
  width: number;
  limit: number;
} {
  const locations: WordLocation[] = [];
  let width = 0;
  let limit = WORD_VALUES;
  for (const column of columns) {
    const values = valuesOf(column);
    if (values === null) {
      locations.push({ word: width, missing: null });
      width += wordCountOf(column);
      limit = WORD_VALUES;
      continue;
    }
    if (limit * values > WORD_VALUES) {
      width++;
      limit = 1;
    }
    locations.push({ word: width - 1, factor: limit });
    limit *= values;
  }
  const nullable = columns.flatMap((column, index) =>
    valuesOf(column) === null && column.valid !== null ? [index] : [],
  );
  nullable.forEach((index, bit) => {
    const missing = { word: width + Math.floor(bit / WORD_BITS), bit: bit % WORD_BITS };
    locations[index] = { word: locations[index].word, missing };
  });
  return { locations, width: width + Math.ceil(nullable.length / WORD_BITS), limit };
}

/** The number of values of a text or boolean column; null = the column has its own words. */
function valuesOf(column: Vector): number | null {
  switch (column.kind) {
    case 'text':
      return column.texts.size + 1;
    case 'boolean':
      return 3;
    default:
      return null;
  }
}

/** The words of an integer or float. */
const wordCountOf = (column: Vector): number =>
  column.kind === 'exact' && column.wide !== null && !are64(column.wide) ? 4 : 2;

type Rows = Pick<RowWords, 'words' | 'width'>;

function putNumbered(
  column: Vector,
  numbers: Uint32Array | null,
  { word, factor }: Extract<WordLocation, { factor: number }>,
  { words, width }: Rows,
  from: number,
  to: number,
): void {
  const { valid } = column;
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    let number = 0;
    if (column.kind === 'boolean') number = column.bits[row];
    else if (column.kind === 'text') {
      number = column.codes === null ? row : column.codes[row];
      if (numbers !== null) number = numbers[number];
    }
    words[row * width + word] += (number + 1) * factor;
  }
}

function putWide(
  column: Vector,
  { word, missing }: Extract<WordLocation, { missing: unknown }>,
  { words, width }: Rows,
  from: number,
  to: number,
): void {
  if (column.kind !== 'exact' && column.kind !== 'float') return;
  const { valid, numbers } = column;
  const wide = column.kind === 'exact' ? column.wide : null;
  const integers = wide !== null && are64(wide) ? halvesOf(wide) : null;
  const double = new Float64Array(1);
  const halves = new Uint32Array(double.buffer);
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const at = row * width + word;
    if (integers !== null) {
      words[at] = integers[row * 2];
      words[at + 1] = integers[row * 2 + 1];
    } else if (numbers === null) putBigint(wide?.[row] ?? 0n, words, at);
    else {
      // Adding 0 turns -0 into 0.
      double[0] = numbers[row] + 0;
      words[at] = halves[0];
      words[at + 1] = halves[1];
    }
    if (missing !== null) words[row * width + missing.word] |= 1 << missing.bit;
  }
}

/** At most 128 bits. */
function putBigint(value: bigint, words: Uint32Array, at: number): void {
  for (let word = 0; word < 4; word++) {
    words[at + word] = Number(BigInt.asUintN(32, value >> BigInt(32 * word)));
  }
}
