/**
 * Encodes each row as a DataRow message of the Postgres protocol, with all values in text format.
 *   offset size field     meaning
 *        0    1 kind      'D'
 *        1    4 bytes     i32, big-endian: length of the message, including this field but not `kind`
 *        5    2 values    i16
 *        7    . value     i32 byte count, -1 = missing; then the bytes
 * Timestamps are in UTC with the suffix +00, local times have none; booleans are t and f; decimals have all digits of their
 * scale, and floats the form of PostgreSQL.
 */
import { QuarryError } from '../base/index.js';
import { formatFloat } from '../schema/index.js';
import type { Field, SqlType, Vector } from '../vector/index.js';
import type { Allocator } from './allocator.js';
import { ByteWriter } from './byte-writer.js';
import { putDateTime, putScaled, putWideScaled } from './number-bytes.js';
import type { RowEncoder } from './row-encoder.js';
import { putBytes } from './text-bytes.js';
import { type ValueWriter, valueWriterOf } from './value-writers.js';

const DATA_ROW = 0x44;
const TRUE = 0x74;
const FALSE = 0x66;
const SPACE = 0x20;
const UTC = Uint8Array.from(Buffer.from('+00'));
const EMPTY = new Uint8Array(0);
const INT64_MAX = 2n ** 63n - 1n;

export function postgresEncoder(fields: readonly Field[], allocate: Allocator): RowEncoder {
  const out = new ByteWriter(allocate);
  return {
    head: () => EMPTY,
    rows(columns: readonly Vector[], from: number, to: number): Uint8Array {
      const valids = columns.map(({ valid }) => valid);
      const writers = columns.map((vector, index) =>
        writerOf(fields[index].type, vector, fields[index].name),
      );
      for (let row = from; row < to; row++) {
        const begin = out.at;
        out.byte(DATA_ROW);
        putLength(out, 0);
        out.byte(writers.length >> 8);
        out.byte(writers.length & 255);
        for (let column = 0; column < writers.length; column++) {
          const valid = valids[column];
          const at = out.at;
          putLength(out, -1);
          if (valid !== null && valid[row] !== 1) continue;
          writers[column](out, row);
          setLength(out, at, out.at - at - 4);
        }
        setLength(out, begin + 1, out.at - begin - 1);
      }
      return out.take();
    },
    asFirst: (bytes) => bytes,
    tail: () => EMPTY,
  };
}

function writerOf(type: SqlType, vector: Vector, name: string): ValueWriter {
  if (type.type === 'boolean' && vector.kind === 'boolean') {
    const { bits } = vector;
    return (out, row) => out.byte(bits[row] === 1 ? TRUE : FALSE);
  }
  if (type.type === 'datetime' && vector.kind === 'exact') {
    const { numbers, wide } = vector;
    const zone = type.local === true ? EMPTY : UTC;
    return (out, row) => putInstant(out, numbers === null ? Number(wide?.[row] ?? 0n) : numbers[row], zone);
  }
  if (vector.kind === 'float') {
    const { numbers } = vector;
    return (out, row) => out.ascii(formatFloat(numbers[row]));
  }
  if (type.type === 'decimal' && vector.kind === 'exact') {
    const { numbers, wide } = vector;
    const { scale } = type;
    if (numbers !== null) return (out, row) => putScaled(out, numbers[row], scale);
    if (wide !== null) return (out, row) => putWideScaled(out, wide[row], scale);
  }
  if (type.type === 'integer' && vector.kind === 'exact' && vector.wide !== null) {
    for (const value of vector.wide) checkInt64(value, name);
  }
  return valueWriterOf(type, vector, putBytes);
}

/** Throws 6000. */
function checkInt64(value: bigint, name: string): void {
  if (value <= INT64_MAX && value >= -INT64_MAX - 1n) return;
  throw new QuarryError(
    6000,
    `${JSON.stringify(name)} has integers of more than 64 bits: write CAST(... AS DECIMAL(38, 0))`,
  );
}

/** YYYY-MM-DD hh:mm:ss and the zone. */
function putInstant(out: ByteWriter, seconds: number, zone: Uint8Array): void {
  putDateTime(out, seconds);
  // Replaces T by a space and drops Z.
  out.at--;
  out.bytes[out.at - 9] = SPACE;
  out.put(zone);
}

function putLength(out: ByteWriter, value: number): void {
  out.reserve(4);
  out.at += 4;
  setLength(out, out.at - 4, value);
}

function setLength({ bytes }: ByteWriter, at: number, value: number): void {
  bytes[at] = value >> 24;
  bytes[at + 1] = value >> 16;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value;
}
