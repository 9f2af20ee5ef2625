/**
 * Signals cancellation to running queries on all workers, with one shared Int32 per query.
 * Invariant: slot 0 belongs to no query and stays 0. A slot is released only when no worker reads it any more.
 */
const SLOT_COUNT = 4_096;

export class StopFlags {
  readonly shared = new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT);
  readonly #flags = new Int32Array(this.shared);
  readonly #free: number[] = [];
  #next = 1;

  /** Reserves a slot. If all are in use, returns 0, and the query cannot be stopped. */
  take(): number {
    return this.#free.pop() ?? (this.#next < SLOT_COUNT ? this.#next++ : 0);
  }

  stop(slot: number): void {
    if (slot !== 0) Atomics.store(this.#flags, slot, 1);
  }

  giveBack(slot: number): void {
    if (slot === 0) return;
    Atomics.store(this.#flags, slot, 0);
    this.#free.push(slot);
  }
}
