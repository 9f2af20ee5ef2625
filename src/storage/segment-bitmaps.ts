/** The members of segments among the rows of a dimension's shard, as they were when they were last read. */

/** Bytes that are retained for all segments of a dimension's shard; the least recently read ones are dropped. */
const BYTES_MAX = 32 * 2 ** 20;

/** A dimension's shard whose rows decide who is a member, and the position up to which its changes are in the bitmap. */
export interface SegmentSource {
  readonly shard: object;
  readonly position: number;
}

export interface SegmentBitmap {
  /** The condition for which the bitmap was computed. */
  readonly text: string;
  /** One bit per row: row r is bit r & 7 of byte r >> 3. */
  readonly bitmap: Uint8Array;
  /** The dimension itself, then those of the IDs of static segments; undefined = there was none. */
  readonly sources: readonly (SegmentSource | undefined)[];
  /** What the next computation of the bitmap uses. */
  readonly retained: { readonly bytes: number };
}

export class SegmentBitmaps {
  readonly #ofSegment = new Map<number, SegmentBitmap>();
  readonly #bytesOf = new Map<number, number>();
  #bytes = 0;

  get memoryBytes(): number {
    return this.#bytes;
  }

  get(segmentId: number): SegmentBitmap | undefined {
    const found = this.#ofSegment.get(segmentId);
    if (found === undefined) return undefined;
    this.#ofSegment.delete(segmentId);
    this.#ofSegment.set(segmentId, found);
    return found;
  }

  set(segmentId: number, bitmap: SegmentBitmap): void {
    this.#drop(segmentId);
    this.#ofSegment.set(segmentId, bitmap);
    const bytes = bitmap.bitmap.byteLength + bitmap.retained.bytes;
    this.#bytesOf.set(segmentId, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#ofSegment.keys()) {
      if (this.#bytes <= BYTES_MAX || oldest === segmentId) return;
      this.#drop(oldest);
    }
  }

  #drop(segmentId: number): void {
    this.#bytes -= this.#bytesOf.get(segmentId) ?? 0;
    this.#bytesOf.delete(segmentId);
    this.#ofSegment.delete(segmentId);
  }
}
