/** One bit per row of a segment, least significant first, in an arena. Bits after the last row are 0. */
import { bitmapBytes } from '../kernels/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';
import { gatherBits } from './width.js';

export class RowBitmap {
  readonly #pool: ArenaPool;
  #block: Block;

  constructor(pool: ArenaPool, near: Arena | null, capacity: number) {
    this.#pool = pool;
    [this.#block] = pool.allocate([bitmapBytes(capacity)], near, 'bitmaps');
  }

  get arena(): Arena {
    return this.#block.arena;
  }
  /** Byte offset in the arena. */
  get at(): number {
    return this.#block.at;
  }

  get memoryBytes(): number {
    return this.#block.bytes;
  }

  /** Ensures capacity for `capacity` rows. */
  reserve(capacity: number): void {
    if (this.#block.bytes < bitmapBytes(capacity)) {
      [this.#block] = this.#pool.resize([this.#block], [bitmapBytes(capacity)]);
    }
  }

  has(row: number): boolean {
    return (this.#block.arena.u8[this.#block.at + (row >> 3)] & (1 << (row & 7))) !== 0;
  }

  set(row: number): void {
    this.#block.arena.u8[this.#block.at + (row >> 3)] |= 1 << (row & 7);
  }

  /** Rows beyond the bitmap's capacity are clear. */
  clear(row: number): void {
    if (row >= this.#block.bytes * 8) return;
    this.#block.arena.u8[this.#block.at + (row >> 3)] &= ~(1 << (row & 7));
  }

  /** Copies the bits of `rows` of another bitmap to this one, which must be clear. */
  copyFrom(source: RowBitmap, rows: Uint32Array): void {
    gatherBits(source.arena.u8, source.at, this.arena.u8, this.at, rows);
  }

  release(): void {
    this.#block.arena.release(this.#block);
  }
}
