/**
 * Reusable memory for bodies of inserts and their records. New buffers for every insert would keep their memory until a garbage
 * collection. All workers share this memory from their start.
 * Invariants: the length of a part is a power of two and stays the same until no part is in use. When a part is released, no
 * thread has a view of it. A request that does not fit gets a buffer of its own, which the garbage collector frees.
 */
import { bytesAt, type SharedBytes, type SharedPart } from '../../protocol/index.js';

const BYTES_MIN = 4_096;
/** Pages that were never written take no memory. */
const BYTES_MAX = 64 * 2 ** 20;

export class InsertMemory {
  readonly shared: SharedArrayBuffer;
  readonly #free = new Map<number, SharedPart[]>();
  #end = 0;
  #inUseCount = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.shared = new SharedArrayBuffer(bytesMax);
  }

  /** Reserves at least `bytes` bytes with arbitrary contents. */
  acquire(bytes: number): SharedBytes {
    const byteLength = bytes <= BYTES_MIN ? BYTES_MIN : 2 ** (32 - Math.clz32(bytes - 1));
    const part = this.#free.get(byteLength)?.pop() ?? this.#divided(byteLength);
    if (part === null) return new SharedArrayBuffer(byteLength);
    this.#inUseCount++;
    return part;
  }

  #divided(byteLength: number): SharedPart | null {
    if (this.#end + byteLength > this.shared.byteLength) return null;
    const at = this.#end;
    this.#end += byteLength;
    return { at, byteLength };
  }

  release(location: SharedBytes): void {
    if (!('at' in location)) return;
    this.#inUseCount--;
    if (this.#inUseCount === 0) {
      this.#free.clear();
      this.#end = 0;
      return;
    }
    const list = this.#free.get(location.byteLength);
    if (list === undefined) this.#free.set(location.byteLength, [location]);
    else list.push(location);
  }

  bytesOf(location: SharedBytes): Uint8Array {
    return bytesAt(location, this.shared);
  }
}
