/** Reads the fields of one client message in order. Throws 08P01 if the message is too short. */
import { ProtocolError } from './errors.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

export class MessageReader {
  readonly bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  int16(): number {
    return this.#take(2).readInt16BE(0);
  }

  /** The number of items that follow. */
  count(): number {
    return this.#take(2).readUInt16BE(0);
  }

  int32(): number {
    return this.#take(4).readInt32BE(0);
  }

  byte(): number {
    return this.#take(1)[0];
  }

  take(byteCount: number): Buffer {
    return this.#take(byteCount);
  }

  /** Reads a zero-terminated string. */
  text(): string {
    const end = this.bytes.indexOf(0, this.#at);
    if (end === -1) throw new ProtocolError('08P01', 'a string in the message is not terminated');
    const text = utf8(this.bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  /** Everything that was not read yet. */
  rest(): Buffer {
    return this.#take(this.bytes.length - this.#at);
  }

  get ended(): boolean {
    return this.#at === this.bytes.length;
  }

  expectEnd(): void {
    if (!this.ended) throw new ProtocolError('08P01', 'the message has extra bytes after its last field');
  }

  #take(byteCount: number): Buffer {
    const end = this.#at + byteCount;
    if (byteCount < 0 || end > this.bytes.length) {
      throw new ProtocolError('08P01', 'the message is too short for its fields');
    }
    const field = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return field;
  }
}

export function utf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProtocolError('22021', 'a string in the message is not valid UTF-8');
  }
}
