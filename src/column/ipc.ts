/**
 * Snapshot files: plain Arrow IPC files (metadata V5) whose buffers are LZ4 frames, readable by any Arrow library.
 * Invariants: one record batch per file; one dictionary batch per dictionary-coded column, with ids from 0 in column
 * order; every field is nullable, so that all files of a column have the same schema; the bytes depend only on the
 * columns. The file has no checksum; the manifest stores a CRC of the whole file.
 *
 * Layout. Little-endian; offsets and sizes in bytes; every message and buffer starts 8-aligned.
 *   offset size field
 *        0    8 magic ARROW1, two zero bytes
 *        8    - schema message, then the dictionary batches, then the record batch; each message:
 *                 u32 0xffffffff | u32 metadata length m, padded to 8 | m flatbuffers metadata | body
 *               a body is the sequence of its buffers, each:
 *                 i64 uncompressed length, or -1 if stored uncompressed | LZ4 frame or the stored bytes | padding
 *               an empty buffer takes no bytes and has no length
 *        -    8 end of messages: u32 0xffffffff | u32 0
 *        -    f footer: flatbuffers; the schema again and the offsets of the messages
 *  end - 10   4 f
 *  end - 6    6 magic ARROW1
 */
import type { ArrowTable, Lz4 } from './arrow-column.js';
import { buffersOf, planFile } from './ipc-plan.js';
import { readArrowFile } from './ipc-read.js';
import { assembleFile } from './ipc-write.js';

/** Encodes a file and compresses it on other threads. The columns must not change until the promise resolves. */
export async function encodeArrowFile(table: ArrowTable, lz4: Lz4): Promise<Uint8Array> {
  const plan = planFile(table);
  return assembleFile(plan, await Promise.all(buffersOf(plan).map((buffer) => lz4.compress(buffer))));
}

/** Encodes the same bytes synchronously on the calling thread. */
export function encodeArrowFileSync(table: ArrowTable, lz4: Lz4): Uint8Array {
  const plan = planFile(table);
  return assembleFile(plan, buffersOf(plan).map(lz4.compressSync));
}

/**
 * Decodes a file written by `encodeArrowFile`. The columns may be views of `bytes`, which must not change while they are in
 * use. Throws a CorruptionError that names `file` when the structure is damaged or unexpected. Damage inside values, offsets
 * or codes is detected by the CRC, which the caller checks first.
 */
export function decodeArrowFile(bytes: Uint8Array, lz4: Lz4, file: string): ArrowTable {
  return readArrowFile(bytes, lz4, file);
}
