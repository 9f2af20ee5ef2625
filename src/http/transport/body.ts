/**
 * Collects a request's body as it arrives.
 * Invariants: neither bytes nor memory exceed the endpoint's limit. Memory is reserved for twice the bytes that have arrived, or
 * AHEAD_BYTES_MAX more than these, in steps of BUFFER_STEP_BYTES, whatever Content-Length says. The bytes of a body must not be
 * used after its release.
 */
import { MemoryAccount } from '../../base/index.js';

const AHEAD_BYTES_MAX = 256 * 1024;
/** Smaller buffers are not reused. */
const REUSED_BYTES_MIN = 16 * 1024;
const BUFFER_STEP_BYTES = 64 * 1024;
/** Total bytes of buffers that wait for reuse. */
const FREE_BYTES_MAX = 32 * 2 ** 20;

/** The reason of 9003 when the budget does not hold a body. */
export const TOO_MANY_BODIES = 'too many bodies at once';

/**
 * Limits the memory of all bodies that are being received or worked on, so that many clients cannot exhaust it. Buffers are
 * reused: new ones would start the garbage collector every few hundred inserts.
 */
export class ByteBudget extends MemoryAccount {
  readonly #freeBuffers = new Map<number, Uint8Array<ArrayBuffer>[]>();
  #freeBytes = 0;

  constructor(capacityBytes: number) {
    super(capacityBytes, (bytes) => `bodies of requests need more than ${bytes} bytes`);
  }

  /** A buffer of `bytes` with arbitrary content. */
  buffer(bytes: number): Uint8Array<ArrayBuffer> {
    const reused = this.#freeBuffers.get(bytes)?.pop();
    if (reused === undefined) return new Uint8Array(bytes);
    this.#freeBytes -= bytes;
    return reused;
  }

  /** Takes back a buffer that is no longer used. */
  keep(buffer: Uint8Array<ArrayBuffer>): void {
    const bytes = buffer.byteLength;
    if (bytes < REUSED_BYTES_MIN || this.#freeBytes + bytes > FREE_BYTES_MAX) return;
    const list = this.#freeBuffers.get(bytes);
    if (list === undefined) this.#freeBuffers.set(bytes, [buffer]);
    else list.push(buffer);
    this.#freeBytes += bytes;
  }
}

/** Rounds up to whole steps, so that buffers have few different sizes. */
function roundedUp(bytes: number): number {
  return bytes < REUSED_BYTES_MIN ? bytes : Math.ceil(bytes / BUFFER_STEP_BYTES) * BUFFER_STEP_BYTES;
}

export class BodyReader {
  readonly #budget: ByteBudget;
  /** The Content-Length; null for chunked bodies. */
  readonly #declaredBytes: number | null;
  readonly #bytesMax: number;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #reservedBytes = 0;
  #byteLength = 0;

  constructor(budget: ByteBudget, declaredBytes: number | null, bytesMax: number) {
    this.#budget = budget;
    this.#declaredBytes = declaredBytes;
    this.#bytesMax = bytesMax;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Copies `chunk`, unless the body would exceed its limit or the budget has not enough capacity. */
  add(chunk: ArrayBuffer): 'added' | 'too-long' | 'no-capacity' {
    if (chunk.byteLength === 0) return 'added';
    const needed = this.#byteLength + chunk.byteLength;
    if (needed > this.#bytesMax) return 'too-long';
    if (needed > this.#buffer.byteLength && !this.#grow(needed)) return 'no-capacity';
    this.#buffer.set(new Uint8Array(chunk), this.#byteLength);
    this.#byteLength = needed;
    return 'added';
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#byteLength === this.#buffer.byteLength
      ? this.#buffer
      : new Uint8Array(this.#buffer.buffer, 0, this.#byteLength);
  }

  /** Reserves memory for data made from the body, which is released with it; false = not enough capacity. */
  hold(bytes: number): boolean {
    if (!this.#budget.tryReserve(bytes)) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  /** Releases the memory. The result of `bytes` must not be used afterwards. */
  release(): void {
    this.#budget.release(this.#reservedBytes);
    this.#reservedBytes = 0;
    this.#budget.keep(this.#buffer);
    this.#buffer = new Uint8Array(0);
  }

  #grow(needed: number): boolean {
    const doubled = 2 * needed;
    const wanted = Math.min(this.#declaredBytes ?? doubled, Math.max(doubled, needed + AHEAD_BYTES_MAX));
    const capacity = Math.min(roundedUp(Math.max(needed, wanted)), this.#bytesMax);
    if (!this.#budget.tryReserve(capacity - this.#reservedBytes)) return false;
    this.#reservedBytes = capacity;
    const grown = this.#budget.buffer(capacity);
    grown.set(this.#buffer.subarray(0, this.#byteLength));
    this.#budget.keep(this.#buffer);
    this.#buffer = grown;
    return true;
  }
}
