/**
 * The entity IDs of a request, in the order of its entities. An ID is first read in lower case, before its dimension is known;
 * it is read again, unchanged, if the dimension preserves the case of its IDs.
 */
import { ENTITIES_PER_INSERT_MAX, sameBytes } from '../base/index.js';
import { InsertError } from './insert-error.js';
import type { Source } from './source.js';
import { decodeText, readText, TextSink } from './values/text.js';

export class RequestIds {
  readonly #sink = new TextSink();
  /** The ID of entity e is at [ends[e], ends[e + 1]) in the sink. */
  readonly #ends = new Int32Array(ENTITIES_PER_INSERT_MAX + 1);
  readonly #hashes = new Int32Array(ENTITIES_PER_INSERT_MAX);
  /** Open addressing by ID hash: entity + 1, 0 = free. */
  readonly #slots = new Int32Array(4 * 2 ** Math.ceil(Math.log2(ENTITIES_PER_INSERT_MAX)));
  #count = 0;
  #from = 0;
  /** Whether an ID may be stored twice. */
  repeats = false;

  clear(): void {
    this.#sink.length = 0;
    this.#slots.fill(0);
    this.#count = 0;
  }

  /** The number of stored IDs. */
  get count(): number {
    return this.#count;
  }

  get bytes(): Uint8Array {
    return this.#sink.bytes;
  }

  /** The ID that was read last. */
  get text(): string {
    return new TextDecoder().decode(this.bytes.subarray(this.#from, this.end));
  }

  /** The offset of the first byte of the ID that was read last; `end` is the offset after its last byte. */
  get from(): number {
    return this.#from;
  }

  get end(): number {
    return this.#sink.length;
  }

  get hash(): number {
    return this.#sink.hash;
  }

  /** The code points of the ID that was read last; above TEXT_POINTS_MAX, it was not read to its end. */
  get points(): number {
    return this.#sink.points;
  }

  /** Reads the ID in lower case whose quote is at `at`; returns the offset after its closing quote. */
  read(source: Source, at: number): number {
    this.#from = this.#ends[this.#count];
    this.#sink.length = this.#from;
    return readText(source, at + 1, this.#sink);
  }

  /** Reads the ID again as it was sent. */
  readUnchanged(source: Source, at: number): void {
    this.#sink.length = this.#from;
    decodeText(source, at + 1, this.#sink, false);
  }

  /** Stores the ID that was read last. Throws 2019 if it must not be stored twice; `keyAt` is its offset. */
  store(keyAt: number): void {
    if (this.repeats) {
      this.#ends[++this.#count] = this.#sink.length;
      return;
    }
    const { bytes, hash, length: end } = this.#sink;
    const from = this.#from;
    const ends = this.#ends;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const other = this.#slots[slot] - 1;
      if (this.#hashes[other] !== hash || ends[other + 1] - ends[other] !== end - from) continue;
      if (sameBytes(bytes, ends[other], bytes, from, end - from)) {
        throw new InsertError(2019, keyAt, 'the entity ID occurs twice in the request');
      }
    }
    this.#slots[slot] = this.#count + 1;
    this.#hashes[this.#count++] = hash;
    ends[this.#count] = end;
  }
}
