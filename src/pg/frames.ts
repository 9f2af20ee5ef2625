/**
 * What a client sends, cut into messages of the protocol of Postgres, version 3.
 *   first    i32 bytes (with itself), i32 code, rest           until one of them is a StartupMessage
 *   later    u8 kind, i32 bytes (with itself), rest
 * Invariants: a message is given whole or not at all; no more is kept than one message that is not whole, whose length was
 * checked before its bytes are kept; the bytes of a message are its own.
 */
import { MessageReader } from './message-reader.js';

export interface Frame {
  /** 0 of a first message. */
  readonly kind: number;
  readonly body: MessageReader;
}

export type Cut =
  | { readonly is: 'frame'; readonly frame: Frame }
  | { readonly is: 'more' }
  /** Nothing that follows can be understood. */
  | { readonly is: 'broken'; readonly why: string };

const MORE: Cut = { is: 'more' };
const FIRST_BYTES_MAX = 10_000;

export class Frames {
  /** Of the messages behind the first ones. */
  bytesMax: number;
  #isFirst = true;
  #parts: Uint8Array[] = [];
  #byteCount = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes that wait here. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** A message without kind was the last of its sort. */
  begun(): void {
    this.#isFirst = false;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#byteCount += part.length;
  }

  next(): Cut {
    const headBytes = this.#isFirst ? 4 : 5;
    if (this.#byteCount < headBytes) return MORE;
    const head = this.#joined(headBytes);
    const kindBytes = this.#isFirst ? 0 : 1;
    const length = head.readInt32BE(kindBytes);
    const lengthMax = this.#isFirst ? FIRST_BYTES_MAX : this.bytesMax;
    if (length < (this.#isFirst ? 8 : 4) || length > lengthMax) {
      return { is: 'broken', why: `a message of ${length} bytes; from 4 to ${lengthMax} are taken` };
    }
    const byteCount = kindBytes + length;
    if (this.#byteCount < byteCount) return MORE;
    const bytes = this.#joined(byteCount);
    const kind = this.#isFirst ? 0 : bytes[0];
    const body = new MessageReader(Buffer.from(bytes.subarray(headBytes, byteCount)));
    this.#drop(byteCount);
    return { is: 'frame', frame: { kind, body } };
  }

  /** The first part, made to hold at least so many bytes. */
  #joined(byteCount: number): Buffer {
    let [first] = this.#parts;
    if (first.length < byteCount) {
      first = Buffer.concat(this.#parts);
      this.#parts = [first];
    }
    return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  }

  #drop(byteCount: number): void {
    const [first] = this.#parts;
    this.#byteCount -= byteCount;
    if (first.length === byteCount) this.#parts.shift();
    else this.#parts[0] = first.subarray(byteCount);
  }
}
