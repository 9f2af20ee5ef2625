/**
 * The file of a snapshot with the deduplication table (the writes with an Idempotency-Key), in parts of at most
 * ENTRIES_PER_PART entries, so that neither writing nor reading blocks the thread for long.
 * Invariant: a file is written whole and synced before a manifest names it, so an invalid file is corrupt.
 *
 * Deduplication file v1. Little-endian; offsets and sizes in bytes.
 *   offset size field         meaning
 *        0    6 magic         "QRYONC"
 *        6    2 version       u16, 1
 *        8    4 crc32         CRC-32 (zlib) over [0, 8)
 *   then parts, each:
 *        0    4 crc32         CRC-32 (zlib) over [4, 8 + payloadBytes) of the part
 *        4    4 payloadBytes  u32
 *        8    n payload       plain MessagePack: a list of [id, bodyHash, timeMs, lsn, answer]
 * Corrupt  wrong magic, a part that extends beyond the file or fails its CRC, or a number of entries other than the
 *          manifest's: refuse to open, change nothing.
 */
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { CorruptionError, NewerFormatError } from '../base/index.js';
import type { RecordIdempotency } from './record-payload.js';

export const DEDUPLICATION_MAGIC = 'QRYONC';
export const DEDUPLICATION_VERSION = 1;
export const ENTRIES_PER_PART = 4_096;
const HEAD_BYTES = 12;
const VERSION_AT = 6;
const HEAD_CRC_AT = 8;
const PART_HEAD_BYTES = 8;

export interface DeduplicationEntry extends RecordIdempotency {
  /** Milliseconds since 1970-01-01. */
  readonly timeMs: number;
  /** LSN of the write's record. */
  readonly lsn: number;
  /** The numbers in the answer to the write. */
  readonly answer: readonly number[];
}

const packr = new Packr({ useRecords: false });

export function deduplicationFileHead(): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  head.set(new TextEncoder().encode(DEDUPLICATION_MAGIC));
  const view = new DataView(head.buffer);
  view.setUint16(VERSION_AT, DEDUPLICATION_VERSION, true);
  view.setUint32(HEAD_CRC_AT, crc32(head.subarray(0, HEAD_CRC_AT)), true);
  return head;
}

export function encodeDeduplicationPart(entries: readonly DeduplicationEntry[]): Uint8Array {
  const payload = packr.pack(
    entries.map(({ id, bodyHash, timeMs, lsn, answer }) => [id, bodyHash, timeMs, lsn, answer]),
  );
  const part = new Uint8Array(PART_HEAD_BYTES + payload.length);
  const view = new DataView(part.buffer);
  view.setUint32(4, payload.length, true);
  part.set(payload, PART_HEAD_BYTES);
  view.setUint32(0, crc32(part.subarray(4)), true);
  return part;
}

/** Decodes `bytes`, the whole content of `file`, part by part. Throws CorruptionError and NewerFormatError. */
export function* decodeDeduplicationFile(
  bytes: Uint8Array,
  file: string,
): Generator<readonly DeduplicationEntry[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD_BYTES)
    throw new CorruptionError(file, bytes.length, 'the file ends inside its head');
  const magic = String.fromCharCode(...bytes.subarray(0, VERSION_AT));
  if (magic !== DEDUPLICATION_MAGIC)
    throw new CorruptionError(file, 0, `its magic is not ${DEDUPLICATION_MAGIC}`);
  if (view.getUint32(HEAD_CRC_AT, true) !== crc32(bytes.subarray(0, HEAD_CRC_AT))) {
    throw new CorruptionError(file, HEAD_CRC_AT, 'its head fails its checksum');
  }
  const version = view.getUint16(VERSION_AT, true);
  if (version > DEDUPLICATION_VERSION)
    throw new NewerFormatError(file, 'list of idempotent writes', version, DEDUPLICATION_VERSION);
  if (version !== DEDUPLICATION_VERSION) {
    throw new CorruptionError(file, VERSION_AT, `format version ${version} is unknown`);
  }
  let at = HEAD_BYTES;
  while (at < bytes.length) {
    const head = at + PART_HEAD_BYTES;
    if (head > bytes.length) throw new CorruptionError(file, at, 'the file ends inside the head of a part');
    const end = head + view.getUint32(at + 4, true);
    if (end > bytes.length) throw new CorruptionError(file, at, 'the file ends inside a part');
    if (view.getUint32(at, true) !== crc32(bytes.subarray(at + 4, end))) {
      throw new CorruptionError(file, at, 'a part fails its checksum');
    }
    yield (packr.unpack(bytes.subarray(head, end)) as [string, string, number, number, number[]][]).map(
      ([id, bodyHash, timeMs, lsn, answer]) => ({ id, bodyHash, timeMs, lsn, answer }),
    );
    at = end;
  }
}
