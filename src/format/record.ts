/**
 * The bytes of a log file: its header and the frame of one record. No I/O; payloads are record-payload.ts.
 *
 * Log file header v3. Little-endian; offsets and sizes in bytes. Every later version keeps this layout.
 *   offset size field         meaning
 *        0    6 magic         'QRYLOG'
 *        6    2 version       u16, 3
 *        8    8 logId         u64, random per file
 *       16    8 firstLsn      u64, LSN of the first record, also in the file's name
 *       24    4 reserved      0
 *       28    4 crc32         over [0, 28)
 *       32      records, one after the other; then zeros, or the end of the file
 * Version 1 has no record of type `script`, version 2 none with `changes`, no renamed dimension and no segment.
 *
 * Log record v1. Begins 8-aligned in the file.
 *   offset size field         meaning
 *        0    4 crc32         over [40, 40 + payloadBytes + padding), then [4, 40)
 *        4    4 payloadBytes  u32, at most RECORD_PAYLOAD_BYTES_MAX
 *        8    8 lsn           u64, previous + 1
 *       16    8 logId         u64, as in the file header: rejects bytes of an earlier use of the same disk space
 *       24    8 syncedLsn     u64, every record up to it was synced before this one was written
 *       32    4 sampleSum     u32, over the payload's four bytes at every 128th; see `sampleSum`
 *       36    4 checkpoint    u32, lsn minus the LSN of the durable manifest's checkpoint at the time of the write; 0 = unknown
 *       40    n payload       MessagePack
 *     40+n  0-7 padding       0, up to the next multiple of 8
 * `checkpoint` is 0 in records of earlier releases, before the first checkpoint, and where it does not fit in 32 bits.
 * Valid      crc32, logId and the expected lsn hold.
 * End        40 zero bytes (or the end of the file) where a record should begin.
 * Torn tail  a first bad record that no later valid one proves to have been synced by its syncedLsn, and that no
 *            single changed bit makes valid.
 * Corrupt    any other bad record.
 *
 * The checksum is CRC-32 as in zlib: node:zlib's crc32 processes 5 GB/s; CRC-32C has no native function, and
 * a loop over tables reaches a tenth of that. It spans the payload first, so that the payload's part is computed
 * when a record is appended, and only the header's part, which depends on the last sync, when the record is written.
 */
import { crc32 } from 'node:zlib';
import { invariant } from '../base/index.js';

export const LOG_FORMAT_VERSION = 3;
export const LOG_FILE_HEADER_BYTES = 32;
export const RECORD_HEADER_BYTES = 40;
export const RECORD_PAYLOAD_BYTES_MAX = 64 * 2 ** 20;

const MAGIC = Buffer.from('QRYLOG', 'latin1');
const ZEROS = new Uint8Array(8);
const SAMPLE_STEP_BYTES = 128;
const NOTHING = new Uint8Array(0);

export interface LogFileHeader {
  readonly version: number;
  readonly logId: bigint;
  readonly firstLsn: number;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function setLsn(view: DataView, offset: number, lsn: number): void {
  view.setUint32(offset, lsn % 2 ** 32, true);
  view.setUint32(offset + 4, Math.floor(lsn / 2 ** 32), true);
}

const getLsn = (view: DataView, offset: number): number =>
  view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;

export function encodeLogFileHeader(logId: bigint, firstLsn: number): Uint8Array {
  const bytes = new Uint8Array(LOG_FILE_HEADER_BYTES);
  const view = viewOf(bytes);
  bytes.set(MAGIC, 0);
  view.setUint16(6, LOG_FORMAT_VERSION, true);
  view.setBigUint64(8, logId, true);
  setLsn(view, 16, firstLsn);
  view.setUint32(28, crc32(bytes.subarray(0, 28)), true);
  return bytes;
}

/** Decodes the header of a log file of any version; returns a text with the reason when the bytes are not a header. */
export function decodeLogFileHeader(bytes: Uint8Array): LogFileHeader | string {
  if (bytes.byteLength < LOG_FILE_HEADER_BYTES) return `the file ends inside its header`;
  if (MAGIC.compare(bytes, 0, MAGIC.length) !== 0) return 'this is not a log file: its magic is not QRYLOG';
  const view = viewOf(bytes);
  if (crc32(bytes.subarray(0, 28)) !== view.getUint32(28, true)) return 'the file header fails its checksum';
  return { version: view.getUint16(6, true), logId: view.getBigUint64(8, true), firstLsn: getLsn(view, 16) };
}

/** Bytes of a whole frame: header, payload and padding; a multiple of 8. */
export const frameBytes = (payloadBytes: number): number =>
  RECORD_HEADER_BYTES + Math.ceil(payloadBytes / 8) * 8;

/**
 * Sum over four bytes of every 128. Only used when the checksum fails: a tear removes whole sectors and
 * so changes the sum, unlike the flip of a single bit. Without it, one torn record in 2^32 / bits (1 in 100 at
 * 5 MB) would by chance be valid after a change of one bit.
 */
function sampleSum(payload: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at + 4 <= payload.byteLength; at += SAMPLE_STEP_BYTES) {
    const word = payload[at] | (payload[at + 1] << 8) | (payload[at + 2] << 16) | (payload[at + 3] << 24);
    sum = (Math.imul(sum, 31) + word) | 0;
  }
  return sum >>> 0;
}

/** A payload with the parts of its frame that do not depend on the time of the write. */
export interface PreparedPayload {
  readonly payload: Uint8Array;
  readonly padding: Uint8Array;
  readonly crc: number;
  readonly sampleSum: number;
}

/** `payload` must stay unchanged until it is written. */
export function preparePayload(payload: Uint8Array): PreparedPayload {
  invariant(
    payload.byteLength <= RECORD_PAYLOAD_BYTES_MAX,
    `a record's payload has ${payload.byteLength} bytes, more than ${RECORD_PAYLOAD_BYTES_MAX}`,
  );
  const padding = payload.byteLength % 8 === 0 ? NOTHING : ZEROS.subarray(payload.byteLength % 8);
  const crc = crc32(padding, crc32(payload));
  return { payload, padding, crc, sampleSum: sampleSum(payload) };
}

/** The state of the log that the header of a record contains, at the time of the write. */
export interface RecordState {
  /** Every record up to this LSN was synced. */
  readonly syncedLsn: number;
  /** LSN of the checkpoint of the durable manifest; 0 = none. Below the record's own LSN. */
  readonly checkpointLsn: number;
}

/** The parts of one frame, to be written one after the other; the payload is not copied. */
export function frameRecord(
  prepared: PreparedPayload,
  lsn: number,
  logId: bigint,
  { syncedLsn, checkpointLsn }: RecordState,
): Uint8Array[] {
  invariant(checkpointLsn < lsn, `record ${lsn} cannot note a checkpoint at LSN ${checkpointLsn}`);
  const header = new Uint8Array(RECORD_HEADER_BYTES);
  const view = viewOf(header);
  view.setUint32(4, prepared.payload.byteLength, true);
  setLsn(view, 8, lsn);
  view.setBigUint64(16, logId, true);
  setLsn(view, 24, syncedLsn);
  view.setUint32(32, prepared.sampleSum, true);
  const distance = checkpointLsn === 0 ? 0 : lsn - checkpointLsn;
  view.setUint32(36, distance < 2 ** 32 ? distance : 0, true);
  view.setUint32(0, crc32(header.subarray(4), prepared.crc), true);
  const parts = [header, prepared.payload];
  if (prepared.padding.byteLength > 0) parts.push(prepared.padding);
  return parts;
}

export type Frame =
  | {
      readonly kind: 'ok';
      readonly lsn: number;
      readonly syncedLsn: number;
      /** LSN of the checkpoint that the record notes; 0 = none. */
      readonly checkpointLsn: number;
      /** A view of the bytes read. */
      readonly payload: Uint8Array;
      /** Offset of the next frame. */
      readonly next: number;
    }
  | { readonly kind: 'end' }
  | { readonly kind: 'bad'; readonly reason: string };

const bad = (reason: string): Frame => ({ kind: 'bad', reason });

/** Bytes of the frame that begins at `offset`; needs the first 8 bytes of its header. */
export function frameBytesAt(bytes: Uint8Array, offset: number): number {
  const at = offset + 4;
  const payloadBytes = bytes[at] + bytes[at + 1] * 2 ** 8 + bytes[at + 2] * 2 ** 16 + bytes[at + 3] * 2 ** 24;
  return frameBytes(payloadBytes);
}

/** Decodes and checks the frame that begins at `offset`; `bytes` must contain all of it, or end where the file ends. */
export function readFrame(bytes: Uint8Array, offset: number, lsn: number, logId: bigint): Frame {
  const left = bytes.byteLength - offset;
  if (left <= 0) return { kind: 'end' };
  if (left < RECORD_HEADER_BYTES) return bad('the file ends inside a record header');
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, RECORD_HEADER_BYTES);
  const payloadBytes = view.getUint32(4, true);
  const crc = view.getUint32(0, true);
  if (crc === 0 && payloadBytes === 0 && isZero(bytes, offset, offset + RECORD_HEADER_BYTES)) {
    return { kind: 'end' };
  }
  if (payloadBytes > RECORD_PAYLOAD_BYTES_MAX) {
    return bad(`it claims ${payloadBytes} bytes, more than a record may have`);
  }
  if (view.getBigUint64(16, true) !== logId) return bad('it has the id of another log file');
  const next = offset + frameBytes(payloadBytes);
  if (next > bytes.byteLength) return bad(`it claims ${payloadBytes} bytes, more than the file has`);
  const payloadCrc = crc32(bytes.subarray(offset + RECORD_HEADER_BYTES, next));
  if (crc32(bytes.subarray(offset + 4, offset + RECORD_HEADER_BYTES), payloadCrc) !== crc) {
    return bad('it fails its checksum');
  }
  if (getLsn(view, 8) !== lsn) return bad(`it has LSN ${getLsn(view, 8)} instead of ${lsn}`);
  const payload = bytes.subarray(offset + RECORD_HEADER_BYTES, offset + RECORD_HEADER_BYTES + payloadBytes);
  const distance = view.getUint32(36, true);
  const checkpointLsn = distance === 0 ? 0 : lsn - distance;
  return { kind: 'ok', lsn, syncedLsn: getLsn(view, 24), checkpointLsn, payload, next };
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}

/**
 * The first valid frame at or after `from` (other bytes may precede it) with an LSN above `lsn`; null when there is none.
 * `bytes` must begin at a multiple of 8 in its file.
 * Frames are found by the file's random id, which a payload contains only with a probability of 2^-64.
 */
export function findLaterFrame(
  bytes: Uint8Array,
  from: number,
  lsn: number,
  logId: bigint,
): {
  readonly offset: number;
  readonly lsn: number;
  readonly syncedLsn: number;
  readonly next: number;
} | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const view = viewOf(bytes);
  const needle = Buffer.alloc(8);
  needle.writeBigUInt64LE(logId);
  for (let at = buffer.indexOf(needle, from + 16); at !== -1; at = buffer.indexOf(needle, at + 1)) {
    const offset = at - 16;
    if (offset + RECORD_HEADER_BYTES > bytes.byteLength) return null;
    const found = getLsn(view, offset + 8);
    if (offset % 8 !== 0 || found <= lsn) continue;
    const frame = readFrame(bytes, offset, found, logId);
    if (frame.kind === 'ok') return { offset, lsn: found, syncedLsn: frame.syncedLsn, next: frame.next };
  }
  return null;
}

const POLYNOMIAL = 0xedb88320;

/**
 * The distance from the end (1 = the last bit) of the single bit whose change makes the CRC-32 of a text of at most
 * `bitsMax` bits differ by `syndrome`; 0 when no single bit does. CRCs are linear: a changed bit adds a
 * difference that depends only on its distance from the end, one shift of the register per bit.
 */
function bitDistance(syndrome: number, bitsMax: number): number {
  let register = 1;
  for (let distance = 1; distance <= bitsMax; distance++) {
    register = (register >>> 1) ^ (-(register & 1) & POLYNOMIAL);
    if (register === (syndrome | 0)) return distance;
  }
  return 0;
}

export interface BitFlip {
  /** Byte in `bytes`, and bit in it, 0 = least significant. */
  readonly offset: number;
  readonly bit: number;
}

/**
 * The single bit whose change makes the bad frame at `offset` a valid record, or null. `bytes` is modified during the
 * search and restored afterwards. Cost: O(bits of the frame), 1 to 2 ns each.
 */
export function findBitFlip(bytes: Uint8Array, offset: number, lsn: number, logId: bigint): BitFlip | null {
  if (bytes.byteLength - offset < RECORD_HEADER_BYTES) return null;
  const explains = (at: number, bit: number): boolean => {
    bytes[at] ^= 1 << bit;
    const frame = readFrame(bytes, offset, lsn, logId);
    const whole =
      frame.kind === 'ok' && viewOf(bytes).getUint32(offset + 32, true) === sampleSum(frame.payload);
    bytes[at] ^= 1 << bit;
    return whole;
  };
  // A flip in the length: the checksum then spans other bytes, so each bit of the length is tried.
  for (let bit = 0; bit < 32; bit++) {
    const at = offset + 4 + (bit >> 3);
    if (explains(at, bit & 7)) return { offset: at, bit: bit & 7 };
  }
  const end = offset + frameBytesAt(bytes, offset);
  if (end > bytes.byteLength) return null;
  const headerFrom = offset + 4;
  const payloadFrom = offset + RECORD_HEADER_BYTES;
  const crc = crc32(bytes.subarray(headerFrom, payloadFrom), crc32(bytes.subarray(payloadFrom, end)));
  const syndrome = (crc ^ viewOf(bytes).getUint32(offset, true)) >>> 0;
  if (syndrome === 0) return null;
  // A flip in the checksum itself.
  if ((syndrome & (syndrome - 1)) === 0) {
    const bit = 31 - Math.clz32(syndrome);
    const at = offset + (bit >> 3);
    return explains(at, bit & 7) ? { offset: at, bit: bit & 7 } : null;
  }
  // A flip in the bytes that the checksum spans: the payload with its padding, then the header after the checksum.
  const headerBytes = payloadFrom - headerFrom;
  const distance = bitDistance(syndrome, (headerBytes + end - payloadFrom) * 8);
  if (distance === 0) return null;
  const bytesBehind = (distance - 1) >>> 3;
  const bit = bytesBehind * 8 + 8 - distance;
  const at =
    bytesBehind < headerBytes ? payloadFrom - 1 - bytesBehind : end - 1 - (bytesBehind - headerBytes);
  return explains(at, bit) ? { offset: at, bit } : null;
}
