/**
 * Files of a snapshot that hold a list, in parts, so that neither writing nor reading blocks the thread for long.
 * Invariant: a file is written whole and synced before a manifest names it, so an invalid file is corrupt.
 *
 * Little-endian; offsets and sizes in bytes.
 *   offset size field         meaning
 *        0    6 magic
 *        6    2 version       u16
 *        8    4 crc32         CRC-32 (zlib) over [0, 8)
 *   then parts, each:
 *        0    4 crc32         CRC-32 (zlib) over [4, 8 + payloadBytes) of the part
 *        4    4 payloadBytes  u32
 *        8    n payload       as the kind of the file says
 * Corrupt  wrong magic, or a part that extends beyond the file or fails its CRC: refuse to open, change nothing.
 */
import { crc32 } from 'node:zlib';
import { CorruptionError, NewerFormatError } from '../base/index.js';

const HEAD_BYTES = 12;
const VERSION_AT = 6;
const HEAD_CRC_AT = 8;
const PART_HEAD_BYTES = 8;

/** A kind of file. */
export interface PartFileKind {
  /** Six characters. */
  readonly magic: string;
  readonly version: number;
  /** What a message calls it. */
  readonly title: string;
}

export function partFileHead({ magic, version }: PartFileKind): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  head.set(new TextEncoder().encode(magic));
  const view = new DataView(head.buffer);
  view.setUint16(VERSION_AT, version, true);
  view.setUint32(HEAD_CRC_AT, crc32(head.subarray(0, HEAD_CRC_AT)), true);
  return head;
}

/** A part with a copy of `payload`. */
export function filePart(payload: Uint8Array): Uint8Array {
  const part = new Uint8Array(PART_HEAD_BYTES + payload.length);
  const view = new DataView(part.buffer);
  view.setUint32(4, payload.length, true);
  part.set(payload, PART_HEAD_BYTES);
  view.setUint32(0, crc32(part.subarray(4)), true);
  return part;
}

/** The payloads of `bytes`, the whole content of `file`, as views. Throws CorruptionError and NewerFormatError. */
export function* partsOfFile(bytes: Uint8Array, file: string, kind: PartFileKind): Generator<Uint8Array> {
  checkHead(bytes, file, kind);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = HEAD_BYTES; at < bytes.length; ) {
    const head = at + PART_HEAD_BYTES;
    if (head > bytes.length) throw new CorruptionError(file, at, 'the file ends inside the head of a part');
    const end = head + view.getUint32(at + 4, true);
    if (end > bytes.length) throw new CorruptionError(file, at, 'the file ends inside a part');
    if (view.getUint32(at, true) !== crc32(bytes.subarray(at + 4, end))) {
      throw new CorruptionError(file, at, 'a part fails its checksum');
    }
    yield bytes.subarray(head, end);
    at = end;
  }
}

function checkHead(bytes: Uint8Array, file: string, kind: PartFileKind): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD_BYTES)
    throw new CorruptionError(file, bytes.length, 'the file ends inside its head');
  const magic = String.fromCharCode(...bytes.subarray(0, VERSION_AT));
  if (magic !== kind.magic) throw new CorruptionError(file, 0, `its magic is not ${kind.magic}`);
  if (view.getUint32(HEAD_CRC_AT, true) !== crc32(bytes.subarray(0, HEAD_CRC_AT))) {
    throw new CorruptionError(file, HEAD_CRC_AT, 'its head fails its checksum');
  }
  const version = view.getUint16(VERSION_AT, true);
  if (version > kind.version) throw new NewerFormatError(file, kind.title, version, kind.version);
  if (version !== kind.version) {
    throw new CorruptionError(file, VERSION_AT, `format version ${version} is unknown`);
  }
}
