/**
 * Rows as a block of bytes (blocks.ts): an array of rowCount and columnCount, then the columns (column-bytes.ts).
 */
import { BlockReader, BlockWriter, checkBlock } from './blocks.js';
import { COLUMN_HEAD_BYTES, readColumn, writeColumn } from './column-bytes.js';
import type { WireVector } from './wire.js';

const MAGIC = 0x42_52_51_01;

/** Rows of a sender. */
export interface RowsOfColumns {
  readonly count: number;
  readonly columns: readonly WireVector[];
}

/** The bytes of the rows, in memory of their own. Throws 9006 if they take 4 GiB or more. */
export function bytesOfRows({ count, columns }: RowsOfColumns): Uint8Array<ArrayBuffer> {
  const writer = new BlockWriter();
  writer.add(Uint32Array.of(count, columns.length));
  for (const column of columns) writeColumn(writer, column, count);
  return writer.finish(MAGIC);
}

/**
 * The rows of `bytesOfRows`; the arrays are views of the bytes if these start at a multiple of 8, else of a copy.
 * No value of another thread or machine is trusted: throws a BlockError unless checksum, sizes and values are right.
 */
export function rowsOfBytes(bytes: Uint8Array<ArrayBufferLike>): RowsOfColumns {
  const reader = new BlockReader(bytes, MAGIC);
  const [count, columnCount] = reader.array(Uint32Array, 2);
  checkBlock(columnCount <= reader.restBytes / COLUMN_HEAD_BYTES, `${columnCount} columns`);
  const columns = Array.from({ length: columnCount }, () => readColumn(reader, count));
  reader.end();
  return { count, columns };
}
