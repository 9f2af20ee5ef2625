/** The fields of one message of a client, from its front to its end. Throws ProtocolFault where it ends too early. */
import { ProtocolFault } from './fault.js';

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

  /** A count of what follows. */
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

  /** To the zero byte that ends it, which is passed. */
  text(): string {
    const end = this.bytes.indexOf(0, this.#at);
    if (end === -1) throw new ProtocolFault('08P01', 'a text of the message has no end');
    const text = utf8(this.bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  get ended(): boolean {
    return this.#at === this.bytes.length;
  }

  expectEnd(): void {
    if (!this.ended) throw new ProtocolFault('08P01', 'the message is longer than what is in it');
  }

  #take(byteCount: number): Buffer {
    const end = this.#at + byteCount;
    if (byteCount < 0 || end > this.bytes.length) {
      throw new ProtocolFault('08P01', 'the message is shorter than what should be in it');
    }
    const taken = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

export function utf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProtocolFault('22021', 'a text of the message is not UTF-8');
  }
}
