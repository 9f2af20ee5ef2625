/**
 * Reads a file sequentially in large pieces; the next piece is read while the current one is processed.
 * Invariants: a returned view stays valid as long as it is referenced; it is 8-aligned in memory as long as every skipped length
 * is a multiple of 8.
 */
import type { FileHandle } from '../io/index.js';

export class ReadAhead {
  readonly #handle: FileHandle;
  readonly #pieceBytes: number;
  /** Pieces read and not yet skipped, and the position in the first one. */
  readonly #pieces: Uint8Array[] = [];
  #at = 0;
  #leftBytes = 0;
  /** The file offset of the next piece, and the pending read. */
  #readAt = 0;
  #reading: Promise<Uint8Array> | null;
  #ended = false;

  /** `pieceBytes` is a multiple of 8. */
  constructor(handle: FileHandle, pieceBytes: number) {
    this.#handle = handle;
    this.#pieceBytes = pieceBytes;
    this.#reading = this.#readPiece();
  }

  /** The next `bytes` bytes without consuming them; null when they are not in memory in one piece. */
  peekNow(bytes: number): Uint8Array | null {
    const first = this.#pieces[0];
    if (first === undefined || first.byteLength - this.#at < bytes) return null;
    return first.subarray(this.#at, this.#at + bytes);
  }

  /** The same, but reads missing bytes; fewer than `bytes` only at the end of the file. */
  async peek(bytes: number): Promise<Uint8Array> {
    while (this.#leftBytes < bytes && !this.#ended) await this.#more();
    const now = this.peekNow(Math.min(bytes, this.#leftBytes));
    return now ?? this.#joined(Math.min(bytes, this.#leftBytes));
  }

  /** Consumes bytes that were peeked. */
  skip(bytes: number): void {
    this.#at += bytes;
    this.#leftBytes -= bytes;
    while (this.#pieces.length > 0 && this.#at >= this.#pieces[0].byteLength) {
      this.#at -= this.#pieces[0].byteLength;
      this.#pieces.shift();
    }
  }

  /** Waits for the read in progress; the handle may be closed afterwards. */
  async stop(): Promise<void> {
    this.#ended = true;
    await this.#reading?.catch(() => {});
  }

  #readPiece(): Promise<Uint8Array> {
    const piece = Buffer.allocUnsafeSlow(this.#pieceBytes);
    const reading = this.#handle.read(piece, this.#readAt).then((count) => piece.subarray(0, count));
    reading.catch(() => {});
    this.#readAt += this.#pieceBytes;
    return reading;
  }

  async #more(): Promise<void> {
    if (this.#reading === null) return;
    const piece = await this.#reading;
    this.#ended = piece.byteLength < this.#pieceBytes;
    this.#reading = this.#ended ? null : this.#readPiece();
    if (piece.byteLength === 0) return;
    this.#pieces.push(piece);
    this.#leftBytes += piece.byteLength;
  }

  /** A copy of bytes that extend over several pieces. */
  #joined(bytes: number): Uint8Array {
    const whole = Buffer.allocUnsafeSlow(bytes);
    let filled = 0;
    let from = this.#at;
    for (const piece of this.#pieces) {
      if (filled === bytes) break;
      const part = piece.subarray(from, from + bytes - filled);
      whole.set(part, filled);
      filled += part.byteLength;
      from = 0;
    }
    return whole;
  }
}
