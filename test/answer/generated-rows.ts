/** Generated vectors and their rows as plain values: the input and the oracle of the tests of all encoders. */
import type { Prng } from '../../src/base/index.js';
import { type Field, Texts, type Value, type Vector, vectorOf } from '../../src/vector/index.js';

export interface GeneratedRows {
  readonly fields: readonly Field[];
  readonly columns: readonly Vector[];
  readonly rowCount: number;
  /** rows[row][column] */
  readonly rows: readonly (readonly Value[])[];
}

const PIECES = [
  ...[
    'berlin',
    'Zürich',
    '東京',
    '🚀',
    'ß',
    "o'neill",
    '"',
    '\\',
    ',',
    '\r\n',
    '\n',
    '\t',
    '\u0000',
    '\u001f',
  ],
  ...[' ', '\u007f', '\u2028', '=1+1', 'x'.repeat(70)],
];
const INTEGERS = [0n, 1n, -1n, 9n, 10n, -10n, 999_999_999n, 1_000_000_000n, 2n ** 31n, -(2n ** 31n)];
const SAFE_MAX = 2n ** 53n - 1n;
const FLOATS = [0, -1, 19, 0.1, 1e21, 1e-7, -2.5, 123456.789, 1 / 3, 5e-324, 1.7976931348623157e308, 2 ** 53];

const text = (prng: Prng): string => Array.from({ length: prng.below(4) }, () => prng.pick(PIECES)).join('');

function exact(prng: Prng, isWide: boolean): bigint {
  if (prng.chance(0.4)) return prng.pick(INTEGERS);
  const safe = (BigInt(prng.u32()) << 21n) | BigInt(prng.below(2 ** 21));
  const value = prng.chance(0.1) ? SAFE_MAX : safe >> BigInt(prng.below(53));
  const signed = prng.chance(0.5) ? -value : value;
  return isWide ? signed * 2n ** BigInt(prng.below(10)) : signed;
}

function float(prng: Prng): number {
  if (prng.chance(0.3)) return prng.pick(FLOATS);
  if (prng.chance(0.5)) return Math.round(prng.unit() * 1e9) / 10 ** prng.below(8);
  return (prng.unit() - 0.5) * 10 ** prng.between(-20, 20);
}

const json = (prng: Prng): string => JSON.stringify(Array.from({ length: prng.below(3) }, () => text(prng)));

/** 0000-01-01 and 9999-12-31 in days. */
const DAYS_MIN = -719_528;
const DAYS_MAX = 2_932_896;

interface Column {
  readonly field: Field;
  readonly value: (prng: Prng) => Value;
}

function column(type: Field['type'], value: (prng: Prng) => Value, name: string = type.type): Column {
  return { field: { name, type }, value };
}

const day = (prng: Prng): bigint =>
  BigInt(prng.pick([0, -1, DAYS_MIN, DAYS_MAX, prng.between(-40_000, 80_000)]));

const COLUMNS: readonly Column[] = [
  column({ type: 'integer' }, (prng) => exact(prng, false)),
  column({ type: 'integer' }, (prng) => exact(prng, true), 'integers, "wide"'),
  column({ type: 'decimal', scale: 0 }, (prng) => exact(prng, false), 'decimal 0'),
  column({ type: 'decimal', scale: 2 }, (prng) => exact(prng, false), 'decimal 2'),
  column({ type: 'decimal', scale: 12 }, (prng) => exact(prng, false), 'decimal 12'),
  column({ type: 'decimal', scale: 15 }, (prng) => exact(prng, false), 'decimal 15'),
  column({ type: 'decimal', scale: 20 }, (prng) => exact(prng, false), 'decimal 20'),
  column({ type: 'decimal', scale: 6 }, (prng) => exact(prng, true) * 10n ** 18n, 'wide decimal'),
  column({ type: 'float' }, float),
  column({ type: 'boolean' }, (prng) => prng.chance(0.5)),
  column({ type: 'date' }, day),
  column({ type: 'datetime' }, (prng) => day(prng) * 86_400n + BigInt(prng.below(86_400))),
  column({ type: 'text' }, text),
  column({ type: 'text' }, (prng) => `${prng.pick(PIECES)}${prng.below(5)}`, 'ключ'),
  column({ type: 'json' }, json),
];

/** Every type, without and with missing values; texts also as codes, where missing values have a code too. */
export function generateRows(prng: Prng, rowCount: number): GeneratedRows {
  const made = COLUMNS.flatMap(({ field, value }) =>
    [0, 0.3].map((missing) => {
      const values = Array.from({ length: rowCount }, () => (prng.chance(missing) ? null : value(prng)));
      const named = { ...field, name: missing === 0 ? field.name : `${field.name}?` };
      const lies = field.name === 'ключ' ? coded(values) : vectorOf(field.type, values);
      return { field: named, values, vector: lies };
    }),
  );
  return {
    fields: made.map(({ field }) => field),
    columns: made.map(({ vector }) => vector),
    rowCount,
    rows: Array.from({ length: rowCount }, (_, row) => made.map(({ values }) => values[row])),
  };
}

/** Texts as codes of a dictionary whose bytes are a part of a larger buffer. */
function coded(values: readonly Value[]): Vector {
  const distinct = [...new Set(['unused', ...values.map((value) => String(value ?? 'unused'))])];
  const { offsets, bytes } = Texts.ofStrings(['before', ...distinct]).utf8;
  const texts = Texts.ofBytes({ offsets: offsets.subarray(1), bytes }, distinct.length, true);
  const codeOf = new Map(distinct.map((value, code) => [value, code]));
  return {
    kind: 'text',
    count: values.length,
    valid: values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null,
    codes: Uint32Array.from(values, (value) => codeOf.get(String(value ?? 'unused')) ?? 0),
    texts,
  };
}

/** A value as the number, date or text in answers, without quotes. */
export function tokenOf({ type }: Field, value: Exclude<Value, null>): string {
  switch (type.type) {
    case 'decimal': {
      const digits = String(value)
        .replace('-', '')
        .padStart(type.scale + 1, '0');
      const [whole, fraction] = [
        digits.slice(0, digits.length - type.scale),
        digits.slice(digits.length - type.scale),
      ];
      return `${(value as bigint) < 0n ? '-' : ''}${whole}.${fraction.replace(/0+$/, '') || '0'}`;
    }
    case 'float':
      return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
    case 'date':
      return isoOf(Number(value) * 86_400).slice(0, 10);
    case 'datetime':
      return isoOf(Number(value));
    default:
      return String(value);
  }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** The same division of the rows for every format: [from, to) of each part; some are empty. */
export function cuts(prng: Prng, rowCount: number): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  for (let from = 0; from < rowCount; ) {
    const to = Math.min(rowCount, from + prng.below(40));
    parts.push([from, to]);
    from = to;
  }
  return parts;
}
