/** Reads the pages of partitions. */
import type { PartitionedRows } from '../../ir/index.js';
import type { Vector, VectorKind } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { decodePage } from './page-codec.js';
import { PAGE_HEAD_BYTES, readPage } from './spill-file.js';

export interface RowPage {
  readonly count: number;
  /** One per column; the vectors may be views of the page. */
  readonly vectors: readonly Vector[];
}

/**
 * The rows of partitions [from, to), page by page, in the order of partitions. `kinds`: those of the columns. Throws 189,
 * 9005.
 */
export function* pagesOf(
  rows: PartitionedRows,
  from: number,
  to: number,
  kinds: readonly VectorKind[],
  run: QueryRun,
): Generator<RowPage, undefined> {
  const { starts, blocks, positions, byteCounts, pageRows, memory, file } = rows;
  const reader = file === null ? null : (run.spill?.readerOf(file.handle) ?? null);
  for (let page = starts[from]; page < starts[to]; page++) {
    run.check();
    const [position, byteCount, count] = [positions[page], byteCounts[page], pageRows[page]];
    const block = memory[blocks[page]];
    let payload: Uint8Array;
    if (block !== null) payload = block.subarray(position + PAGE_HEAD_BYTES, position + byteCount);
    else if (reader !== null && file !== null) {
      payload = readPage(reader, file.id, { position, byteCount, rowCount: count });
    } else throw new Error('a page without a block is in a file');
    yield { count, vectors: decodePage(payload, kinds, count) };
  }
}
