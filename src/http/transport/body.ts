/**
 * Collects a request's body as it arrives.
 * Invariants: never more bytes, nor more memory, than the endpoint's bound; memory is taken for twice what has arrived
 * or AHEAD_BYTES_MAX more than that, in steps of KEPT_STEP_BYTES, whatever Content-Length says; a body's bytes are gone
 * once it is released.
 */
import { MemoryAccount } from '../../base/index.js';

const AHEAD_BYTES_MAX = 256 * 1024;
/** Smaller buffers are left to the garbage collector. */
const KEPT_BYTES_MIN = 16 * 1024;
const KEPT_STEP_BYTES = 64 * 1024;
/** Buffers that wait to be used again, in bytes together. */
const KEPT_BYTES_MAX = 32 * 2 ** 20;

/**
 * Bytes of all bodies that are being received or worked on; bounded, so that many clients cannot fill the memory.
 * Keeps buffers for the next bodies: fresh ones would make the collector run every few hundred inserts.
 */
export class ByteBudget extends MemoryAccount {
  readonly #kept = new Map<number, Uint8Array<ArrayBuffer>[]>();
  #bytesKept = 0;

  constructor(capacityBytes: number) {
    super(capacityBytes, (bytes) => `bodies of requests need more than ${bytes} bytes`);
  }

  /** A buffer of `bytes`, with whatever stood in it. */
  buffer(bytes: number): Uint8Array<ArrayBuffer> {
    const kept = this.#kept.get(bytes)?.pop();
    if (kept === undefined) return new Uint8Array(bytes);
    this.#bytesKept -= bytes;
    return kept;
  }

  /** Takes a buffer back that nobody looks at any more. */
  keep(buffer: Uint8Array<ArrayBuffer>): void {
    const bytes = buffer.byteLength;
    if (bytes < KEPT_BYTES_MIN || this.#bytesKept + bytes > KEPT_BYTES_MAX) return;
    const list = this.#kept.get(bytes);
    if (list === undefined) this.#kept.set(bytes, [buffer]);
    else list.push(buffer);
    this.#bytesKept += bytes;
  }
}

/** Whole steps, so that few sizes are kept. */
function roundedUp(bytes: number): number {
  return bytes < KEPT_BYTES_MIN ? bytes : Math.ceil(bytes / KEPT_STEP_BYTES) * KEPT_STEP_BYTES;
}

export class BodyReader {
  readonly #budget: ByteBudget;
  /** What Content-Length says; null for chunked bodies. */
  readonly #declaredBytes: number | null;
  readonly #bytesMax: number;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #bytesTaken = 0;
  #byteLength = 0;

  constructor(budget: ByteBudget, declaredBytes: number | null, bytesMax: number) {
    this.#budget = budget;
    this.#declaredBytes = declaredBytes;
    this.#bytesMax = bytesMax;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Copies `chunk`; refuses it when the body gets longer than it may be, or when the budget has no room. */
  add(chunk: ArrayBuffer): 'taken' | 'too-long' | 'no-room' {
    if (chunk.byteLength === 0) return 'taken';
    const needed = this.#byteLength + chunk.byteLength;
    if (needed > this.#bytesMax) return 'too-long';
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

  /** Takes memory for what was made of the body, to be given back with it; false = there is no room. */
  hold(bytes: number): boolean {
    if (!this.#budget.tryReserve(bytes)) return false;
    this.#bytesTaken += bytes;
    return true;
  }

  /** Gives the memory back: what `bytes` handed out must not be looked at any more. */
  release(): void {
    this.#budget.release(this.#bytesTaken);
    this.#bytesTaken = 0;
    this.#budget.keep(this.#buffer);
    this.#buffer = new Uint8Array(0);
  }

  #grow(needed: number): boolean {
    const doubled = 2 * needed;
    const wanted = Math.min(this.#declaredBytes ?? doubled, Math.max(doubled, needed + AHEAD_BYTES_MAX));
    const capacity = Math.min(roundedUp(Math.max(needed, wanted)), this.#bytesMax);
    if (!this.#budget.tryReserve(capacity - this.#bytesTaken)) return false;
    this.#bytesTaken = capacity;
    const grown = this.#budget.buffer(capacity);
    grown.set(this.#buffer.subarray(0, this.#byteLength));
    this.#budget.keep(this.#buffer);
    this.#buffer = grown;
    return true;
  }
}
