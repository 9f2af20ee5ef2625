/**
 * The file of a snapshot with the deduplication table (the writes with an Idempotency-Key), in parts (part-file.ts) of at most
 * ENTRIES_PER_PART entries. The payload of a part is plain MessagePack: a list of [id, bodyHash, timeMs, lsn, answer].
 */
import { Packr } from 'msgpackr';
import { filePart, type PartFileKind, partFileHead, partsOfFile } from './part-file.js';
import type { RecordIdempotency } from './record-payload.js';

export const DEDUPLICATION_MAGIC = 'QRYONC';
export const DEDUPLICATION_VERSION = 1;
export const ENTRIES_PER_PART = 4_096;
const KIND: PartFileKind = {
  magic: DEDUPLICATION_MAGIC,
  version: DEDUPLICATION_VERSION,
  title: 'list of idempotent writes',
};

export interface DeduplicationEntry extends RecordIdempotency {
  /** Milliseconds since 1970-01-01. */
  readonly timeMs: number;
  /** LSN of the write's record. */
  readonly lsn: number;
  /** The numbers in the answer to the write. */
  readonly answer: readonly number[];
}

const packr = new Packr({ useRecords: false });

export const deduplicationFileHead = (): Uint8Array => partFileHead(KIND);

export function encodeDeduplicationPart(entries: readonly DeduplicationEntry[]): Uint8Array {
  return filePart(
    packr.pack(entries.map(({ id, bodyHash, timeMs, lsn, answer }) => [id, bodyHash, timeMs, lsn, answer])),
  );
}

/** Decodes `bytes`, the whole content of `file`, part by part. Throws CorruptionError and NewerFormatError. */
export function* decodeDeduplicationFile(
  bytes: Uint8Array,
  file: string,
): Generator<readonly DeduplicationEntry[]> {
  for (const payload of partsOfFile(bytes, file, KIND)) {
    yield (packr.unpack(payload) as [string, string, number, number, number[]][]).map(
      ([id, bodyHash, timeMs, lsn, answer]) => ({ id, bodyHash, timeMs, lsn, answer }),
    );
  }
}
