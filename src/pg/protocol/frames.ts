/**
 * Splits the input of a client into messages of the Postgres protocol, version 3.
 *   first    i32 bytes (with itself), i32 code, rest           until one of them is a StartupMessage
 *   later    u8 kind, i32 bytes (with itself), rest
 * Invariants: only complete messages are returned; a message's length is checked before its bytes are buffered; a message's
 * bytes are not shared with the buffer.
 */
import { MessageReader } from './message-reader.js';

export interface Frame {
  /** 0 for a first message. */
  readonly kind: number;
  readonly body: MessageReader;
}

export type Cut =
  | { readonly is: 'frame'; readonly frame: Frame }
  | { readonly is: 'more' }
  /** The input cannot be split any further. */
  | { readonly is: 'broken'; readonly why: string };

const MORE: Cut = { is: 'more' };
const FIRST_BYTES_MAX = 10_000;
const PARTS_MAX = 1_000;

export class Frames {
  /** Length limit of messages after the first ones. */
  bytesMax: number;
  #isFirst = true;
  #parts: Uint8Array[] = [];
  #byteCount = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Buffered bytes. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** Later messages have a kind: the StartupMessage has arrived. */
  startupReceived(): void {
    this.#isFirst = false;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#byteCount += part.length;
    // Many small parts take far more memory than their bytes.
    if (this.#parts.length > PARTS_MAX) this.#parts = [Buffer.concat(this.#parts)];
  }

  next(): Cut {
    const headBytes = this.#isFirst ? 4 : 5;
    if (this.#byteCount < headBytes) return MORE;
    const head = this.#joined(headBytes);
    const kindBytes = this.#isFirst ? 0 : 1;
    const length = head.readInt32BE(kindBytes);
    const lengthMax = this.#isFirst ? FIRST_BYTES_MAX : this.bytesMax;
    if (length < (this.#isFirst ? 8 : 4) || length > lengthMax) {
      return { is: 'broken', why: `a message has ${length} bytes; the limits are 4 and ${lengthMax}` };
    }
    const byteCount = kindBytes + length;
    if (this.#byteCount < byteCount) return MORE;
    const bytes = this.#joined(byteCount);
    const kind = this.#isFirst ? 0 : bytes[0];
    const body = new MessageReader(Buffer.from(bytes.subarray(headBytes, byteCount)));
    this.#drop(byteCount);
    return { is: 'frame', frame: { kind, body } };
  }

  /** The first buffered part, joined with later parts until it has at least `byteCount` bytes. */
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
