/**
 * Puts rows in partitions by the hash of their keys, in pages that stay in memory as far as the query has memory, and then go
 * to a file. Rows are collected until there are enough for pages of some hundred rows; then they are written, partition by
 * partition, as one block. Within a partition the rows keep their order.
 */
import { invariant, type Task } from '../../base/index.js';
import { GROUP_PARTITIONS, type PartitionedRows, partitionOf } from '../../ir/index.js';
import { hashRows, type SqlType, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { PageEncoder } from './page-codec.js';
import type { QuerySpill } from './query-spill.js';
import { RowBuffer } from './row-buffer.js';
import { PAGE_HEAD_BYTES, type SpillFile, sealPage } from './spill-file.js';

/** Rows per page for which partitions are planned. */
const PAGE_ROWS = 128;
const PARTITIONS_MIN = 16;
/** Partitions that are encoded before other work may run. */
const ENCODED_PARTITIONS = 16;

export interface RowLayout {
  readonly types: readonly SqlType[];
  /** The indexes of the key columns. */
  readonly keys: readonly number[];
  /** See hashRows. */
  readonly block: number;
}

interface Page {
  readonly partition: number;
  readonly block: number;
  readonly position: number;
  readonly byteCount: number;
  readonly rowCount: number;
}

export class RowPartitions {
  readonly partitionCount: number;
  readonly #layout: RowLayout;
  readonly #depth: number;
  readonly #spill: QuerySpill;
  readonly #buffer: RowBuffer;
  /** The memory of the blocks. */
  readonly #stored: QueryRun;
  /** Blocks stay in memory while so many bytes are free. */
  readonly #freeBytesMin: number;
  readonly #encoder = new PageEncoder();
  readonly #pages: Page[] = [];
  readonly #memory: (Uint8Array | null)[] = [];
  readonly #rowCounts: Float64Array;
  #file: SpillFile | null = null;
  #rowCount = 0;

  /** `depth`: see partitionOf. `partitionCount`: by default as many as pages are planned for. The run must be able to spill. `release` must be called at the end. Throws 9006. */
  constructor(layout: RowLayout, depth: number, run: QueryRun, partitionCount: number | null = null) {
    invariant(run.spill !== null, 'rows are partitioned by a query that can spill');
    this.#layout = layout;
    this.#depth = depth;
    this.#spill = run.spill;
    this.#buffer = new RowBuffer(layout.types, run);
    this.#stored = run.child();
    const isForced = run.spill.shareBytesMax < run.limitBytes;
    this.#freeBytesMin = isForced ? Number.POSITIVE_INFINITY : run.limitBytes / 2;
    const bits = Math.floor(Math.log2(this.#buffer.rowsMax / PAGE_ROWS));
    this.partitionCount = partitionCount ?? Math.max(PARTITIONS_MIN, Math.min(GROUP_PARTITIONS, 2 ** bits));
    this.#rowCounts = new Float64Array(this.partitionCount);
  }

  /** Adds the first `count` of `rows` of vectors, one per column. Throws 189, 9002, 9005, 9006. */
  *add(vectors: readonly Vector[], rows: Uint32Array, count: number): Task<void> {
    if (this.#buffer.add(vectors, rows, count)) yield* this.#flush();
  }

  /** Writes the collected rows as a block. */
  *#flush(): Task<void> {
    if (this.#buffer.count === 0) return;
    this.#stored.check();
    const { count, vectors } = this.#buffer.take();
    const { keys, block: hashBlock } = this.#layout;
    const hashes = new Uint32Array(count);
    hashRows(
      keys.map((key) => vectors[key]),
      count,
      hashes,
      hashBlock,
    );
    yield;
    const { order, starts } = partitionOrder(hashes, this.partitionCount, this.#depth);
    const pages: (readonly [partition: number, start: number, end: number, rows: number])[] = [];
    this.#encoder.clear();
    for (let partition = 0; partition < this.partitionCount; partition++) {
      const end = starts[partition + 1];
      this.#rowCounts[partition] += end - starts[partition];
      for (let from = starts[partition]; from < end; from += BATCH_ROWS_MAX) {
        const to = Math.min(end, from + BATCH_ROWS_MAX);
        const [start, stop] = this.#encoder.add(vectors, order, from, to, PAGE_HEAD_BYTES);
        pages.push([partition, start, stop, to - from]);
      }
      if (partition % ENCODED_PARTITIONS === ENCODED_PARTITIONS - 1) yield;
    }
    this.#encoder.forget();
    this.#rowCount += count;
    const first = this.#store(pages);
    const block = this.#memory.length - 1;
    for (const [partition, start, stop, rowCount] of pages) {
      this.#pages.push({ partition, block, position: first + start, byteCount: stop - start, rowCount });
    }
  }

  /** Stores the encoded pages as a block and returns its offset in the file, or 0. */
  #store(pages: readonly (readonly [number, number, number, number])[]): number {
    const { bytes } = this.#encoder;
    if (
      this.#stored.freeBytes - bytes.length >= this.#freeBytesMin &&
      this.#stored.tryReserve(bytes.length)
    ) {
      const block = new Uint8Array(new SharedArrayBuffer(bytes.length));
      block.set(bytes);
      this.#memory.push(block);
      return 0;
    }
    if (this.#file === null) {
      this.#file = this.#spill.createFile();
      this.#spill.total.partitionCount += this.partitionCount;
    }
    const { end, fileId } = this.#file;
    for (const [, start, stop, rowCount] of pages) {
      sealPage(bytes.subarray(start, stop), fileId.id, end + start, rowCount);
    }
    this.#file.append(bytes);
    this.#spill.total.bytes += bytes.length;
    this.#memory.push(null);
    return end;
  }

  /** All rows; no more may be added. The memory of their pages stays reserved until `release`. Throws as `add` does. */
  *finish(): Task<PartitionedRows> {
    yield* this.#flush();
    this.#buffer.release();
    const count = this.#pages.length;
    const starts = new Uint32Array(this.partitionCount + 1);
    for (const { partition } of this.#pages) starts[partition + 1]++;
    for (let partition = 0; partition < this.partitionCount; partition++)
      starts[partition + 1] += starts[partition];
    const rows = {
      blocks: new Uint32Array(count),
      positions: new Float64Array(count),
      byteCounts: new Uint32Array(count),
      pageRows: new Uint32Array(count),
    };
    const next = starts.slice();
    for (const { partition, block, position, byteCount, rowCount } of this.#pages) {
      const at = next[partition]++;
      rows.blocks[at] = block;
      rows.positions[at] = position;
      rows.byteCounts[at] = byteCount;
      rows.pageRows[at] = rowCount;
    }
    const { partitionCount } = this;
    return {
      ...{ partitionCount, rowCount: this.#rowCount, rowCounts: this.#rowCounts, starts, ...rows },
      ...{ memory: this.#memory, file: this.#file?.fileId ?? null },
    };
  }

  /** Releases the rows; may be called repeatedly. */
  release(): void {
    this.#file?.close();
    this.#buffer.release();
    this.#stored.releaseAll();
  }
}

/** The rows of each partition, in their order: those of partition p are order[starts[p], starts[p + 1]). */
function partitionOrder(
  hashes: Uint32Array,
  partitionCount: number,
  depth: number,
): { readonly order: Uint32Array; readonly starts: Uint32Array } {
  const starts = new Uint32Array(partitionCount + 1);
  for (let row = 0; row < hashes.length; row++) starts[partitionOf(hashes[row], partitionCount, depth) + 1]++;
  for (let partition = 0; partition < partitionCount; partition++) starts[partition + 1] += starts[partition];
  const next = starts.slice();
  const order = new Uint32Array(hashes.length);
  for (let row = 0; row < hashes.length; row++) {
    order[next[partitionOf(hashes[row], partitionCount, depth)]++] = row;
  }
  return { order, starts };
}
