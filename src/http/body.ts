/**
 * Collects a request's body as it arrives.
 * Invariants: never more than BODY_BYTES_MAX bytes; memory is taken for twice what has arrived or AHEAD_BYTES_MAX
 * more than that, whatever Content-Length says; the bytes handed out own their buffer.
 */
import { BODY_BYTES_MAX } from '../base/index.js';

const AHEAD_BYTES_MAX = 256 * 1024;

/** Bytes of all bodies that are being received or worked on; bounded, so that many clients cannot fill the memory. */
export class ByteBudget {
  readonly #bytesMax: number;
  #bytesTaken = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  /** False, and nothing taken, when `bytes` more would go over the bound. */
  take(bytes: number): boolean {
    if (this.#bytesTaken + bytes > this.#bytesMax) return false;
    this.#bytesTaken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytesTaken -= bytes;
  }
}

export class BodyReader {
  readonly #budget: ByteBudget;
  /** What Content-Length says; null for chunked bodies. */
  readonly #declaredBytes: number | null;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Kept beside the buffer, whose length is 0 once it was transferred. */
  #bytesTaken = 0;
  #byteLength = 0;

  constructor(budget: ByteBudget, declaredBytes: number | null) {
    this.#budget = budget;
    this.#declaredBytes = declaredBytes;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Copies `chunk`; refuses it when the body gets longer than it may be, or when the budget has no room. */
  add(chunk: ArrayBuffer): 'taken' | 'too-long' | 'no-room' {
    if (chunk.byteLength === 0) return 'taken';
    const needed = this.#byteLength + chunk.byteLength;
    if (needed > BODY_BYTES_MAX) return 'too-long';
    if (needed > this.#buffer.byteLength && !this.#grow(needed)) return 'no-room';
    this.#buffer.set(new Uint8Array(chunk), this.#byteLength);
    this.#byteLength = needed;
    return 'taken';
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#byteLength === this.#buffer.byteLength
      ? this.#buffer
      : new Uint8Array(this.#buffer.buffer, 0, this.#byteLength);
  }

  /** Gives the memory back to the budget; what was handed out stays as it is. */
  release(): void {
    this.#budget.give(this.#bytesTaken);
    this.#bytesTaken = 0;
    this.#buffer = new Uint8Array(0);
  }

  #grow(needed: number): boolean {
    const doubled = 2 * needed;
    const wanted = Math.min(
      this.#declaredBytes ?? doubled,
      Math.max(doubled, needed + AHEAD_BYTES_MAX),
      BODY_BYTES_MAX,
    );
    const capacity = Math.max(needed, wanted);
    if (!this.#budget.take(capacity - this.#bytesTaken)) return false;
    this.#bytesTaken = capacity;
    const grown = new Uint8Array(capacity);
    grown.set(this.#buffer.subarray(0, this.#byteLength));
    this.#buffer = grown;
    return true;
  }
}
