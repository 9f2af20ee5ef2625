/**
 * Arrays in one block of bytes, for receivers that share no memory with the sender. Little-endian; every array starts at a
 * multiple of 8 bytes and is padded with zeros.
 *        0    4 magic        what the block contains
 *        4    4 version
 *        8    4 byteCount    of the whole
 *       12    4 crc32        CRC-32 (zlib) over [16, byteCount)
 *       16      arrays
 */
import { crc32 } from 'node:zlib';
import { QuarryError } from '../base/index.js';

/** Of all kinds of blocks together. */
const VERSION = 2;
const HEAD_BYTES = 16;
const CRC_AT = 12;
/** Exclusive: byteCount has 32 bits. */
const BYTES_MAX = 2 ** 32;

type Numbers = Uint8Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array;

type ArrayType<T> = {
  new (buffer: ArrayBufferLike, at: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Collects arrays, which must not change before `finish`. */
export class BlockWriter {
  readonly #arrays: Numbers[] = [];

  add(array: Numbers): void {
    this.#arrays.push(array);
  }

  /** The block, in memory of its own. Throws 9006 if it takes 4 GiB or more. */
  finish(magic: number): Uint8Array<ArrayBuffer> {
    const byteCount = this.#arrays.reduce((sum, { byteLength }) => sum + aligned(byteLength), HEAD_BYTES);
    if (byteCount >= BYTES_MAX)
      throw new QuarryError(9006, 'rows of the query take 4 GiB or more in one part');
    const bytes = new Uint8Array(byteCount);
    let at = HEAD_BYTES;
    for (const array of this.#arrays) {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
      at += aligned(array.byteLength);
    }
    new Uint32Array(bytes.buffer, 0, HEAD_BYTES / 4).set([magic, VERSION, byteCount, 0]);
    new DataView(bytes.buffer).setUint32(CRC_AT, crc32(bytes.subarray(HEAD_BYTES)), true);
    return bytes;
  }
}

/** The bytes are not a block in this version of the format, or are damaged. */
export class BlockError extends Error {
  override name = 'BlockError';
}

/** Throws a BlockError unless `holds`. */
export function checkBlock(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new BlockError(`received bytes are damaged: ${reason}`);
}

/** Reads the arrays of a block one after the other, as views of its bytes if these start at a multiple of 8, else of a copy. */
export class BlockReader {
  readonly #bytes: Uint8Array<ArrayBufferLike>;
  #at = HEAD_BYTES;

  /** Throws a BlockError unless magic, version, length and checksum are right. */
  constructor(bytes: Uint8Array<ArrayBufferLike>, magic: number) {
    checkBlock(bytes.length >= HEAD_BYTES, 'the head is cut off');
    const own = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    const head = new Uint32Array(own.buffer, own.byteOffset, HEAD_BYTES / 4);
    checkBlock(head[0] === magic, 'they begin as something else');
    checkBlock(head[1] === VERSION, `format version ${head[1]}, expected ${VERSION}`);
    checkBlock(head[2] === own.length, `${own.length} bytes of ${head[2]}`);
    checkBlock(head[3] === crc32(own.subarray(HEAD_BYTES)), 'the checksum differs');
    this.#bytes = own;
  }

  /** Bytes after the last array that was read. */
  get restBytes(): number {
    return this.#bytes.length - this.#at;
  }

  /** Throws a BlockError if the array is cut off. */
  array<T>(type: ArrayType<T>, length: number): T {
    const end = this.#at + aligned(length * type.BYTES_PER_ELEMENT);
    checkBlock(end <= this.#bytes.length, 'an array is cut off');
    const array = new type(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, length);
    this.#at = end;
    return array;
  }

  /** Throws a BlockError if bytes follow. */
  end(): void {
    checkBlock(this.restBytes === 0, 'bytes follow the last array');
  }
}
