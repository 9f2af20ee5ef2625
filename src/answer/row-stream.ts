/** The bytes of an answer of rows as a stream of parts, produced as fast as the consumer takes them. */
import type { RowFormat } from './row-encoder.js';

export interface RowStream {
  readonly format: RowFormat;
  /**
   * Head, parts of rows and tail, in this order. Rejects with a QuarryError when the answer cannot be completed. When the
   * consumer stops early (`return`), the producer stops and releases its resources.
   */
  readonly parts: AsyncGenerator<Uint8Array, void, void>;
  /** Releases a part that the consumer no longer reads, so that its memory can be reused. Optional. */
  readonly done?: (part: Uint8Array) => void;
  /** The number of rows produced so far. Absent if the producer does not count. */
  readonly rowCount?: () => number;
}

/** Encodes rows of type `Row` part by part; see RowEncoder. */
export interface StreamEncoder<Row> {
  readonly format: RowFormat;
  head(): Uint8Array;
  rows(rows: readonly Row[]): Uint8Array;
  tail(rowCount: number): Uint8Array;
}
