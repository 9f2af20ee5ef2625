/** Rows in the order in which they were added, in a file that any thread of the process reads while it is open. */
import type { RowsPage } from '../../protocol/index.js';
import type { Vector, VectorKind } from '../../vector/index.js';
import { decodePage, PageEncoder } from './page-codec.js';
import type { QuerySpill } from './query-spill.js';
import { PAGE_HEAD_BYTES, readPage, type SpillFile, sealPage } from './spill-file.js';

const PAGE_ROWS = 4_096;

export class RowFile {
  readonly #spill: QuerySpill;
  readonly #file: SpillFile;
  readonly #encoder = new PageEncoder();

  /** `close` must be called at the end. Throws 189, 9002. */
  constructor(spill: QuerySpill) {
    this.#spill = spill;
    this.#file = spill.createFile();
  }

  /** Appends `count` rows of vectors, one per column. Throws 189, 9002, 9006. */
  add(vectors: readonly Vector[], count: number): RowsPage[] {
    const { end: position, fileId } = this.#file;
    const rows = Uint32Array.from({ length: count }, (_, row) => row);
    const pages: RowsPage[] = [];
    this.#encoder.clear();
    for (let from = 0; from < count; from += PAGE_ROWS) {
      const to = Math.min(count, from + PAGE_ROWS);
      const [start, end] = this.#encoder.add(vectors, rows, from, to, PAGE_HEAD_BYTES);
      const page = { file: fileId, position: position + start, byteCount: end - start, rowCount: to - from };
      sealPage(this.#encoder.bytes.subarray(start, end), fileId.id, page.position, page.rowCount);
      pages.push(page);
    }
    this.#encoder.forget();
    const { bytes } = this.#encoder;
    this.#file.append(bytes);
    this.#spill.total.bytes += bytes.length;
    return pages;
  }

  /** Closes and removes the file; may be called repeatedly. */
  close(): void {
    this.#file.close();
  }
}

/** The rows of a page, one vector per kind. Throws 189. */
export function readRows(page: RowsPage, kinds: readonly VectorKind[], spill: QuerySpill): Vector[] {
  const { file, rowCount } = page;
  return decodePage(readPage(spill.readerOf(file.handle), file.id, page), kinds, rowCount);
}
