/**
 * Runs of rows of a text file, as bytes.
 * Invariants: a block has whole rows; where a file is cut depends only on its bytes; rows are counted from 1, without a header.
 */
import { isUtf8 } from 'node:buffer';

/** Limit of a line and of a row; the body of an insert cannot hold much more. */
export const LINE_BYTES_MAX = 2 ** 20;

export interface TextBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Rows, with those that cannot be read. */
  readonly count: number;
  /** Per row three elements: where it begins and ends in `bytes`, without its line break, and its line relative to `firstLine`. */
  readonly bounds: Int32Array<ArrayBuffer>;
  /** Number of the first row; 0 = it is the header. */
  readonly firstRow: number;
  readonly firstLine: number;
  /** Rows whose text cannot be divided, and why, in ascending order. */
  readonly broken: readonly BrokenText[];
}

export interface BrokenText {
  /** Index of the row in the block. */
  readonly index: number;
  readonly reason: string;
}

export const BOUNDS = 3;

/** A text whose bytes are not UTF-8 has lone surrogates (U+DC80 + byte - 0x80) in their stead, which no value may contain. */
export function textOfBytes(bytes: Uint8Array, from: number, to: number): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  return isUtf8(buffer) ? buffer.toString('utf8') : withSurrogates(buffer);
}

const withSurrogates = (line: Buffer): string =>
  line.toString('latin1').replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));

/** The text of a row of a block. */
export const rowText = ({ bytes, bounds }: TextBlock, index: number): string =>
  textOfBytes(bytes, bounds[index * BOUNDS], bounds[index * BOUNDS + 1]);

/** The line on which a row of a block begins. */
export const rowLine = ({ bounds, firstLine }: TextBlock, index: number): number =>
  firstLine + bounds[index * BOUNDS + 2];

/** The blocks of a text, whose first ones can be read twice: for a sample, and to be imported. */
export class TextBlocks {
  readonly #source: AsyncGenerator<TextBlock>;
  readonly #recorded: TextBlock[] = [];
  #isRecording = true;

  constructor(source: AsyncGenerator<TextBlock>) {
    this.#source = source;
  }

  /** Blocks that are read from now on are read only once. */
  stopRecording(): void {
    this.#isRecording = false;
  }

  async *read(): AsyncGenerator<TextBlock> {
    for (let next = await this.#source.next(); next.done !== true; next = await this.#source.next()) {
      if (this.#isRecording) this.#recorded.push(next.value);
      yield next.value;
    }
  }

  /** All blocks from the first. Must be called before one that was not recorded is read. */
  async *again(): AsyncGenerator<TextBlock> {
    yield* this.#recorded.splice(0);
    yield* this.#source;
  }
}
