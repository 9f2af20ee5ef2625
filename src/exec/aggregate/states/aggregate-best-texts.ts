/**
 * The least or greatest text of each group, in the order of UTF-8 bytes.
 * Layout  texts are appended to one buffer; replaced texts leave dead bytes between them. The buffer is compacted
 *         when more than half of it is dead.
 */
import { grownWithin, type MemoryAccount, QuarryError } from '../../../base/index.js';
import type { WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';

/** The largest offset that fits 32 bits. */
const BYTES_MAX = 2 ** 32 - 1;
const COMPACTED_MIN = 65_536;

export class BestTexts {
  readonly #memory: MemoryAccount;
  readonly #sign: 1 | -1;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #end = 0;
  /** Bytes in use: the total length of each group's current best text. */
  #used = 0;
  /** By group: the start of its text plus 1 (0 = none), and the text's length. */
  #starts: Uint32Array<ArrayBuffer>;
  #lengths: Uint32Array<ArrayBuffer>;

  constructor(extreme: 'min' | 'max', memory: MemoryAccount) {
    this.#memory = memory;
    this.#sign = extreme === 'min' ? 1 : -1;
    this.#starts = memory.u32(0);
    this.#lengths = memory.u32(0);
  }

  /** Grows the arrays to hold groups below `groupEnd`. Throws 9006. */
  reserve(groupEnd: number): void {
    this.#starts = grownWithin(this.#memory, this.#starts, groupEnd);
    this.#lengths = grownWithin(this.#memory, this.#lengths, groupEnd);
  }

  /** Replaces the group's text with bytes[from, to) if the group has none or a worse one. Throws 9006. */
  offer(group: number, bytes: Uint8Array, from: number, to: number): void {
    if (this.#isBetter(group, bytes, from, to)) this.#keep(group, bytes, from, to);
  }

  #isBetter(group: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[group] - 1;
    if (start < 0) return true;
    const length = this.#lengths[group];
    const own = this.#bytes;
    const shared = Math.min(length, to - from);
    for (let index = 0; index < shared; index++) {
      const difference = bytes[from + index] - own[start + index];
      if (difference !== 0) return difference * this.#sign < 0;
    }
    return (to - from - length) * this.#sign < 0;
  }

  #keep(group: number, bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.#starts[group] !== 0) this.#used -= this.#lengths[group];
    this.#starts[group] = 0;
    if (this.#end + length > this.#bytes.length && this.#end > Math.max(COMPACTED_MIN, 2 * this.#used)) {
      this.#compact();
    }
    if (this.#end + length >= BYTES_MAX) {
      throw new QuarryError(9006, 'the strings of the query exceed 4 GiB in total');
    }
    this.#bytes = grownWithin(this.#memory, this.#bytes, this.#end + length, GROUPS_MIN);
    this.#starts[group] = this.#end + 1;
    this.#lengths[group] = length;
    const own = this.#bytes;
    for (let index = from, at = this.#end; index < to; index++, at++) own[at] = bytes[index];
    this.#end += length;
    this.#used += length;
  }

  #compact(): void {
    const retained = grownWithin(this.#memory, new Uint8Array(0), this.#used, GROUPS_MIN);
    let end = 0;
    for (let group = 0; group < this.#starts.length; group++) {
      const start = this.#starts[group] - 1;
      if (start < 0) continue;
      const length = this.#lengths[group];
      retained.set(this.#bytes.subarray(start, start + length), end);
      this.#starts[group] = end + 1;
      end += length;
    }
    this.#memory.release(this.#bytes.byteLength);
    this.#bytes = retained;
    this.#end = end;
  }

  /** The texts of groups 1, ..., count. Their memory is reserved in the run. Throws 9006. */
  texts(count: number, run: QueryRun): WireVector {
    this.reserve(count + 1);
    run.reserve(count * 5 + this.#used + 8);
    const valid = Uint8Array.from({ length: count }, (_, at) => (this.#starts[at + 1] === 0 ? 0 : 1));
    // At least one text: the code of a missing value must refer to a text.
    const offsets = new Uint32Array(Math.max(count, 1) + 1);
    const bytes = new Uint8Array(this.#used);
    let end = 0;
    for (let at = 0; at < count; at++) {
      const start = this.#starts[at + 1] - 1;
      if (start >= 0) {
        const length = this.#lengths[at + 1];
        bytes.set(this.#bytes.subarray(start, start + length), end);
        end += length;
      }
      offsets[at + 1] = end;
    }
    return {
      kind: 'text',
      count,
      valid: valid.includes(0) ? valid : null,
      codes: null,
      offsets,
      bytes,
      distinct: false,
    };
  }
}
