/**
 * The wire format of Protocol Buffers, as far as the messages of OTLP use it.
 * Invariants: nothing is read beyond the bytes of a message; every fault is a QuarryError 1503; the callers limit nesting.
 */
import { QuarryError } from '../../../base/index.js';

export type WireType = 'varint' | 'fixed64' | 'bytes' | 'fixed32';

const WIRE_TYPES: readonly (WireType | null)[] = ['varint', 'fixed64', 'bytes', null, null, 'fixed32'];
const VARINT_BYTES_MAX = 10;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A field of a message with its value. */
export interface WireField {
  readonly number: number;
  readonly type: WireType;
  /** The unsigned value of a varint or of fixed bytes; 0 for bytes. */
  readonly bits: bigint;
  /** Empty for numbers. */
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);

/** The fields of a message in their order. Throws 1503 when it comes to bytes that are no message. */
export function* fieldsOf(message: Uint8Array): Generator<WireField> {
  const reader = new WireReader(message);
  while (!reader.isAtEnd) yield reader.next();
}

class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  next(): WireField {
    const tag = this.#varint();
    const number = Number(tag >> 3n);
    const type = WIRE_TYPES[Number(tag & 7n)] ?? null;
    if (type === null || number === 0) throw faulty(`a field has the tag ${tag}`);
    switch (type) {
      case 'varint':
        return { number, type, bits: this.#varint(), bytes: NO_BYTES };
      case 'fixed64':
        return { number, type, bits: this.#view.getBigUint64(this.#take(8), true), bytes: NO_BYTES };
      case 'fixed32':
        return { number, type, bits: BigInt(this.#view.getUint32(this.#take(4), true)), bytes: NO_BYTES };
      case 'bytes': {
        const length = this.#varint();
        const from = this.#take(
          length > BigInt(this.#bytes.length) ? this.#bytes.length + 1 : Number(length),
        );
        return { number, type, bits: 0n, bytes: this.#bytes.subarray(from, this.#at) };
      }
    }
  }

  /** Passes over `count` bytes; returns their offset. */
  #take(count: number): number {
    const from = this.#at;
    if (count > this.#bytes.length - from) throw faulty('a field is longer than its message');
    this.#at += count;
    return from;
  }

  #varint(): bigint {
    let bits = 0n;
    for (let index = 0; index < VARINT_BYTES_MAX; index++) {
      const byte = this.#bytes[this.#take(1)];
      bits |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, bits);
    }
    throw faulty(`a number has more than ${VARINT_BYTES_MAX} bytes`);
  }
}

/** Throws 1503. */
export function textIn({ bytes }: WireField): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw faulty('a text is not valid UTF-8');
  }
}

const faulty = (detail: string): QuarryError =>
  new QuarryError(1503, `invalid message of Protocol Buffers: ${detail}`);

/** The bytes of a field with a text or a message. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varintOf((number << 3) | 2), varintOf(bytes.length), bytes]);
}

/** The bytes of a field with a number, which is not negative. */
export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varintOf(number << 3), varintOf(value)]);
}

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.of(...bytes, rest);
}
