/** Parameters of a statement, as a client binds them, as values of SQL. */
import { formatDate, formatDateTime } from '../schema/index.js';
import type { SqlParameter } from '../sql/index.js';
import { DAYS_TO_2000, MICROSECONDS, SECONDS_TO_2000 } from './binary.js';
import { ProtocolFault } from './fault.js';
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

/** `bytes`: null = NULL. Throws ProtocolFault for what is no value of the type. */
export function parameterValue(bytes: Buffer | null, typeId: number, format: number): SqlParameter {
  if (bytes === null) return { is: 'null' };
  if (format === BINARY) return fromBinary(bytes, typeId);
  return fromText(utf8(bytes), typeId);
}

function fromText(text: string, typeId: number): SqlParameter {
  if (NUMBERS.has(typeId)) {
    if (!NUMBER.test(text))
      throw new ProtocolFault('22P02', `${JSON.stringify(text.slice(0, 80))} is no number`);
    return { is: 'number', text: text.trim() };
  }
  if (typeId !== TYPE.bool) return { is: 'text', text };
  const value = TRUTHS.get(text.trim().toLowerCase());
  if (value === undefined) {
    throw new ProtocolFault('22P02', `${JSON.stringify(text.slice(0, 80))} is neither true nor false`);
  }
  return { is: 'boolean', value };
}

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
]);
const TEXTS: ReadonlySet<number> = new Set([
  0,
  TYPE.text,
  TYPE.varchar,
  TYPE.bpchar,
  TYPE.unknown,
  TYPE.json,
]);

function fromBinary(bytes: Buffer, typeId: number): SqlParameter {
  const size = SIZES.get(typeId);
  if (size !== undefined && bytes.length !== size) {
    throw new ProtocolFault('22P03', `a parameter of type ${typeId} has ${size} bytes, not ${bytes.length}`);
  }
  if (TEXTS.has(typeId)) return { is: 'text', text: utf8(bytes) };
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
      return { is: 'text', text: formatDate(bytes.readInt32BE(0) + DAYS_TO_2000) };
    case TYPE.timestamp:
    case TYPE.timestamptz: {
      // Whole seconds are what a date with a time has here.
      const seconds = Number(bytes.readBigInt64BE(0) / MICROSECONDS) + SECONDS_TO_2000;
      return { is: 'text', text: formatDateTime(seconds) };
    }
    default:
      throw new ProtocolFault('0A000', `parameters of type ${typeId} are not taken in binary; send text`);
  }
}

function float(value: number): SqlParameter {
  if (!Number.isFinite(value)) throw new ProtocolFault('22P03', 'a parameter is neither finite nor a number');
  return { is: 'number', text: String(value) };
}
