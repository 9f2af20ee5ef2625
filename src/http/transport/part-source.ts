/** A body that is divided into parts while its bytes arrive. */
import type { QuarryError } from '../../base/index.js';
import type { LineNumbers } from '../../ingest/index.js';

export interface BodyPart {
  /** From 1. */
  readonly number: number;
  /** The line in the body, from 1; of Arrow, the row. */
  readonly firstLine: number;
  readonly lineCount: number;
  /** Valid until more bytes are added; null = it is too long. */
  readonly text: Uint8Array<ArrayBuffer> | null;
  /** Why there is no text; absent = it is one line that is too long. */
  readonly refusal?: QuarryError;
  readonly lines: LineNumbers;
}

export interface PartSource {
  /** Number and first line of the next part. */
  readonly next: Pick<BodyPart, 'number' | 'firstLine'>;
  /** Bytes that have arrived and were not taken out. */
  readonly byteLength: number;
  /** Bytes after the first complete part. */
  readonly aheadBytes: number;
  /** True if a whole part has arrived. */
  readonly hasPart: boolean;
  /** What is wrong with the rest of the body, so that there are no further parts. */
  readonly fault?: QuarryError | null;
  /**
   * Resolves when a part or a fault may have come, or the end, without further bytes; null or absent = only bytes of the body bring them.
   */
  readonly coming?: Promise<void> | null;
  /** Copies `chunk`. Returns false, and copies nothing, if the budget has not enough capacity. */
  add(chunk: Uint8Array): boolean;
  /** The body is complete. */
  end(): void;
  /** Takes out the first part, which must be whole. */
  take(): BodyPart;
  /** Releases the memory. */
  release(): void;
}
