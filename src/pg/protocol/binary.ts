/** Converts values from the text that the engine writes to the binary formats of Postgres. */
import { parseDate, parseDateTime, readIntervalText, SECONDS_PER_DAY } from '../../schema/index.js';
import { ProtocolError } from './errors.js';
import { BINARY } from './messages.js';
import { numericBytes } from './numeric.js';
import { TYPE } from './types.js';

/** Days from 1970-01-01 to 2000-01-01, the epoch of Postgres. */
export const DAYS_TO_2000 = 10_957;
export const SECONDS_TO_2000 = DAYS_TO_2000 * 86_400;
export const MICROSECONDS = 1_000_000n;

const DATA_ROW = 0x44;
const HEAD_BYTES = 5;

function written(size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
}

const int64 = (value: bigint): Buffer => written(8, (bytes) => bytes.writeBigInt64BE(value));
const int32 = (value: number): Buffer => written(4, (bytes) => bytes.writeInt32BE(value));

const dateBytes = (text: string): Buffer => int32((parseDate(text) ?? 0) - DAYS_TO_2000);

/** Encodes YYYY-MM-DD hh:mm:ss+00 as microseconds since 2000-01-01. */
function instantBytes(text: string): Buffer {
  const seconds = parseDateTime(`${text.slice(0, -3).replace(' ', 'T')}Z`) ?? 0;
  return int64((BigInt(seconds) - BigInt(SECONDS_TO_2000)) * MICROSECONDS);
}

/** Encodes YYYY-MM-DD hh:mm:ss, the time of some zone's clocks. */
const localBytes = (text: string): Buffer => instantBytes(`${text}+00`);

/** Encodes an interval as microseconds, days and months. */
function intervalBytes(text: string): Buffer {
  const { months, seconds } = readIntervalText(text) ?? { months: 0, seconds: 0 };
  const days = Math.trunc(seconds / SECONDS_PER_DAY);
  const rest = seconds - days * SECONDS_PER_DAY;
  return Buffer.concat([int64(BigInt(rest) * MICROSECONDS), int32(days), int32(months)]);
}

const latin = (field: Buffer): string => field.toString('latin1');

const OID = 26;
/** Types whose bytes are the same in both formats: texts, "char" (18), name (19), and void (2278), which is empty. */
const SAME_BYTES: ReadonlySet<number> = new Set([
  ...[TYPE.text, TYPE.varchar, TYPE.bpchar, TYPE.unknown, TYPE.json],
  ...[18, 19, 2278],
]);
/** By type number. */
const ENCODERS: ReadonlyMap<number, (field: Buffer) => Buffer> = new Map([
  [TYPE.bool, (field) => Buffer.of(field[0] === 0x74 ? 1 : 0)],
  [TYPE.int8, (field) => int64(BigInt(latin(field)))],
  [TYPE.int2, (field) => written(2, (bytes) => bytes.writeInt16BE(Number(latin(field))))],
  [TYPE.int4, (field) => int32(Number(latin(field)))],
  [OID, (field) => written(4, (bytes) => bytes.writeUInt32BE(Number(latin(field))))],
  [TYPE.float4, (field) => written(4, (bytes) => bytes.writeFloatBE(Number(latin(field))))],
  [TYPE.float8, (field) => written(8, (bytes) => bytes.writeDoubleBE(Number(latin(field))))],
  [TYPE.numeric, (field) => numericBytes(latin(field))],
  [TYPE.date, (field) => dateBytes(latin(field))],
  [TYPE.timestamptz, (field) => instantBytes(latin(field))],
  [TYPE.timestamp, (field) => localBytes(latin(field))],
  [TYPE.interval, (field) => intervalBytes(latin(field))],
]);

/** Converts the values of complete DataRow messages from text to binary where `formats` requests it. Throws 0A000. */
export function rowsInFormats(rows: Buffer, typeIds: readonly number[], formats: readonly number[]): Buffer {
  const encoders = typeIds.map((typeId, index) =>
    formats[index] === BINARY ? encoderOf(typeId) : undefined,
  );
  if (encoders.every((encoder) => encoder === undefined)) return rows;
  const out: Buffer[] = [];
  for (let at = 0; at < rows.length; ) {
    const end = at + 1 + rows.readInt32BE(at + 1);
    out.push(rowInFormats(rows.subarray(at, end), encoders));
    at = end;
  }
  return Buffer.concat(out);
}

/** undefined = both formats have the same bytes. */
function encoderOf(typeId: number): ((field: Buffer) => Buffer) | undefined {
  const encoder = ENCODERS.get(typeId);
  if (encoder !== undefined || SAME_BYTES.has(typeId)) return encoder;
  throw new ProtocolError('0A000', `the binary format of type ${typeId} is not supported; request text`);
}

function rowInFormats(row: Buffer, encoders: readonly (((field: Buffer) => Buffer) | undefined)[]): Buffer {
  const parts: Buffer[] = [Buffer.alloc(HEAD_BYTES), row.subarray(HEAD_BYTES, HEAD_BYTES + 2)];
  let at = HEAD_BYTES + 2;
  for (const encoder of encoders) {
    const length = row.readInt32BE(at);
    const end = at + 4 + Math.max(length, 0);
    if (length < 0 || encoder === undefined) parts.push(row.subarray(at, end));
    else {
      const field = encoder(row.subarray(at + 4, end));
      const head = Buffer.alloc(4);
      head.writeInt32BE(field.length);
      parts.push(head, field);
    }
    at = end;
  }
  const message = Buffer.concat(parts);
  message[0] = DATA_ROW;
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/** One format per column or parameter: none given = text, one given = that one for all. Throws 08P01. */
export function formatsFor(formats: readonly number[], count: number): readonly number[] {
  const wrong = formats.find((format) => format !== 0 && format !== BINARY);
  if (wrong !== undefined)
    throw new ProtocolError('08P01', `unknown format code ${wrong}; 0 is text, 1 is binary`);
  if (formats.length === 0) return Array<number>(count).fill(0);
  if (formats.length === 1) return Array<number>(count).fill(formats[0]);
  if (formats.length === count) return formats;
  throw new ProtocolError(
    '08P01',
    `the message has ${formats.length} format codes for ${count} columns or parameters`,
  );
}
