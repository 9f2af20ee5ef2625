/**
 * Memory of an answer's parts that goes round: a lane fills it, the main thread sends it and gives it back with what it asks
 * next. Fresh memory would be cleared by the system page by page, and left to the garbage collector of each thread.
 * Invariant: a buffer is in one place only: being moved to another thread it is gone from here.
 */
/** Less is not worth it. */
const SPARE_BYTES_MIN = 64 * 1024;
/** Together. */
const KEPT_BYTES_MAX = 24 * 2 ** 20;
/** Parts of nearly the same length shall find the same memory. */
const STEP_BYTES = 64 * 1024;
/** By so much a buffer may be longer than what it is for. */
const LONGER_MAX = 2;

export class PartMemory {
  #spare: ArrayBuffer[] = [];
  #bytes = 0;

  /** Buffers that are kept. */
  get count(): number {
    return this.#spare.length;
  }

  /** Takes the memory of a part that nobody looks at any more, if it is the part's alone and worth it. */
  give({ buffer, byteOffset }: Uint8Array): void {
    if (buffer instanceof ArrayBuffer && byteOffset === 0) this.add([buffer]);
  }

  /** Takes buffers that nobody else holds. */
  add(buffers: readonly ArrayBuffer[]): void {
    for (const buffer of buffers) {
      const { byteLength } = buffer;
      if (byteLength < SPARE_BYTES_MIN || this.#bytes + byteLength > KEPT_BYTES_MAX) continue;
      this.#spare.push(buffer);
      this.#bytes += byteLength;
    }
  }

  /** `count` of the buffers at most, to be moved to another thread. */
  take(count: number): ArrayBuffer[] {
    const taken = this.#spare.splice(0, count);
    for (const { byteLength } of taken) this.#bytes -= byteLength;
    return taken;
  }

  /** Memory for a part, from the beginning of its buffer on, with whatever stood there. */
  room(byteCount: number): Uint8Array<ArrayBuffer> {
    if (byteCount < SPARE_BYTES_MIN) return new Uint8Array(byteCount);
    const place = this.#spare.findIndex(
      ({ byteLength }) => byteLength >= byteCount && byteLength <= byteCount * LONGER_MAX,
    );
    if (place !== -1) {
      const [buffer] = this.#spare.splice(place, 1);
      this.#bytes -= buffer.byteLength;
      return new Uint8Array(buffer, 0, byteCount);
    }
    return new Uint8Array(new ArrayBuffer(Math.ceil(byteCount / STEP_BYTES) * STEP_BYTES), 0, byteCount);
  }
}
