/** The bytes of an answer of rows, part by part, as fast as somebody takes them. */
import type { RowFormat } from './row-encoder.js';

export interface RowStream {
  readonly format: RowFormat;
  /**
   * Head, parts of rows and tail in their order. Rejects with a QuarryError where the answer cannot be finished; when it is
   * left before its end (`return`), what makes it stops and everything that it holds is given back.
   */
  readonly parts: AsyncGenerator<Uint8Array, void, void>;
  /** Tells that a part is not looked at any more: its memory may be used again. Need not be called. */
  readonly done?: (part: Uint8Array) => void;
  /** Rows made so far: all of them when the parts are at their end. Left out: nobody counts. */
  readonly rowCount?: () => number;
}

/** Rows of some kind as the bytes of an answer, piece by piece: see RowEncoder. */
export interface StreamEncoder<Row> {
  readonly format: RowFormat;
  head(): Uint8Array;
  rows(rows: readonly Row[]): Uint8Array;
  tail(rowCount: number): Uint8Array;
}
