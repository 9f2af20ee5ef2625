/** The memory that merging one query may take on the main thread, counted in bytes as it is taken. */
import { QuarryError } from '../base/index.js';

export class MemoryBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Throws 9006 when there are not so many bytes left; then none are taken. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#bytesMax) {
      throw new QuarryError(9006, `merging what the shards answer needs more than ${this.#bytesMax} bytes`);
    }
    this.#bytes += bytes;
  }

  /** A budget of what is left, for memory that is given back all at once: nothing is taken here meanwhile. */
  rest(): MemoryBudget {
    return new MemoryBudget(this.#bytesMax - this.#bytes);
  }
}
