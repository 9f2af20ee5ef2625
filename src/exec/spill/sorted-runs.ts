/**
 * Sorts more rows than memory can have: rows are sorted as far as the memory suffices and written as runs, which are then
 * merged. Rows whose keys are equal keep their order.
 * Cost  each row is written and read once, and once more for each further pass if there are more runs than pages of them fit
 *       in memory at the same time.
 */
import { invariant, type Task } from '../../base/index.js';
import {
  compareRows,
  rowsInOrder,
  type SqlType,
  sortWords,
  type Vector,
  type VectorKind,
  vectorKindOf,
} from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { gatherPages } from './gather-pages.js';
import { decodePage, PageEncoder } from './page-codec.js';
import type { RowPage } from './partition-pages.js';
import { RowBuffer } from './row-buffer.js';
import { PAGE_HEAD_BYTES, type PageLocation, readPage, type SpillFile, sealPage } from './spill-file.js';

const PAGE_ROWS = 1_024;
/** Bytes of decoded rows per byte of their page. */
const DECODED_FACTOR = 4;
/** The pages that are merged take this part of the free memory. */
const PAGES_PART = 3;
const FAN_IN_MIN = 2;
const FAN_IN_MAX = 512;

export interface RunKey {
  /** The index of the column. */
  readonly column: number;
  readonly descending: boolean;
  readonly missingFirst: boolean;
}

type Run = readonly PageLocation[];

export class SortedRuns {
  readonly #kinds: readonly VectorKind[];
  readonly #keys: readonly RunKey[];
  readonly #run: QueryRun;
  readonly #memory: QueryRun;
  readonly #buffer: RowBuffer;
  readonly #encoder = new PageEncoder();
  #file: SpillFile | null = null;
  #runs: Run[] = [];
  #pages: PageLocation[] = [];
  #pageBytesMax = 1;

  /** `release` must be called at the end. Throws 9006. */
  constructor(types: readonly SqlType[], keys: readonly RunKey[], run: QueryRun) {
    this.#kinds = types.map(vectorKindOf);
    this.#keys = keys;
    this.#run = run;
    this.#memory = run.child();
    this.#buffer = new RowBuffer(types, run);
  }

  /** Adds the first `count` of `rows` of vectors, one per column. Throws 189, 9002, 9005, 9006. */
  *add(vectors: readonly Vector[], rows: Uint32Array, count: number): Task<void> {
    if (this.#buffer.add(vectors, rows, count)) yield* this.#flush();
  }

  *#flush(): Task<void> {
    if (this.#buffer.count === 0) return;
    const { count, vectors } = this.#buffer.take();
    const keys = this.#keys.map((key) => ({ ...key, vector: vectors[key.column] }));
    const scratch = this.#memory.child();
    const words = yield* sortWords(keys, count, scratch);
    const order = yield* rowsInOrder(words, count, scratch);
    yield* this.#writeRows(vectors, order, count);
    this.#endRun();
    scratch.releaseAll();
  }

  *#writeRows(vectors: readonly Vector[], order: Uint32Array, count: number): Task<void> {
    for (let from = 0; from < count; from += PAGE_ROWS) {
      this.#memory.check();
      this.#writePage(vectors, order, from, Math.min(count, from + PAGE_ROWS));
      yield;
    }
    this.#encoder.forget();
  }

  #writePage(vectors: readonly Vector[], order: Uint32Array, from: number, to: number): void {
    const { spill } = this.#run;
    invariant(spill !== null, 'rows are sorted by a query that can spill');
    this.#file ??= spill.createFile();
    this.#encoder.clear();
    this.#encoder.add(vectors, order, from, to, PAGE_HEAD_BYTES);
    const { bytes } = this.#encoder;
    const position = this.#file.end;
    sealPage(bytes, this.#file.fileId.id, position, to - from);
    this.#file.append(bytes);
    spill.total.bytes += bytes.length;
    this.#pageBytesMax = Math.max(this.#pageBytesMax, bytes.length);
    this.#pages.push({ position, byteCount: bytes.length, rowCount: to - from });
  }

  #endRun(): void {
    this.#runs.push(this.#pages);
    if (this.#run.spill !== null) this.#run.spill.total.runCount++;
    this.#pages = [];
  }

  /** All rows in order, in pages; null = a step without rows. No more rows may be added. Throws as `add` does. */
  *merged(): Generator<RowPage | null, undefined> {
    yield* steps(this.#flush());
    this.#buffer.release();
    const fanIn = this.#fanIn();
    while (this.#runs.length > fanIn) yield* steps(this.#mergePass(fanIn));
    const file = this.#file;
    if (file !== null) yield* this.#merge(this.#runs, file);
    return undefined;
  }

  /** The number of runs that are merged at once. */
  #fanIn(): number {
    const runBytes = this.#pageBytesMax * DECODED_FACTOR;
    const wanted = Math.floor(this.#memory.freeBytes / PAGES_PART / runBytes);
    return Math.max(FAN_IN_MIN, Math.min(FAN_IN_MAX, wanted));
  }

  /** Merges runs into fewer ones, in another file. */
  *#mergePass(fanIn: number): Task<void> {
    const [runs, before] = [this.#runs, this.#file as SpillFile];
    this.#runs = [];
    this.#file = null;
    try {
      for (let from = 0; from < runs.length; from += fanIn) {
        for (const page of this.#merge(runs.slice(from, from + fanIn), before)) {
          if (page !== null) this.#writePage(page.vectors, IDENTITY, 0, page.count);
          yield;
        }
        this.#encoder.forget();
        this.#endRun();
      }
    } finally {
      before.close();
    }
  }

  *#merge(runs: readonly Run[], file: SpillFile): Generator<RowPage | null, undefined> {
    const memory = this.#memory.child();
    memory.reserve(runs.length * this.#pageBytesMax * DECODED_FACTOR);
    const cursors = runs.map(
      (run) =>
        new RunCursor(run, (page) =>
          decodePage(readPage(file.reader, file.fileId.id, page), this.#kinds, page.rowCount),
        ),
    );
    const merge = new RunMerge(cursors, this.#keys, this.#kinds);
    try {
      for (let page = merge.next(PAGE_ROWS); page !== null; page = merge.next(PAGE_ROWS)) {
        this.#memory.check();
        yield page;
      }
    } finally {
      memory.releaseAll();
    }
    return undefined;
  }

  /** Releases the file and all memory; may be called repeatedly. */
  release(): void {
    this.#file?.close();
    this.#file = null;
    this.#buffer.release();
    this.#memory.releaseAll();
  }
}

const IDENTITY = Uint32Array.from({ length: PAGE_ROWS }, (_, row) => row);

function* steps(task: Task<void>): Generator<null, void> {
  while (task.next().done !== true) yield null;
}

/** The next row of a run. */
class RunCursor {
  readonly #run: Run;
  readonly #read: (page: PageLocation) => readonly Vector[];
  #next = 0;
  vectors: readonly Vector[] = [];
  count = 0;
  row = 0;

  /** A run has at least one page. */
  constructor(run: Run, read: (page: PageLocation) => readonly Vector[]) {
    this.#run = run;
    this.#read = read;
    this.nextPage();
  }

  /** Reads the next page; returns false if there is none. */
  nextPage(): boolean {
    if (this.#next === this.#run.length) return false;
    const page = this.#run[this.#next++];
    this.vectors = this.#read(page);
    this.count = page.rowCount;
    this.row = 0;
    return true;
  }
}

/** Merges runs. The cursors are a heap by their next rows; of equal rows, that of the earlier run is first. */
class RunMerge {
  readonly #cursors: readonly RunCursor[];
  readonly #keys: readonly RunKey[];
  readonly #kinds: readonly VectorKind[];
  readonly #heap: number[];
  #size: number;

  constructor(cursors: readonly RunCursor[], keys: readonly RunKey[], kinds: readonly VectorKind[]) {
    this.#cursors = cursors;
    this.#keys = keys;
    this.#kinds = kinds;
    this.#heap = cursors.map((_, index) => index);
    this.#size = cursors.length;
    for (let at = this.#size >> 1; at >= 0; at--) this.#sink(at);
  }

  /** The next rows, at most `rowsMax`; null = there are none. */
  next(rowsMax: number): RowPage | null {
    if (this.#size === 0) return null;
    const pages: (readonly Vector[])[] = this.#cursors.map(({ vectors }) => vectors);
    const pageOf = this.#cursors.map((_, index) => index);
    const sources = new Uint32Array(rowsMax);
    const rows = new Uint32Array(rowsMax);
    let count = 0;
    while (count < rowsMax && this.#size > 0) {
      const index = this.#heap[0];
      const cursor = this.#cursors[index];
      sources[count] = pageOf[index];
      rows[count++] = cursor.row++;
      if (cursor.row === cursor.count) {
        if (cursor.nextPage()) pageOf[index] = pages.push(cursor.vectors) - 1;
        else this.#heap[0] = this.#heap[--this.#size];
      }
      if (this.#size > 1) this.#sink(0);
    }
    const used = [...new Set(sources.subarray(0, count))];
    const positions = new Map(used.map((page, at) => [page, at]));
    for (let at = 0; at < count; at++) sources[at] = positions.get(sources[at]) as number;
    const vectors = this.#kinds.map((kind, column) =>
      gatherPages(
        kind,
        used.map((page) => pages[page][column]),
        sources,
        rows,
        count,
      ),
    );
    return { count, vectors };
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const moved = heap[from];
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(heap[child + 1], heap[child])) child++;
      if (!this.#isBefore(heap[child], moved)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
  }

  #isBefore(left: number, right: number): boolean {
    const [a, b] = [this.#cursors[left], this.#cursors[right]];
    for (const key of this.#keys) {
      const order = compareBy(key, a.vectors[key.column], a.row, b.vectors[key.column], b.row);
      if (order !== 0) return order < 0;
    }
    return left < right;
  }
}

function compareBy(
  { descending, missingFirst }: RunKey,
  a: Vector,
  row: number,
  b: Vector,
  otherRow: number,
): number {
  const isMissing = a.valid !== null && a.valid[row] === 0;
  const isOtherMissing = b.valid !== null && b.valid[otherRow] === 0;
  if (isMissing || isOtherMissing) {
    const order = Number(isMissing) - Number(isOtherMissing);
    return missingFirst ? -order : order;
  }
  const order = compareRows(a, row, b, otherRow);
  return descending ? -order : order;
}
