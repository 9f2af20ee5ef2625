/**
 * A temporary file of a query: pages of rows, appended by one thread and read by any.
 * Page v1. Little-endian; offsets and sizes in bytes.
 *   offset size field         meaning
 *        0    4 magic         "QSPL"
 *        4    4 crc32         CRC-32 (zlib) over the payload, then [8, 32)
 *        8    8 fileId        random, so that bytes of another file are refused
 *       16    8 position      f64, offset of this page in its file
 *       24    4 payloadBytes  u32
 *       28    4 rowCount      u32
 *       32    n payload       see page-codec.ts
 * A page that fails a check is an error of the query that reads it; no other query has a part in it.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { QuarryError } from '../../base/index.js';
import type { FileSystem, ScratchFile, ScratchReader } from '../../io/index.js';
import { SPILL_BLOCK_BYTES, type SpillSpace } from '../../protocol/index.js';

export const PAGE_HEAD_BYTES = 32;
const MAGIC = 0x4c505351;
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Identifies a spill file within the process. */
export interface SpillFileId {
  readonly handle: number;
  /** Two random u32. */
  readonly id: Uint32Array;
}

/** A page in a file, or in memory that has the same layout. */
export interface PageLocation {
  readonly position: number;
  readonly byteCount: number;
  readonly rowCount: number;
}

/** The disk space of one query on one worker. */
export interface SpillBudget {
  readonly space: SpillSpace;
  /** See WorkerQueryLimits. */
  readonly slot: number;
  readonly workerIndex: number;
}

export class SpillFile {
  readonly fileId: SpillFileId;
  readonly #file: ScratchFile;
  readonly #budget: SpillBudget;
  #blockCount = 0;
  #end = 0;

  /** Creates the file. Throws 189, 9002. */
  constructor(fs: FileSystem, name: string, budget: SpillBudget) {
    this.#file = onDisk(() => fs.createScratch(name));
    const id = new Uint32Array(2);
    randomBytes(8).copy(new Uint8Array(id.buffer));
    this.fileId = { handle: this.#file.handle, id };
    this.#budget = budget;
  }

  /** The offset at which the next block will be written. */
  get end(): number {
    return this.#end;
  }

  get reader(): ScratchReader {
    return this.#file;
  }

  /** Appends pages that were sealed for this offset. Throws 189, 9002, 9006. */
  append(pages: Uint8Array): void {
    const blocks = Math.ceil((this.#end + pages.byteLength) / SPILL_BLOCK_BYTES);
    if (blocks > this.#blockCount) {
      const { space, slot, workerIndex } = this.#budget;
      space.reserve(slot, workerIndex, blocks - this.#blockCount);
      this.#blockCount = blocks;
    }
    onDisk(() => this.#file.write(pages, this.#end));
    this.#end += pages.byteLength;
  }

  /** Closes the file and releases its space; may be called repeatedly. */
  close(): void {
    const { space, slot, workerIndex } = this.#budget;
    space.release(slot, workerIndex, this.#blockCount);
    this.#blockCount = 0;
    try {
      this.#file.close();
    } catch {
      // The file is no longer needed; the next start removes its name.
    }
  }
}

/** Writes the head of a page whose payload is already in `page` from PAGE_HEAD_BYTES on. */
export function sealPage(page: Uint8Array, id: Uint32Array, position: number, rowCount: number): void {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  view.setUint32(0, MAGIC, true);
  view.setUint32(8, id[0], true);
  view.setUint32(12, id[1], true);
  view.setFloat64(16, position, true);
  view.setUint32(24, page.byteLength - PAGE_HEAD_BYTES, true);
  view.setUint32(28, rowCount, true);
  view.setUint32(4, checksum(page), true);
}

/** CRC-32 over the payload, then the head after the checksum. */
const checksum = (page: Uint8Array): number =>
  crc32(page.subarray(8, PAGE_HEAD_BYTES), crc32(page.subarray(PAGE_HEAD_BYTES)));

/** Reads a page and returns its payload. Throws 189 if the disk fails or the page is damaged. */
export function readPage(reader: ScratchReader, id: Uint32Array, location: PageLocation): Uint8Array {
  const page = new Uint8Array(location.byteCount);
  const count = onDisk(() => reader.read(page, location.position));
  if (count < page.byteLength) throw damaged(location, 'it ends early');
  const view = new DataView(page.buffer);
  if (view.getUint32(0, true) !== MAGIC) throw damaged(location, 'it is not a page');
  if (view.getUint32(4, true) !== checksum(page)) throw damaged(location, 'it fails its checksum');
  if (
    view.getUint32(8, true) !== id[0] ||
    view.getUint32(12, true) !== id[1] ||
    view.getFloat64(16, true) !== location.position ||
    view.getUint32(24, true) !== page.byteLength - PAGE_HEAD_BYTES ||
    view.getUint32(28, true) !== location.rowCount
  ) {
    throw damaged(location, 'it belongs to another page');
  }
  return page.subarray(PAGE_HEAD_BYTES);
}

const damaged = ({ position }: PageLocation, why: string): QuarryError =>
  new QuarryError(
    189,
    `the disk returned damaged rows of the query, at byte ${position} of its file: ${why}`,
  );

function onDisk<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (FULL_CODES.has(code)) {
      throw new QuarryError(
        9002,
        'disk full: the rows that the query cannot keep in memory cannot be stored',
      );
    }
    throw new QuarryError(
      189,
      `the disk failed for rows that the query cannot keep in memory: ${code || message}`,
    );
  }
}
