/**
 * Generated snapshot tables and their rows as plain values: the oracle of every test that reads such a file.
 * Values: string, bigint (int64, timestamp seconds, scaled decimal), number (int32, uint32, date32), boolean,
 * [longitude, latitude], a list of these, or null where the row has none.
 */
import { invariant, type Prng } from '../../src/base/index.js';
import type { ArrowColumn, ArrowItems, ArrowTable, ArrowValues, Utf8Values } from '../../src/column/index.js';

export type Plain = string | bigint | number | boolean | null | readonly Plain[];

export interface GeneratedTable {
  readonly table: ArrowTable;
  /** values[column][row] */
  readonly values: readonly (readonly Plain[])[];
}

type Kind = ArrowValues['kind'];
type ItemKind = ArrowItems['kind'];
const ITEM_KINDS: readonly ItemKind[] = [
  'utf8',
  'dictionary',
  'int64',
  'int32',
  'uint32',
  'date32',
  'timestamp',
  'bool',
  'decimal',
  'point',
];
const PIECES = [
  'berlin',
  'Zürich',
  '東京',
  '🚀',
  'ß',
  "o'neill",
  '"quoted"',
  '\\',
  '\t',
  'naïve',
  '\u0000',
  ' ',
];
/** Dates that foreign readers support: 1900-01-01 to 2299-12-31. */
const DAYS_MIN = -25_567;
const DAYS_MAX = 120_529;
const SECONDS_PER_DAY = 86_400;
export const DECIMAL_PLACES = 6;
const INT64_EDGES = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 32n, -(2n ** 32n)];

function text(prng: Prng): string {
  return Array.from({ length: prng.below(5) }, () => prng.pick(PIECES)).join('');
}

function int64(prng: Prng): bigint {
  if (prng.chance(0.3)) return prng.pick(INT64_EDGES);
  return BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()));
}

function item(kind: ItemKind, prng: Prng): Plain {
  switch (kind) {
    case 'utf8':
      return text(prng);
    case 'dictionary':
      return `${prng.pick(PIECES)}${prng.below(80)}`;
    case 'int64':
    case 'decimal':
      return int64(prng);
    case 'int32':
      return prng.u32() | 0;
    case 'uint32':
      return prng.u32();
    case 'date32':
      return prng.between(DAYS_MIN, DAYS_MAX);
    case 'timestamp':
      return BigInt(prng.between(DAYS_MIN * SECONDS_PER_DAY, DAYS_MAX * SECONDS_PER_DAY));
    case 'bool':
      return prng.chance(0.5);
    case 'point':
      return [prng.unit() * 360 - 180, prng.unit() * 180 - 90];
  }
}

export function utf8Of(texts: readonly string[]): Utf8Values {
  const offsets = new Int32Array(texts.length + 1);
  for (const [index, value] of texts.entries())
    offsets[index + 1] = offsets[index] + Buffer.byteLength(value);
  return { offsets, bytes: new Uint8Array(Buffer.from(texts.join(''))) };
}

function dictionaryOf(texts: readonly string[], codeBytes: 1 | 2 | 4): ArrowItems {
  const distinct = ['', ...new Set(texts.filter((value) => value !== ''))];
  const codeOf = new Map(distinct.map((value, code) => [value, code]));
  const codes = texts.map((value) => codeOf.get(value) as number);
  const dictionary = utf8Of(distinct);
  invariant(distinct.length <= 2 ** (8 * codeBytes), 'too many distinct strings for the code width');
  const typed = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[codeBytes];
  return { kind: 'dictionary', codes: typed.from(codes), dictionary };
}

const words = (values: readonly bigint[]): Uint32Array => new Uint32Array(BigInt64Array.from(values).buffer);

/** One bit per row; the vector is longer than needed, like bitmaps in arenas. */
function bitmap(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(((bits.length + 127) >> 7) << 4);
  for (const [row, bit] of bits.entries()) if (bit) bytes[row >> 3] |= 1 << (row & 7);
  return bytes;
}

/** `values` contain no nulls. */
function itemsOf(kind: ItemKind, values: readonly Plain[], codeBytes: 1 | 2 | 4): ArrowItems {
  switch (kind) {
    case 'utf8':
      return { kind, ...utf8Of(values as string[]) };
    case 'dictionary':
      return dictionaryOf(values as string[], codeBytes);
    case 'int64':
    case 'timestamp':
      return { kind, words: words(values as bigint[]) };
    case 'decimal':
      return { kind, words: words(values as bigint[]), places: DECIMAL_PLACES };
    case 'int32':
    case 'date32':
      return { kind, i32: Int32Array.from(values as number[]) };
    case 'uint32':
      return { kind, u32: Uint32Array.from(values as number[]) };
    case 'bool':
      return { kind, bits: bitmap(values as boolean[]) };
    case 'point':
      return { kind, f64: Float64Array.from((values as [number, number][]).flat()) };
  }
}

const ABSENT: Record<Kind, Plain> = {
  utf8: '',
  dictionary: '',
  int64: 0n,
  decimal: 0n,
  timestamp: 0n,
  int32: 0,
  uint32: 0,
  date32: 0,
  bool: false,
  point: [1, 1],
  list: [],
};

interface ColumnOptions {
  readonly codeBytes: 1 | 2 | 4;
  /** 0 = a column without validity bitmap. */
  readonly nullChance: number;
  readonly rowCount: number;
}

function column(
  name: string,
  kind: Kind,
  itemKind: ItemKind,
  { codeBytes, nullChance, rowCount }: ColumnOptions,
  prng: Prng,
) {
  const single = (): Plain =>
    kind === 'list' ? Array.from({ length: prng.below(4) }, () => item(itemKind, prng)) : item(kind, prng);
  const values = Array.from({ length: rowCount }, () => (prng.chance(nullChance) ? null : single()));
  const present = values.map((value) => value ?? ABSENT[kind]);
  const validity = nullChance === 0 ? null : bitmap(values.map((value) => value !== null));
  const common = { name, validity, metadata: new Map([['quarry.column', name]]) };
  if (kind !== 'list')
    return { values, column: { ...common, ...itemsOf(kind, present, codeBytes) } as ArrowColumn };
  const lists = present as Plain[][];
  const offsets = new Int32Array(rowCount + 1);
  for (const [row, list] of lists.entries()) offsets[row + 1] = offsets[row] + list.length;
  const items = itemsOf(itemKind, lists.flat(), codeBytes);
  return { values, column: { ...common, kind, offsets, items } as ArrowColumn };
}

/** A column of every kind and of lists of every kind, once without and once with missing values. */
export function generateTable(prng: Prng, rowCount: number): GeneratedTable {
  const generated: ReturnType<typeof column>[] = [];
  for (const kind of ITEM_KINDS) {
    for (const codeBytes of kind === 'dictionary' ? ([2, 4] as const) : ([4] as const)) {
      for (const nullChance of [0, 0.3]) {
        const suffix = `${kind}-${codeBytes}-${nullChance}`;
        const options = { codeBytes, nullChance, rowCount };
        generated.push(column(suffix, kind, kind, options, prng));
        generated.push(column(`list-${suffix}`, 'list', kind, options, prng));
      }
    }
  }
  const columns = generated.map((one) => one.column);
  const metadata = new Map([
    ['quarry.rows', String(rowCount)],
    ['ключ', 'значение'],
  ]);
  return { table: { columns, rowCount, metadata }, values: generated.map((one) => one.values) };
}

function textAt(strings: Utf8Values, index: number): string {
  return Buffer.from(strings.bytes.subarray(strings.offsets[index], strings.offsets[index + 1])).toString();
}

function valueAt(values: ArrowValues, index: number): Plain {
  switch (values.kind) {
    case 'utf8':
      return textAt(values, index);
    case 'dictionary':
      return textAt(values.dictionary, values.codes[index]);
    case 'int64':
    case 'timestamp':
    case 'decimal':
      return BigInt.asIntN(
        64,
        (BigInt(values.words[index * 2 + 1]) << 32n) | BigInt(values.words[index * 2]),
      );
    case 'int32':
    case 'date32':
      return values.i32[index];
    case 'uint32':
      return values.u32[index];
    case 'bool':
      return ((values.bits[index >> 3] >> (index & 7)) & 1) === 1;
    case 'point':
      return [values.f64[index * 2], values.f64[index * 2 + 1]];
    case 'list': {
      const { items, offsets } = values;
      return Array.from({ length: offsets[index + 1] - offsets[index] }, (_, at) =>
        valueAt(items, offsets[index] + at),
      );
    }
  }
}

/** The row's value of a column, null if it is missing. */
export function rowValue(of: ArrowColumn, row: number): Plain {
  if (of.validity !== null && ((of.validity[row >> 3] >> (row & 7)) & 1) === 0) return null;
  return valueAt(of, row);
}

/** A value as text, different for different values, for cheap comparison of many rows. */
export function plainText(value: Plain): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
}
