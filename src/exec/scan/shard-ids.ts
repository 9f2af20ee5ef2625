/** The entity IDs of a shard's rows for one query, as bytes and as texts. */
import { hashBytes, reversedBits, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { compareBytes } from '../sort/byte-order.js';

interface SegmentIds {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export class ShardIds {
  readonly #shard: DimensionShard;
  readonly #segments: (SegmentIds | undefined)[];

  constructor(shard: DimensionShard) {
    this.#shard = shard;
    this.#segments = new Array(shard.segments.length).fill(undefined);
  }

  #of(row: number): SegmentIds {
    const index = row >>> SEGMENT_ROWS_SHIFT;
    let ids = this.#segments[index];
    if (ids === undefined) {
      ids = this.#shard.segments[index].ids();
      this.#segments[index] = ids;
    }
    return ids;
  }

  text(row: number): string {
    const { offsets, bytes } = this.#of(row);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return Buffer.from(bytes.subarray(offsets[segmentRow], offsets[segmentRow + 1])).toString('utf8');
  }

  /** The bit-reversed hash of the row's ID, the order of an extraction without an order. */
  rank(row: number): number {
    const { offsets, bytes } = this.#of(row);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return reversedBits(hashBytes(bytes, offsets[segmentRow], offsets[segmentRow + 1]));
  }

  /** Compares the IDs of two rows by UTF-8 bytes; the second may be of another shard. */
  compare(row: number, otherRow: number, other: ShardIds = this): number {
    const { offsets, bytes } = other.#of(otherRow);
    const at = otherRow & SEGMENT_ROWS_MASK;
    return this.#compare(row, bytes, offsets[at], offsets[at + 1]);
  }

  compareWith(row: number, id: Uint8Array): number {
    return this.#compare(row, id, 0, id.length);
  }

  #compare(row: number, other: Uint8Array, from: number, to: number): number {
    const { offsets, bytes } = this.#of(row);
    const at = row & SEGMENT_ROWS_MASK;
    return compareBytes(bytes, offsets[at], offsets[at + 1], other, from, to);
  }
}
