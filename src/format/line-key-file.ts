/**
 * The file of a snapshot with the keys of lines that were inserted, in parts (part-file.ts). The payload of a part has entries of
 * LINE_KEY_ENTRY_BYTES, oldest first:
 *   offset size field    meaning
 *        0   16 key      see base/line-key.ts
 *       16    4 seconds  u32, little-endian: time of the record since 1970-01-01
 */
import { CorruptionError } from '../base/index.js';
import { filePart, type PartFileKind, partFileHead, partsOfFile } from './part-file.js';

export const LINE_KEY_ENTRY_BYTES = 20;
export const LINE_KEY_MAGIC = 'QRYKEY';
export const LINE_KEY_VERSION = 1;
const KIND: PartFileKind = { magic: LINE_KEY_MAGIC, version: LINE_KEY_VERSION, title: 'list of line keys' };

export const lineKeyFileHead = (): Uint8Array => partFileHead(KIND);

export const encodeLineKeyPart = filePart;

/** The entries of `bytes`, the whole content of `file`, as views. Throws CorruptionError and NewerFormatError. */
export function* decodeLineKeyFile(bytes: Uint8Array, file: string): Generator<Uint8Array> {
  for (const payload of partsOfFile(bytes, file, KIND)) {
    if (payload.length % LINE_KEY_ENTRY_BYTES !== 0) {
      const offset = payload.byteOffset - bytes.byteOffset;
      throw new CorruptionError(file, offset, 'a part has no whole number of entries');
    }
    yield payload;
  }
}
