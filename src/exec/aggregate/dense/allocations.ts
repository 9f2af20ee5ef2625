/** Several allocations of one owner, which checks once whether all of them succeeded. */
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';

/** Allocates zeroed bytes in the memory of a query; returns their byte offset, an arbitrary one after a failure. */
export type Allocate = (bytes: number) => number;

export class Allocations {
  /** Whether an allocation failed. */
  isFull = false;
  readonly at: Allocate;

  /** The bytes are reserved in `run`. */
  constructor(memory: QueryMemory, run: QueryRun) {
    this.at = (bytes) => {
      const at = memory.allocate(bytes, run);
      this.isFull ||= at === null;
      return at ?? 0;
    };
  }
}
