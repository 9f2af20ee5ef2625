/** The memory of one question in which kernels read and write blocks of events. What is taken is valid until `release`. */
import { QuarryError } from '../../base/index.js';
import type { Kernels } from '../../kernels/index.js';
import { QueryMemories, type QueryMemory } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';

export class BlockMemory {
  readonly #memories: QueryMemories;
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;

  constructor(run: QueryRun) {
    this.#run = run;
    this.#memories = run.resources.memories ?? new QueryMemories(null);
    this.#memory = this.#memories.acquire();
  }

  /** Byte offset of `bytes` with arbitrary contents. Detaches all views. Throws 9006. */
  take(bytes: number): number {
    const at = this.#memory.allocateUnset(bytes, this.#run);
    if (at !== null) return at;
    this.#run.reserve(bytes);
    throw new QuarryError(9006, 'the events of an entity need more memory than a question can have');
  }

  get kernels(): Kernels {
    return this.#memory.kernels;
  }

  get u8(): Uint8Array {
    return this.#memory.u8;
  }

  get u32(): Uint32Array {
    return this.#memory.u32;
  }

  /** `length` words from a byte offset on. */
  words(at: number, length: number): Uint32Array {
    return this.u32.subarray(at >>> 2, (at >>> 2) + length);
  }

  release(): void {
    this.#memories.release(this.#memory, this.#run);
  }
}
