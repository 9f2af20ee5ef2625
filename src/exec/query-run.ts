/**
 * What bounds one query while a worker runs it: whether somebody still waits for it, and how much memory it may take.
 * Invariant: operators call `check` at least once per segment of rows or events, once per some ten thousand strings, and
 * where entries are multiplied by groups; and `take` before they allocate what grows with rows, groups or distinct values.
 */
import { QuarryError } from '../base/index.js';

export class QueryRun {
  readonly #stopFlags: Int32Array | null;
  readonly #slot: number;
  readonly #bytesMax: number;
  #bytes = 0;

  /** `stopFlags` null: never stopped. */
  constructor(stopFlags: Int32Array | null, slot: number, bytesMax: number) {
    this.#stopFlags = stopFlags;
    this.#slot = slot;
    this.#bytesMax = bytesMax;
  }

  /** Throws 9005 when nobody waits for the answer any more. */
  check(): void {
    if (this.#stopFlags !== null && Atomics.load(this.#stopFlags, this.#slot) !== 0) {
      throw new QuarryError(9005, 'the query was stopped');
    }
  }

  /** Takes `bytes` of the query's memory. Throws 9006 when there are not that many left; then none are taken. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#bytesMax) {
      throw new QuarryError(9006, `the query needs more than ${this.#bytesMax} bytes beside the data`);
    }
    this.#bytes += bytes;
  }

  /** Bytes taken and not given back. */
  get takenBytes(): number {
    return this.#bytes;
  }

  /** Gives bytes back that `take` took. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** For what must come out whatever it takes: changes that stand in the log. */
export const UNBOUNDED = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
