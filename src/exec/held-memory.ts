/** Memory that one operator takes of its query, so that it can be given back in one go. */
import type { QueryRun } from './query-run.js';

export class HeldMemory {
  readonly #run: QueryRun;
  #bytes = 0;

  constructor(run: QueryRun) {
    this.#run = run;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws 9005 when nobody waits for the query any more. */
  check(): void {
    this.#run.check();
  }

  /** Throws 9006; then none are taken. */
  take(bytes: number): void {
    this.#run.take(bytes);
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#run.give(bytes);
    this.#bytes -= bytes;
  }

  /** Gives back what is still held. */
  release(): void {
    this.give(this.#bytes);
  }

  /** `length` zeroed numbers. Throws 9006. */
  u32(length: number): Uint32Array<ArrayBuffer> {
    this.take(length * 4);
    return new Uint32Array(length);
  }

  /** `array`, which came from here, or a longer copy of it with at least `length` numbers. Throws 9006. */
  grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
    if (length <= array.length) return array;
    const longer = this.u32(Math.max(length, array.length * 2));
    longer.set(array);
    this.give(array.byteLength);
    return longer;
  }
}
