/**
 * Memory of an answer's parts that goes round: a lane fills it, the main thread sends it and gives it back with what it asks
 * next. Fresh memory would be cleared by the system page by page, and left to the garbage collectors. It is shared, and not
 * moved from thread to thread: in a thread that has ever moved a buffer, loops over any arrays take half as long again,
 * because the compiler then looks in each turn whether an array is still there.
 * Invariant: a buffer is in one place only; whoever gives it away does not look at it any more.
 */
/** Less is not worth it. */
const SHARED_BYTES_MIN = 64 * 1024;
/** Together. The collector does not see how large the others are. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;
/** Parts of nearly the same length shall find the same memory. */
const STEP_BYTES = 64 * 1024;
/** By so much a buffer may be longer than what it is for. */
const LONGER_MAX = 2;

export class PartMemory {
  #spare: SharedArrayBuffer[] = [];
  #bytes = 0;

  /** Buffers that are kept. */
  get count(): number {
    return this.#spare.length;
  }

  /** Takes the memory of a part that nobody looks at any more, if it came from here. */
  give({ buffer }: Uint8Array): void {
    if (buffer instanceof SharedArrayBuffer) this.add([buffer]);
  }

  /** Takes buffers that nobody else holds. */
  add(buffers: readonly SharedArrayBuffer[]): void {
    for (const buffer of buffers) {
      const { byteLength } = buffer;
      if (this.#bytes + byteLength > KEPT_BYTES_MAX) continue;
      this.#spare.push(buffer);
      this.#bytes += byteLength;
    }
  }

  /** `count` of the buffers at most, for another thread. */
  take(count: number): SharedArrayBuffer[] {
    const taken = this.#spare.splice(0, count);
    for (const { byteLength } of taken) this.#bytes -= byteLength;
    return taken;
  }

  /** Memory for a part, from the beginning of its buffer on, with whatever stood there. */
  room(byteCount: number): Uint8Array {
    if (byteCount < SHARED_BYTES_MIN) return new Uint8Array(byteCount);
    const place = this.#spare.findIndex(
      ({ byteLength }) => byteLength >= byteCount && byteLength <= byteCount * LONGER_MAX,
    );
    if (place === -1) {
      return new Uint8Array(
        new SharedArrayBuffer(Math.ceil(byteCount / STEP_BYTES) * STEP_BYTES),
        0,
        byteCount,
      );
    }
    const [buffer] = this.#spare.splice(place, 1);
    this.#bytes -= buffer.byteLength;
    return new Uint8Array(buffer, 0, byteCount);
  }
}
