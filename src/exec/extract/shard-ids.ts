/** The entity IDs of a shard's rows for one query: as bytes, as texts, and as sort keys. */
import { hashBytes, reversedBits, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import { type RowPosition, rankOfId } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { asBuffer, compareBytes, prefixOf } from '../sort/byte-order.js';
import { exactBound, type KeyBound, NO_ZONE, type OrderSortKey, type RowSortKey } from './sort-key.js';

interface SegmentIds {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  /** A Buffer over the same bytes. */
  readonly buffer: Buffer;
}

export class ShardIds {
  readonly #shard: DimensionShard;
  readonly #segments: (SegmentIds | undefined)[];

  constructor(shard: DimensionShard) {
    this.#shard = shard;
    this.#segments = new Array(shard.segments.length).fill(undefined);
  }

  of(segmentIndex: number): SegmentIds {
    let ids = this.#segments[segmentIndex];
    if (ids === undefined) {
      const { offsets, bytes } = this.#shard.segments[segmentIndex].ids();
      ids = { offsets, bytes, buffer: asBuffer(bytes) };
      this.#segments[segmentIndex] = ids;
    }
    return ids;
  }

  text(row: number): string {
    const { offsets, buffer } = this.of(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return buffer.toString('utf8', offsets[segmentRow], offsets[segmentRow + 1]);
  }

  compare(a: number, b: number): number {
    const [idsA, idsB] = [this.of(a >>> SEGMENT_ROWS_SHIFT), this.of(b >>> SEGMENT_ROWS_SHIFT)];
    const [atA, atB] = [a & SEGMENT_ROWS_MASK, b & SEGMENT_ROWS_MASK];
    const { offsets: startsA } = idsA;
    const { offsets: startsB } = idsB;
    return compareBytes(
      idsA.bytes,
      startsA[atA],
      startsA[atA + 1],
      idsB.bytes,
      startsB[atB],
      startsB[atB + 1],
    );
  }

  compareWith(row: number, id: Uint8Array): number {
    const { offsets, bytes } = this.of(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return compareBytes(bytes, offsets[segmentRow], offsets[segmentRow + 1], id, 0, id.length);
  }
}

/** A sort key by ID. */
export class IdKey implements OrderSortKey {
  readonly #ids: ShardIds;
  readonly #sign: 1 | -1;

  constructor(ids: ShardIds, descending: boolean) {
    this.#ids = ids;
    this.#sign = descending ? -1 : 1;
  }

  zone(): typeof NO_ZONE {
    return NO_ZONE;
  }

  narrow(): void {}

  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const { offsets, bytes } = this.#ids.of(segmentIndex);
    const sign = this.#sign;
    for (let at = 0; at < count; at++) {
      numbers[at] = sign * prefixOf(bytes, offsets[segmentRows[at]], offsets[segmentRows[at] + 1]);
    }
  }

  number(row: number): number {
    const { offsets, bytes } = this.#ids.of(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return this.#sign * prefixOf(bytes, offsets[segmentRow], offsets[segmentRow + 1]);
  }

  compareTied(a: number, b: number): number {
    return this.#sign * this.#ids.compare(a, b);
  }

  bound({ id }: RowPosition): KeyBound {
    const bytes = Buffer.from(id, 'utf8');
    return {
      number: this.#sign * prefixOf(bytes, 0, bytes.length),
      compareTied: (row) => this.#sign * this.#ids.compareWith(row, bytes),
    };
  }

  value(row: number): string {
    return this.#ids.text(row);
  }
}

/** A sort key by rank, the bit-reversed hash of the ID: the order of an extraction without an order. */
export class RankKey implements RowSortKey {
  readonly #ids: ShardIds;

  constructor(ids: ShardIds) {
    this.#ids = ids;
  }

  zone(): typeof NO_ZONE {
    return NO_ZONE;
  }

  narrow(): void {}

  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const { offsets, bytes } = this.#ids.of(segmentIndex);
    for (let at = 0; at < count; at++) {
      numbers[at] = reversedBits(hashBytes(bytes, offsets[segmentRows[at]], offsets[segmentRows[at] + 1]));
    }
  }

  number(row: number): number {
    const { offsets, bytes } = this.#ids.of(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return reversedBits(hashBytes(bytes, offsets[segmentRow], offsets[segmentRow + 1]));
  }

  compareTied(): number {
    return 0;
  }

  bound({ id }: RowPosition): KeyBound {
    return exactBound(rankOfId(id));
  }
}
