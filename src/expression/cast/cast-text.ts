/** Casts between text and other types. */
import {
  formatDate,
  formatDateTime,
  formatDecimal,
  formatFloat,
  formatInterval,
  formatScaled,
} from '../../schema/index.js';
import type { SqlType, TextVector, Vector } from '../../vector/index.js';
import { exactVector, Texts } from '../../vector/index.js';
import { bigintAt, numbersOf } from '../kinds.js';
import { isValid, simplified, writableValid } from '../validity.js';
import {
  isJson,
  readBoolean,
  readDays,
  readExact,
  readFloat,
  readInterval,
  readSeconds,
} from './read-text.js';

/** Parses texts as values of `type`; texts that cannot be parsed become missing. */
export function readTexts(vector: TextVector, type: SqlType): Vector {
  const { count } = vector;
  switch (type.type) {
    case 'integer':
      return readBigints(vector, (text) => readExact(text, 0));
    case 'decimal':
      return readBigints(vector, (text) => readExact(text, type.scale));
    case 'date':
      return { kind: 'exact', ...readNumbers(vector, readDays), count, wide: null };
    case 'datetime':
      return { kind: 'exact', ...readNumbers(vector, readSeconds), count, wide: null };
    case 'interval':
      return readBigints(vector, readInterval);
    case 'float':
      return { kind: 'float', ...readNumbers(vector, readFloat), count };
    case 'boolean': {
      const bits = readNumbers(vector, (text) => numberOf(readBoolean(text)));
      return { kind: 'boolean', count, valid: bits.valid, bits: Uint8Array.from(bits.numbers) };
    }
    case 'json': {
      const { valid } = readNumbers(vector, (text) => (isJson(text) ? 1 : null));
      return { ...vector, valid };
    }
    case 'text':
      return vector;
  }
}

const numberOf = (bit: boolean | null): number | null => (bit === null ? null : Number(bit));

const textAt = ({ codes, texts }: TextVector, row: number): string =>
  texts.text(codes === null ? row : codes[row]);

function readNumbers(
  vector: TextVector,
  read: (text: string) => number | null,
): { numbers: Float64Array; valid: Uint8Array | null } {
  const { count } = vector;
  const numbers = new Float64Array(count);
  const valid = writableValid(vector.valid, count);
  for (let row = 0; row < count; row++) {
    if (valid[row] === 0) continue;
    const value = read(textAt(vector, row));
    if (value === null) valid[row] = 0;
    else numbers[row] = value;
  }
  return { numbers, valid: simplified(valid, count) };
}

function readBigints(vector: TextVector, read: (text: string) => bigint | null): Vector {
  const { count } = vector;
  const wide = new Array<bigint>(count).fill(0n);
  const valid = writableValid(vector.valid, count);
  for (let row = 0; row < count; row++) {
    if (valid[row] === 0) continue;
    const value = read(textAt(vector, row));
    if (value === null) valid[row] = 0;
    else wide[row] = value;
  }
  return exactVector(simplified(valid, count), wide);
}

/** Formats values as answers do: decimals always have a fractional digit, floats a fraction or an exponent. */
export function writeTexts(vector: Vector, type: SqlType): TextVector {
  if (vector.kind === 'text') return vector;
  if (vector.kind === 'boolean') return writeBooleans(vector);
  if (type.type === 'date') return writeDates(vector);
  return writeRows(vector, writer(vector, type));
}

function writeRows({ count, valid }: Vector, write: (row: number) => string): TextVector {
  const strings = new Array<string>(count).fill('');
  for (let row = 0; row < count; row++) if (isValid(valid, row)) strings[row] = write(row);
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(strings) };
}

function writer(vector: Vector & { kind: 'exact' | 'float' }, type: SqlType): (row: number) => string {
  if (vector.kind === 'float') return (row) => withFraction(String(vector.numbers[row]));
  const { numbers } = vector;
  switch (type.type) {
    case 'datetime':
      return type.local === true
        ? (row) => formatDateTime(Number(bigintAt(vector, row))).slice(0, -1)
        : (row) => formatDateTime(Number(bigintAt(vector, row)));
    case 'interval':
      return (row) => formatInterval(numbers === null ? bigintAt(vector, row) : numbers[row]);
    case 'decimal':
      return (row) => withFraction(formatDecimal(bigintAt(vector, row), type.scale));
    default:
      return numbers === null ? (row) => String(bigintAt(vector, row)) : (row) => String(numbers[row]);
  }
}

/** Formats numbers as PostgreSQL does: decimals with all digits of their scale, floats without a fraction if they have none. */
export function numericTexts(vector: Vector, type: SqlType): TextVector {
  if (vector.kind === 'float') return writeRows(vector, (row) => formatFloat(vector.numbers[row]));
  if (vector.kind !== 'exact' || type.type !== 'decimal') return writeTexts(vector, type);
  return writeRows(vector, (row) => formatScaled(bigintAt(vector, row), type.scale));
}

/** Rows with the same date share one text. */
function writeDates(vector: Vector): TextVector {
  const { count, valid } = vector;
  const days = numbersOf(vector);
  const codes = new Uint32Array(count);
  const known = new Map<number, number>();
  const strings: string[] = [];
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    let code = known.get(days[row]);
    if (code === undefined) {
      code = strings.length;
      known.set(days[row], code);
      strings.push(formatDate(days[row]));
    }
    codes[row] = code;
  }
  // The code of a missing value must be valid, so at least one text is needed.
  if (strings.length === 0) strings.push('');
  return { kind: 'text', count, valid, codes, texts: Texts.ofStrings(strings, true) };
}

const withFraction = (text: string): string => (/[.e]/.test(text) ? text : `${text}.0`);

function writeBooleans({ bits, valid, count }: Vector & { kind: 'boolean' }): TextVector {
  const codes = Uint32Array.from(bits.subarray(0, count));
  return { kind: 'text', count, valid, codes, texts: Texts.ofStrings(['false', 'true'], true) };
}
