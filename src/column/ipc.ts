/**
 * Snapshot files: plain Arrow IPC files (metadata V5) whose buffers are LZ4 frames, readable by any Arrow library.
 * Invariants: one record batch a file; one dictionary batch per dictionary-coded column, ids from 0 in column
 * order; every field is nullable, so that all files of one column share a schema; the bytes depend on the
 * columns alone. The file carries no checksum of its own: the manifest keeps a CRC of all of it.
 *
 * Layout. Little-endian; offsets and sizes in bytes; every message and buffer starts 8-aligned.
 *   offset size field
 *        0    8 magic ARROW1, two zero bytes
 *        8    - schema message, then the dictionary batches, then the record batch; each message:
 *                 u32 0xffffffff | u32 metadata length m, padded to 8 | m flatbuffers metadata | body
 *               a body is its buffers one behind the other, each:
 *                 i64 length before compression, or -1: stored as it is | LZ4 frame or the stored bytes | padding
 *               a buffer of no bytes takes none, and has no length before it
 *        -    8 end of messages: u32 0xffffffff | u32 0
 *        -    f footer: flatbuffers; the schema again and the places of the messages
 *  end - 10   4 f
 *  end - 6    6 magic ARROW1
 */
import type { ArrowTable, Lz4 } from './arrow-column.js';
import { buffersOf, planFile } from './ipc-plan.js';
import { readArrowFile } from './ipc-read.js';
import { assembleFile } from './ipc-write.js';

/** The file's bytes, compressed beside the calling thread: the columns must not change until it resolves. */
export async function encodeArrowFile(table: ArrowTable, lz4: Lz4): Promise<Uint8Array> {
  const plan = planFile(table);
  return assembleFile(plan, await Promise.all(buffersOf(plan).map((buffer) => lz4.compress(buffer))));
}

/** The same bytes at once, on the calling thread. */
export function encodeArrowFileSync(table: ArrowTable, lz4: Lz4): Uint8Array {
  const plan = planFile(table);
  return assembleFile(plan, buffersOf(plan).map(lz4.compressSync));
}

/**
 * The columns of a file that `encodeArrowFile` wrote. They may be views of `bytes`, which must not change as long
 * as they are used. Throws a CorruptionError that names `file` when the structure is damaged or of another form;
 * damage inside values, offsets or codes is for the CRC to find, which the caller checks first.
 */
export function decodeArrowFile(bytes: Uint8Array, lz4: Lz4, file: string): ArrowTable {
  return readArrowFile(bytes, lz4, file);
}
