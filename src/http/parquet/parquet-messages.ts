/**
 * A Parquet file -> messages of an Arrow IPC stream, a record batch at a time; the only file of the server that uses parquet-wasm.
 * Invariants: the same file gives the same record batches, whatever the limits of the server: an inserted part of a body that is sent again is
 * known by its number and bytes. A record batch has rows of one row group and, unless it has at most BATCH_ROWS_MIN of them, at most
 * BATCH_BYTES_MAX bytes.
 */
import { initSync, ParquetFile } from 'parquet-wasm/esm';
import { arrowMessageAt } from '../../ingest/index.js';
import { PAGE_BYTES, withMemoryLimit } from './limited-module.js';

/** Limits of a file, so that neither the rows of a small one nor its answer are too many. */
export const PARQUET_ROWS_MAX = 2 ** 24;
const BATCHES_MAX = 4_000;

/** Rows of a record batch. Many writers make row groups of BATCH_ROWS_MAX rows. */
export const BATCH_ROWS_MAX = 122_880;
const BATCH_ROWS_MIN = 1_024;
/** A server with a memory limit of 256 MiB takes record batches of this size. */
export const BATCH_BYTES_MAX = 8 * 2 ** 20;

/** A file that is valid, but too large. */
export class TooLarge extends Error {}

/** The part of Blob that the package calls. */
class FileRange {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  slice(from = 0, to = this.size): FileRange {
    if (!(from >= 0 && from <= to && to <= this.size))
      throw new Error(`it refers to bytes ${from} to ${to} of ${this.size}`);
    return new FileRange(this.#bytes.subarray(from, to));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer;
  }
}

interface WasmBatch {
  readonly numRows: number;
  /** Frees the batch. */
  intoIPCStream(): Uint8Array;
}

interface RowGroup {
  readonly index: number;
  readonly rowCount: number;
}

/** Loads the package with at most `memoryBytesMax` of memory. `code`: its WebAssembly. To be called once in a thread. */
export function loadPackage(code: Uint8Array, memoryBytesMax: number): void {
  initSync({ module: withMemoryLimit(code, Math.floor(memoryBytesMax / PAGE_BYTES)) });
}

/**
 * Yields the messages of one record batch after the other, the first behind the schema; of a file without rows the schema. Rejects with
 * TooLarge, and with other Errors for a damaged file.
 */
export async function* parquetMessages(file: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const parquet = await ParquetFile.fromFile(new FileRange(file) as unknown as Blob);
  const groups = rowGroupsOf(parquet);
  const size = new BatchSize();
  if (groups.length > 0) await size.measure(parquet, groups[0]);
  let count = 0;
  for (const group of groups) {
    for await (const stream of batchStreams(parquet, group, size)) {
      yield messagesIn(stream, count === 0);
      if (++count > BATCHES_MAX) throw new TooLarge(`it has more than ${BATCHES_MAX} parts`);
    }
  }
  if (count === 0) yield messagesIn(parquet.schema().intoIPCStream(), true);
}

/** The row groups that have rows. */
function rowGroupsOf(parquet: ParquetFile): readonly RowGroup[] {
  const metadata = parquet.metadata();
  const groups = Array.from({ length: metadata.numRowGroups() }, (_, index) => ({
    index,
    rowCount: metadata.rowGroup(index).numRows(),
  }));
  if (!groups.every(({ rowCount }) => Number.isSafeInteger(rowCount) && rowCount >= 0))
    throw new Error('a row group has no valid number of rows');
  const rowCount = groups.reduce((sum, group) => sum + group.rowCount, 0);
  if (rowCount > PARQUET_ROWS_MAX)
    throw new TooLarge(`it has ${rowCount} rows, and at most ${PARQUET_ROWS_MAX} are taken`);
  return groups.filter((group) => group.rowCount > 0);
}

/** The number of rows of the record batches that are read next. */
class BatchSize {
  rowsMax = BATCH_ROWS_MIN;

  /** Chooses the number by the first rows of `group`: half the limit, because later rows may be longer. */
  async measure(parquet: ParquetFile, group: RowGroup): Promise<void> {
    for await (const { numRows, bytes } of read(parquet, group, 0, BATCH_ROWS_MIN)) {
      const rows = Math.floor((BATCH_BYTES_MAX / 2 / bytes.length) * numRows);
      this.rowsMax = Math.min(BATCH_ROWS_MAX, Math.max(BATCH_ROWS_MIN, rows));
      return;
    }
  }

  /** Whether a batch of so many bytes is to be read again in smaller ones. */
  shrinks(bytes: number): boolean {
    if (bytes <= BATCH_BYTES_MAX || this.rowsMax === BATCH_ROWS_MIN) return false;
    this.rowsMax = Math.max(BATCH_ROWS_MIN, this.rowsMax >> 2);
    return true;
  }
}

/** The record batches of a row group, each as a stream of its own. */
async function* batchStreams(
  parquet: ParquetFile,
  group: RowGroup,
  size: BatchSize,
): AsyncGenerator<Uint8Array> {
  for (let row = 0, isRead = false; !isRead; ) {
    isRead = true;
    for await (const { numRows, bytes } of read(parquet, group, row, size.rowsMax)) {
      if (size.shrinks(bytes.length)) {
        isRead = false;
        break;
      }
      row += numRows;
      yield bytes;
    }
    if (isRead && row !== group.rowCount)
      throw new Error(`row group ${group.index + 1} has ${row} rows instead of ${group.rowCount}`);
  }
}

/** Reads a row group from row `offset` on, in batches of `batchSize` rows. */
async function* read(
  parquet: ParquetFile,
  { index }: RowGroup,
  offset: number,
  batchSize: number,
): AsyncGenerator<{ readonly numRows: number; readonly bytes: Uint8Array }> {
  const stream = (await parquet.stream({
    rowGroups: [index],
    batchSize,
    offset,
  })) as unknown as AsyncIterable<WasmBatch>;
  for await (const batch of stream) {
    const { numRows } = batch;
    yield { numRows, bytes: batch.intoIPCStream() };
  }
}

/** Copies the messages of a stream, without its end and, unless `withSchema`, without the schema. */
function messagesIn(stream: Uint8Array, withSchema: boolean): Uint8Array<ArrayBuffer> {
  let from = 0;
  for (let at = 0; ; ) {
    const message = arrowMessageAt(stream, at);
    if (message === null || message === 'end') return stream.slice(from, at) as Uint8Array<ArrayBuffer>;
    at = message.bodyAt + message.bodyBytes;
    if (message.kind === 'schema' && !withSchema) from = at;
  }
}
