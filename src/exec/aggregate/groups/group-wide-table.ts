/** Numbers integers of up to 128 bits 0, 1, ... in order of first occurrence. */
import type { MemoryAccount } from '../../../base/index.js';
import { WordTable } from '../value-table.js';

export class WideTable {
  /** Number the lower 64 bits, the upper 64 bits, and pairs of these numbers. */
  readonly #lower: WordTable;
  readonly #upper: WordTable;
  readonly #pairs: WordTable;
  readonly #parts = new BigInt64Array(2);
  readonly #words = new Int32Array(this.#parts.buffer);

  /** Throws 9006. */
  constructor(memory: MemoryAccount) {
    this.#lower = new WordTable(memory);
    this.#upper = new WordTable(memory);
    this.#pairs = new WordTable(memory);
  }

  /** The number of `value`, in [-2^127, 2^127); a new value gets the next number. Throws 9006. */
  add(value: bigint): number {
    this.#parts[0] = value;
    this.#parts[1] = value >> 64n;
    const words = this.#words;
    return this.#pairs.add(this.#lower.add(words[0], words[1]), this.#upper.add(words[2], words[3]));
  }

  /** The number of `value`, or -1. */
  find(value: bigint): number {
    this.#parts[0] = value;
    this.#parts[1] = value >> 64n;
    const words = this.#words;
    const [lower, upper] = [this.#lower.find(words[0], words[1]), this.#upper.find(words[2], words[3])];
    return lower < 0 || upper < 0 ? -1 : this.#pairs.find(lower, upper);
  }

  value(number: number): bigint {
    const { keys } = this.#pairs;
    const [lower, upper] = [keys[2 * number], keys[2 * number + 1]];
    this.#words[0] = this.#lower.keys[2 * lower];
    this.#words[1] = this.#lower.keys[2 * lower + 1];
    this.#words[2] = this.#upper.keys[2 * upper];
    this.#words[3] = this.#upper.keys[2 * upper + 1];
    return (this.#parts[1] << 64n) + BigInt.asUintN(64, this.#parts[0]);
  }
}
