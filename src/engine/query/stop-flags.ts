/**
 * Tells running queries on all lanes that nobody waits for them any more: one shared Int32 per query.
 * Invariant: slot 0 is nobody's and stays 0; a slot goes back only when no lane looks at it any more.
 */
const SLOT_COUNT = 4_096;

export class StopFlags {
  readonly shared = new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT);
  readonly #flags = new Int32Array(this.shared);
  readonly #free: number[] = [];
  #next = 1;

  /** A slot of its own, or 0, with which a query cannot be stopped, when all are taken. */
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
