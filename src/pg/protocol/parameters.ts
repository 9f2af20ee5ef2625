/** Converts bound parameters of a statement to SQL values. */
import { formatDate, formatDateTime, parseDate, parseDateTime } from '../../schema/index.js';
import type { SqlParameter } from '../../sql/index.js';
import { arrayParameter, isArrayType } from './arrays.js';
import { DAYS_TO_2000, MICROSECONDS, SECONDS_TO_2000 } from './binary.js';
import { ProtocolError } from './errors.js';
import { utf8 } from './message-reader.js';
import { BINARY } from './messages.js';
import { numericText } from './numeric.js';
import { TYPE } from './types.js';

const NUMBERS: ReadonlySet<number> = new Set([
  TYPE.int2,
  TYPE.int4,
  TYPE.int8,
  TYPE.float4,
  TYPE.float8,
  TYPE.numeric,
]);
const NUMBER = /^\s*[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?\s*$/;
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['t', 'true', 'y', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['f', 'false', 'n', 'no', 'off', '0'].map((word) => [word, false] as const),
]);

const FLOATS: ReadonlySet<number> = new Set([TYPE.float4, TYPE.float8]);
/** Types whose NULL is typed; a NULL of another type, such as text, is compatible with every type. */
const NULL_TYPES: ReadonlyMap<number, string> = new Map([
  [TYPE.int2, 'int2'],
  [TYPE.int4, 'int4'],
  [TYPE.int8, 'int8'],
  [TYPE.float4, 'float4'],
  [TYPE.float8, 'float8'],
  [TYPE.numeric, 'numeric'],
  [TYPE.bool, 'bool'],
]);

/** An arbitrary value of the type, with which a statement has the same result types as with any other; null = unknown type. */
export function sampleOf(typeId: number): SqlParameter | null {
  if (FLOATS.has(typeId)) return { is: 'number', text: '1e0' };
  if (typeId === TYPE.numeric) return { is: 'number', text: '1.5' };
  if (NUMBERS.has(typeId)) return { is: 'number', text: '1' };
  if (typeId === TYPE.bool) return { is: 'boolean', value: true };
  if (isArrayType(typeId)) return { is: 'text', text: '{}' };
  const isInstant = typeId === TYPE.date || typeId === TYPE.timestamp || typeId === TYPE.timestamptz;
  return isInstant ? { is: 'text', text: '2000-01-01' } : null;
}

/** `bytes`: null = NULL. Throws ProtocolError if `bytes` is not a value of the type. */
export function parameterValue(bytes: Buffer | null, typeId: number, format: number): SqlParameter {
  if (bytes === null) return { is: 'null', type: NULL_TYPES.get(typeId) };
  if (format === BINARY) return fromBinary(bytes, typeId);
  return fromText(utf8(bytes), typeId);
}

function fromText(text: string, typeId: number): SqlParameter {
  if (NUMBERS.has(typeId)) {
    if (!NUMBER.test(text))
      throw new ProtocolError('22P02', `${JSON.stringify(text.slice(0, 80))} is not a number`);
    return { is: 'number', text: FLOATS.has(typeId) ? floatText(text.trim()) : text.trim() };
  }
  if (typeId !== TYPE.bool) return { is: 'text', text };
  const value = TRUTHS.get(text.trim().toLowerCase());
  if (value === undefined) {
    throw new ProtocolError('22P02', `${JSON.stringify(text.slice(0, 80))} is neither true nor false`);
  }
  return { is: 'boolean', value };
}

/** Types of the catalog. */
const [OID, JSONB, UUID] = [26, 3802, 2950];

const SIZES: ReadonlyMap<number, number> = new Map([
  [TYPE.bool, 1],
  [TYPE.int2, 2],
  [TYPE.int4, 4],
  [TYPE.int8, 8],
  [TYPE.float4, 4],
  [TYPE.float8, 8],
  [TYPE.date, 4],
  [TYPE.timestamp, 8],
  [TYPE.timestamptz, 8],
  [OID, 4],
  [UUID, 16],
]);
const TEXTS: ReadonlySet<number> = new Set([
  0,
  TYPE.text,
  TYPE.varchar,
  TYPE.bpchar,
  TYPE.unknown,
  TYPE.json,
  // "char" and name.
  ...[18, 19],
]);

function fromBinary(bytes: Buffer, typeId: number): SqlParameter {
  const size = SIZES.get(typeId);
  if (size !== undefined && bytes.length !== size) {
    throw new ProtocolError('22P03', `a parameter of type ${typeId} has ${size} bytes, not ${bytes.length}`);
  }
  if (TEXTS.has(typeId)) return { is: 'text', text: utf8(bytes) };
  if (isArrayType(typeId)) return arrayParameter(bytes, fromBinary);
  switch (typeId) {
    case TYPE.bool:
      return { is: 'boolean', value: bytes[0] !== 0 };
    case TYPE.int2:
      return { is: 'number', text: String(bytes.readInt16BE(0)) };
    case TYPE.int4:
      return { is: 'number', text: String(bytes.readInt32BE(0)) };
    case TYPE.int8:
      return { is: 'number', text: String(bytes.readBigInt64BE(0)) };
    case TYPE.float4:
      return float(bytes.readFloatBE(0));
    case TYPE.float8:
      return float(bytes.readDoubleBE(0));
    case TYPE.numeric:
      return { is: 'number', text: numericText(bytes) };
    case TYPE.date:
      return readable(formatDate(bytes.readInt32BE(0) + DAYS_TO_2000), parseDate);
    case TYPE.timestamp:
    case TYPE.timestamptz: {
      return instant(bytes.readBigInt64BE(0));
    }
    case OID:
      return { is: 'number', text: String(bytes.readUInt32BE(0)) };
    case UUID:
      return { is: 'text', text: bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
    case JSONB:
      return jsonOf(bytes);
    default:
      throw new ProtocolError('0A000', `binary parameters of type ${typeId} are not supported; send text`);
  }
}

/** The binary format of jsonb is a version, 1, and the text. */
function jsonOf(bytes: Buffer): SqlParameter {
  if (bytes[0] !== 1) throw new ProtocolError('22P03', 'a parameter of type jsonb cannot be read');
  return { is: 'text', text: utf8(bytes.subarray(1)) };
}

/** Datetimes have a resolution of one second; fractions are cut off. */
function instant(microseconds: bigint): SqlParameter {
  const beyond = ((microseconds % MICROSECONDS) + MICROSECONDS) % MICROSECONDS;
  const seconds = Number((microseconds - beyond) / MICROSECONDS) + SECONDS_TO_2000;
  return readable(formatDateTime(seconds), parseDateTime);
}

function readable(text: string, parse: (text: string) => number | null): SqlParameter {
  if (parse(text) !== null) return { is: 'text', text };
  throw new ProtocolError('22008', 'a date parameter is out of range');
}

function float(value: number): SqlParameter {
  if (!Number.isFinite(value)) throw new ProtocolError('22P03', 'a parameter is not a finite number');
  return { is: 'number', text: floatText(String(value)) };
}

/** Adds an exponent if there is none, which makes the literal a float. */
const floatText = (text: string): string => (/e/i.test(text) ? text : `${text}e0`);
