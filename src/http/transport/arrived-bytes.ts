/**
 * Bytes of a body that have arrived and were not taken out yet, in one buffer.
 * Invariant: the budget has reserved the buffer's length. Offsets in the buffer change only in `add`, which says by how much.
 */
import type { ByteBudget } from './body.js';

const BUFFER_BYTES_MIN = 64 * 1024;

export class ArrivedBytes {
  readonly #budget: ByteBudget;
  readonly #aheadBytesMax: number;
  #buffer: Buffer<ArrayBuffer> = Buffer.alloc(0);
  /** The bytes are at [start, end). */
  #start = 0;
  #end = 0;

  /**
   * A buffer grows to a power of two, or from `aheadBytesMax` on to a multiple of it, so that buffers have few different sizes and are
   * used again.
   */
  constructor(budget: ByteBudget, aheadBytesMax: number) {
    this.#budget = budget;
    this.#aheadBytesMax = aheadBytesMax;
  }

  get buffer(): Buffer<ArrayBuffer> {
    return this.#buffer;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get byteLength(): number {
    return this.#end - this.#start;
  }

  /**
   * Copies `chunk` behind the bytes. Returns the number that is to be added to offsets in the buffer; null, and nothing is copied,
   * if the budget has not enough capacity.
   */
  add(chunk: Uint8Array): number | null {
    const moved = this.#reserve(chunk.length);
    if (moved === null) return null;
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
    return moved;
  }

  /** Discards the bytes before offset `at`. */
  dropTo(at: number): void {
    this.#start = at;
  }

  /** Releases the memory. */
  release(): void {
    this.#budget.release(this.#buffer.byteLength);
    this.#keepBuffer();
    this.#buffer = Buffer.alloc(0);
    this.#start = 0;
    this.#end = 0;
  }

  #keepBuffer(): void {
    if (this.#buffer.byteLength > 0) this.#budget.keep(new Uint8Array(this.#buffer.buffer));
  }

  #reserve(bytes: number): number | null {
    const needed = this.byteLength + bytes;
    if (this.#end + bytes <= this.#buffer.byteLength) return 0;
    if (needed <= this.#buffer.byteLength) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    } else {
      const capacity = this.#capacityFor(needed);
      if (!this.#budget.tryReserve(capacity - this.#buffer.byteLength)) return null;
      const grown = Buffer.from(this.#budget.buffer(capacity).buffer);
      grown.set(this.#buffer.subarray(this.#start, this.#end));
      this.#keepBuffer();
      this.#buffer = grown;
    }
    const moved = -this.#start;
    this.#start += moved;
    this.#end += moved;
    return moved;
  }

  #capacityFor(bytes: number): number {
    if (bytes >= this.#aheadBytesMax) return Math.ceil(bytes / this.#aheadBytesMax) * this.#aheadBytesMax;
    return Math.max(BUFFER_BYTES_MIN, 2 ** Math.ceil(Math.log2(bytes)));
  }
}
