/**
 * Counts memory that is reserved before it is allocated, against a capacity of its own or of the account above.
 * Invariants: a refused reservation reserves nothing; what a child reserves is reserved in its parent too.
 */
import { QuarryError } from './errors.js';

export class MemoryAccount {
  readonly #parent: MemoryAccount | null;
  readonly #capacityBytes: number;
  readonly #refusal: (capacityBytes: number) => string;
  #reservedBytes = 0;

  /** `refusal` words error 9006. */
  constructor(
    capacityBytes: number,
    refusal: (capacityBytes: number) => string,
    parent: MemoryAccount | null = null,
  ) {
    this.#parent = parent;
    this.#capacityBytes = capacityBytes;
    this.#refusal = refusal;
  }

  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  /** Bytes that are left of this account's own capacity. */
  get availableBytes(): number {
    return this.#capacityBytes - this.#reservedBytes;
  }

  /** False, and nothing reserved, when the capacity is too small. */
  tryReserve(bytes: number): boolean {
    if (bytes > this.availableBytes || this.#parent?.tryReserve(bytes) === false) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  /** Throws 9006 when the capacity is too small; then nothing is reserved. */
  reserve(bytes: number): void {
    if (bytes > this.availableBytes) throw new QuarryError(9006, this.#refusal(this.#capacityBytes));
    this.#parent?.reserve(bytes);
    this.#reservedBytes += bytes;
  }

  release(bytes: number): void {
    this.#parent?.release(bytes);
    this.#reservedBytes -= bytes;
  }

  /** Releases all that this account still holds. */
  releaseAll(): void {
    this.release(this.#reservedBytes);
  }

  /** An account without a capacity of its own, so that all of its reservations can be released at once. */
  child(): MemoryAccount {
    return new MemoryAccount(Number.POSITIVE_INFINITY, this.#refusal, this);
  }

  /** A separate account of the bytes that are left. Nothing may be reserved here until it is dropped. */
  remainder(): MemoryAccount {
    return new MemoryAccount(this.availableBytes, this.#refusal);
  }

  /** `length` zeroed numbers. Throws 9006. */
  u32(length: number): Uint32Array<ArrayBuffer> {
    this.reserve(length * 4);
    return new Uint32Array(length);
  }
}
