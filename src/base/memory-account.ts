/**
 * Counts memory that is reserved before it is allocated, against a capacity of its own or of its parent account.
 * Invariants: a refused reservation reserves nothing; the reservations of a child are also reserved in its parent.
 */
import { QuarryError } from './errors.js';

export class MemoryAccount {
  readonly #parent: MemoryAccount | null;
  readonly #capacityBytes: number;
  readonly #refusal: (capacityBytes: number) => string;
  #reservedBytes = 0;

  /** `refusal` returns the message of error 9006. */
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

  /** Bytes of this account's own capacity that are not reserved. */
  get availableBytes(): number {
    return this.#capacityBytes - this.#reservedBytes;
  }

  /** Bytes that are not reserved, in this account and in the accounts that it is part of. */
  get freeBytes(): number {
    return Math.min(this.availableBytes, this.#parent?.freeBytes ?? Number.POSITIVE_INFINITY);
  }

  /** The least capacity among this account and the accounts that it is part of. */
  get limitBytes(): number {
    return Math.min(this.#capacityBytes, this.#parent?.limitBytes ?? Number.POSITIVE_INFINITY);
  }

  /** Returns false and reserves nothing if the capacity is too small. */
  tryReserve(bytes: number): boolean {
    if (bytes > this.availableBytes || this.#parent?.tryReserve(bytes) === false) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  /** Throws 9006 and reserves nothing if the capacity is too small. */
  reserve(bytes: number): void {
    if (bytes > this.availableBytes) throw new QuarryError(9006, this.#refusal(this.#capacityBytes));
    this.#parent?.reserve(bytes);
    this.#reservedBytes += bytes;
  }

  release(bytes: number): void {
    this.#parent?.release(bytes);
    this.#reservedBytes -= bytes;
  }

  /** Releases all reservations of this account. */
  releaseAll(): void {
    this.release(this.#reservedBytes);
  }

  /** An account without a capacity of its own, for reservations that are released together. */
  child(): MemoryAccount {
    return new MemoryAccount(Number.POSITIVE_INFINITY, this.#refusal, this);
  }

  /**
   * A separate account with the bytes that are not reserved. Nothing may be reserved in this account while it is in use.
   */
  remainder(): MemoryAccount {
    return new MemoryAccount(this.availableBytes, this.#refusal);
  }

  /** Reserves and allocates an array of `length` zeros. Throws 9006. */
  u32(length: number): Uint32Array<ArrayBuffer> {
    this.reserve(length * 4);
    return new Uint32Array(length);
  }
}
