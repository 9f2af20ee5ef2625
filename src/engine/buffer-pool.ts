/**
 * Shared buffers that are used again and again: fresh ones for every insert would wait for a garbage collection
 * with all their memory, because the collector does not see how large a shared buffer is.
 * Invariants: a buffer is a power of two long; whoever releases one holds no view of it and nor does any thread.
 */
const BYTES_MIN = 4_096;
/** Released buffers that are kept, in bytes together. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;

export class BufferPool {
  readonly #free = new Map<number, SharedArrayBuffer[]>();
  #keptBytes = 0;

  /** A buffer of at least `bytes`, with whatever stood in it. */
  acquire(bytes: number): SharedArrayBuffer {
    const size = bytes <= BYTES_MIN ? BYTES_MIN : 2 ** (32 - Math.clz32(bytes - 1));
    const kept = this.#free.get(size)?.pop();
    if (kept === undefined) return new SharedArrayBuffer(size);
    this.#keptBytes -= size;
    return kept;
  }

  release(buffer: SharedArrayBuffer): void {
    const size = buffer.byteLength;
    if (this.#keptBytes + size > KEPT_BYTES_MAX) return;
    const list = this.#free.get(size);
    if (list === undefined) this.#free.set(size, [buffer]);
    else list.push(buffer);
    this.#keptBytes += size;
  }
}
