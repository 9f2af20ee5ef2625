/** Generated rows of every type, as vectors in every form and as plain values. */
import type { Prng } from '../../src/base/index.js';
import type { RowSource } from '../../src/expression/index.js';
import { parseDate, parseDateTime } from '../../src/schema/index.js';
import {
  constantVector,
  type SqlType,
  Texts,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

export const INTEGER: SqlType = { type: 'integer' };
export const FLOAT: SqlType = { type: 'float' };
export const BOOLEAN: SqlType = { type: 'boolean' };
export const TEXT: SqlType = { type: 'text' };
export const JSON_TYPE: SqlType = { type: 'json' };
export const DATE: SqlType = { type: 'date' };
export const DATETIME: SqlType = { type: 'datetime' };
export const decimal = (scale: number): SqlType => ({ type: 'decimal', scale });

export const TEXTS = [
  '',
  'a',
  'berlin',
  'New York',
  'são paulo',
  'ÅNGSTRÖM',
  '日本語',
  'a😀b',
  '😀',
  ' x ',
  '\u00a0y\u2003',
];
export const ODD_TEXTS = [
  'ß',
  'ŉ',
  'İstanbul',
  'ΣΑΣ',
  'ﬁn',
  'e\u0301',
  '\ufeffbom',
  '\u{10ffff}',
  '\uffee',
  'a%b_c\\',
  'x'.repeat(40),
];
export const NUMBER_TEXTS = [
  '12',
  '-3.5',
  ' 7 ',
  '1e3',
  '+5',
  '.5',
  '5.',
  '2.5',
  '-0',
  '0.049',
  '99999',
  '',
  'abc',
  '1x',
  'true',
  'F',
  'no',
];
export const ODD_NUMBER_TEXTS = [
  '9'.repeat(38),
  '9'.repeat(39),
  '1e37',
  '1e400',
  '1e-400',
  '0.5e-1',
  '1e99999999999',
  '--1',
  '.',
  'e1',
];
export const DATE_TEXTS = [
  '2017-07-17',
  '1969-12-31',
  '2020-02-29',
  '2021-02-29',
  '2017-07-17 10:11:12',
  '1969-12-31T23:59:59Z',
  '0000-01-01',
  '9999-12-31T23:59:59',
  'x',
  '',
];
export const JSON_TEXTS = ['[1,2]', '["a"]', '[]', '{"a":null}'];

const SECONDS_MIN = -62_167_219_200;
const SECONDS_MAX = 253_402_300_799;
const SAFE = 2n ** 53n - 1n;
const EDGES = [
  0n,
  1n,
  -1n,
  SAFE,
  -SAFE,
  SAFE + 1n,
  -SAFE - 1n,
  SAFE + 2n,
  2n ** 63n,
  -(2n ** 63n),
  10n ** 37n,
  10n ** 38n - 1n,
  -(10n ** 38n) + 1n,
];

export interface Column {
  readonly type: SqlType;
  /** Draws a value that is not missing. */
  readonly draw: (random: Prng) => NonNullable<Value>;
  /** The shared dictionary of all batches, or null if each batch has its own texts. */
  readonly dictionary: readonly string[] | null;
  readonly missing: number;
}

const column = (type: SqlType, draw: Column['draw'], missing = 0.15): Column => ({
  type,
  draw,
  dictionary: null,
  missing,
});
const ofTexts = (type: SqlType, dictionary: readonly string[], missing = 0.15): Column => {
  return { type, draw: (random) => random.pick(dictionary), dictionary, missing };
};

const small = (random: Prng): bigint => BigInt(random.between(-20, 20));
const safe = (random: Prng): bigint => {
  const value = random.chance(0.4) ? small(random) : SAFE - BigInt(random.below(4));
  return random.chance(0.5) ? value : -value;
};
const float = (random: Prng): number => {
  if (random.chance(0.4)) return random.between(-400, 400) / 8;
  return random.chance(0.1)
    ? random.pick([1e300, -1e300, 1e-300, 2 ** 53, 2.5, 1e37, 9.5e37])
    : (random.unit() - 0.5) * 1_000;
};
const date = (random: Prng): bigint => {
  if (random.chance(0.5)) return BigInt(random.between(-800, 20_000));
  return BigInt(
    random.pick(
      [
        '0000-01-01',
        '0000-03-01',
        '1600-02-29',
        '1900-03-01',
        '2000-02-29',
        '2020-12-31',
        '2021-01-03',
        '9999-12-31',
      ].map((text) => parseDate(text) ?? 0),
    ),
  );
};
const datetime = (random: Prng): bigint => {
  if (random.chance(0.7)) return BigInt(random.between(-90_000_000, 1_700_000_000));
  const known = [
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1600-02-29T12:00:00Z',
    '2020-12-31T23:59:59Z',
    '9999-12-31T23:59:59Z',
  ];
  return random.chance(0.5)
    ? BigInt(Math.floor(random.unit() * (SECONDS_MAX - SECONDS_MIN)) + SECONDS_MIN)
    : BigInt(parseDateTime(random.pick(known)) ?? 0);
};

/** The inputs of expressions, by input number. */
export const COLUMNS: readonly Column[] = [
  column(INTEGER, small),
  column(INTEGER, small, 0),
  column(INTEGER, (random) => random.pick(EDGES)),
  column(INTEGER, (random) => BigInt(random.between(-5, 5)) + (random.chance(0.5) ? SAFE : 0n)),
  // All values are safe integers, so only results can be unsafe.
  column(INTEGER, safe),
  column(decimal(17), safe, 0),
  column(decimal(2), (random) => BigInt(random.between(-99_999, 99_999))),
  column(decimal(6), (random) =>
    random.chance(0.1) ? 10n ** 36n : BigInt(random.between(-9_999_999, 9_999_999)),
  ),
  column(FLOAT, float),
  column(FLOAT, float, 0),
  column(BOOLEAN, (random) => random.chance(0.5)),
  column(BOOLEAN, (random) => random.chance(0.5), 0.4),
  ofTexts(TEXT, [...TEXTS, ...ODD_TEXTS]),
  ofTexts(TEXT, TEXTS, 0),
  column(TEXT, (random) => random.pick([...TEXTS, ...ODD_TEXTS])),
  ofTexts(TEXT, [...NUMBER_TEXTS, ...ODD_NUMBER_TEXTS]),
  ofTexts(TEXT, DATE_TEXTS),
  column(DATE, date),
  column(DATE, date, 0),
  column(DATETIME, datetime),
  ofTexts(JSON_TYPE, JSON_TEXTS),
  column(INTEGER, small, 1),
  column(TEXT, (random) => random.pick(TEXTS), 1),
];

/**
 * Rows that have the same meaning in other engines: no numbers near the limits, no letters with other case mappings.
 */
export const SHARED_COLUMNS: readonly Column[] = [
  column(INTEGER, small),
  column(INTEGER, (random) => BigInt(random.between(-100_000, 100_000)), 0),
  column(decimal(2), (random) => BigInt(random.between(-99_999, 99_999))),
  column(decimal(6), (random) => BigInt(random.between(-9_999_999, 9_999_999))),
  column(FLOAT, (random) => random.between(-400, 400) / 8),
  column(FLOAT, (random) => (random.unit() - 0.5) * 1_000, 0),
  column(BOOLEAN, (random) => random.chance(0.5)),
  column(BOOLEAN, (random) => random.chance(0.5), 0.4),
  ofTexts(TEXT, TEXTS),
  column(TEXT, (random) => random.pick(TEXTS), 0),
  ofTexts(TEXT, NUMBER_TEXTS),
  ofTexts(
    TEXT,
    DATE_TEXTS.filter((text) => !text.startsWith('0000')),
  ),
  column(DATE, (random) => BigInt(random.between(-40_000, 40_000))),
  column(DATE, (random) => BigInt(random.between(-400, 400)), 0),
  column(DATETIME, (random) => BigInt(random.between(-2_000_000_000, 4_000_000_000))),
];

export interface Batch {
  readonly rows: RowSource;
  /** Values by row, then by input. */
  readonly values: readonly (readonly Value[])[];
}

const bytesOf = (texts: readonly string[]): Texts => {
  const whole = Texts.ofStrings([...texts]);
  return Texts.ofBytes(whole.utf8, texts.length, true);
};

/** The Texts of columns with a dictionary: as bytes or as strings. */
export function dictionariesOf(columns: readonly Column[], random: Prng): (Texts | null)[] {
  return columns.map(({ dictionary }) => {
    if (dictionary === null) return null;
    return random.chance(0.5) ? bytesOf(dictionary) : Texts.ofStrings([...dictionary], true);
  });
}

export function batchOf(
  columns: readonly Column[],
  dictionaries: readonly (Texts | null)[],
  count: number,
  random: Prng,
): Batch {
  const vectors = columns.map((column, index) => vectorOfColumn(column, dictionaries[index], count, random));
  const values = Array.from({ length: count }, (_, row) => vectors.map((vector) => valueAt(vector, row)));
  const scannedRows = random.chance(0.5) ? count * 100 : 0;
  return { rows: { count, scannedRows, input: (index) => vectors[index] }, values };
}

function vectorOfColumn(
  { type, draw, missing }: Column,
  texts: Texts | null,
  count: number,
  random: Prng,
): Vector {
  const values = Array.from({ length: count }, () => (random.chance(missing) ? null : draw(random)));
  if (texts !== null) {
    const all = Array.from({ length: texts.size }, (_, code) => texts.text(code));
    const valid = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
    // The code of a missing value is arbitrary.
    const codes = Uint32Array.from(values, (value) =>
      value === null ? random.below(all.length) : all.indexOf(String(value)),
    );
    return { kind: 'text', count, valid, codes, texts };
  }
  if (count > 0 && missing === 1)
    return constantVector(type, null, count + 3).valid === null
      ? vectorOf(type, values)
      : { ...constantVector(type, null, count + 3), count };
  return vectorOf(type, values);
}
