/**
 * Decodes zstd (RFC 8878) as its bytes arrive, one block at a time, on this thread: Node 20 has no zstd. Dictionaries are not
 * supported, and checksums are not compared, as brotli has none either.
 * Invariants: a step decodes at most one block, to at most BLOCK_BYTES_MAX bytes; besides it, a reader has the window of one
 * frame, and the bytes of one block that has not arrived as a whole. Every fault is a ZstdFault.
 */
import { Duplex } from 'node:stream';
import { Decompress } from 'fzstd';

/** Largest window of a frame: what RFC 8878 recommends that decoders support, and the most that levels up to 19 use. */
const WINDOW_BYTES_MAX = 8 * 2 ** 20;
export const BLOCK_BYTES_MAX = 128 * 1024;
const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const HEADER_BYTES_MAX = 18;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const RLE = 1;
const RESERVED = 3;
/** The windows of a body's frames may have these bytes together, and some for each byte of the body: clearing them takes time. */
const WINDOWS_BYTES_MIN = 64 * 2 ** 20;
const WINDOWS_BYTES_PER_BYTE = 1_024;

export class ZstdFault extends Error {
  override name = 'ZstdFault';
}

interface Frame {
  readonly decompress: Decompress;
  readonly blockBytesMax: number;
  readonly hasChecksum: boolean;
}

interface FrameHeader {
  readonly bytes: number;
  readonly windowBytes: number;
  readonly hasChecksum: boolean;
}

export class ZstdReader {
  readonly #decoded: Uint8Array[] = [];
  /** Bytes that are not decoded, at [#at, length). */
  #bytes = Buffer.alloc(0);
  #at = 0;
  #byteLength = 0;
  #windowsBytes = 0;
  #frame: Frame | null = null;
  /** The last block of the frame is decoded; its checksum may follow. */
  #isFrameDone = false;
  #skippedBytes = 0;
  #frameCount = 0;

  /** Copies `chunk`. */
  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#byteLength += chunk.length;
  }

  /** Decodes at most one block; the bytes, which may be none, are the caller's. null = more bytes must be added. Throws ZstdFault. */
  step(): Uint8Array | null {
    if (this.#skippedBytes > 0) {
      const bytes = Math.min(this.#skippedBytes, this.#left);
      this.#at += bytes;
      this.#skippedBytes -= bytes;
      if (this.#skippedBytes > 0) return null;
    }
    if (this.#frame === null) return this.#begin();
    return this.#isFrameDone ? this.#end(this.#frame) : this.#block(this.#frame);
  }

  /** Throws ZstdFault if the bytes, of which `step` can decode no more, end within a frame, or there was no frame. */
  finish(): void {
    if (this.#frame !== null || this.#left > 0 || this.#skippedBytes > 0 || this.#frameCount === 0)
      throw new ZstdFault('the bytes end too early');
  }

  get #left(): number {
    return this.#bytes.length - this.#at;
  }

  #begin(): Uint8Array | null {
    if (this.#left < 4) return null;
    const magic = this.#bytes.readUInt32LE(this.#at);
    if ((magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC) {
      if (this.#left < 8) return null;
      this.#skippedBytes = this.#bytes.readUInt32LE(this.#at + 4);
      this.#at += 8;
      this.#frameCount++;
      return new Uint8Array(0);
    }
    if (magic !== MAGIC) throw new ZstdFault('the bytes are not a frame');
    const header = headerAt(this.#bytes.subarray(this.#at, this.#at + HEADER_BYTES_MAX));
    if (header === null) return null;
    this.#windowsBytes += header.windowBytes;
    if (this.#windowsBytes > WINDOWS_BYTES_MIN + WINDOWS_BYTES_PER_BYTE * this.#byteLength)
      throw new ZstdFault('the windows of the frames are too large for their bytes');
    const decompress = new Decompress((block) => this.#decoded.push(block));
    this.#frame = {
      decompress,
      blockBytesMax: Math.min(BLOCK_BYTES_MAX, header.windowBytes),
      hasChecksum: header.hasChecksum,
    };
    this.#push(decompress, header.bytes, false);
    return new Uint8Array(0);
  }

  #block(frame: Frame): Uint8Array | null {
    if (this.#left < BLOCK_HEADER_BYTES) return null;
    const header = this.#bytes.readUIntLE(this.#at, BLOCK_HEADER_BYTES);
    const type = (header >>> 1) & 3;
    const size = header >>> 3;
    if (type === RESERVED || size > frame.blockBytesMax) throw new ZstdFault('a block is not valid');
    const bytes = BLOCK_HEADER_BYTES + (type === RLE ? 1 : size);
    if (this.#left < bytes) return null;
    this.#isFrameDone = (header & 1) === 1;
    return this.#push(frame.decompress, bytes, false);
  }

  #end({ decompress, hasChecksum }: Frame): Uint8Array | null {
    const bytes = hasChecksum ? CHECKSUM_BYTES : 0;
    if (this.#left < bytes) return null;
    this.#frame = null;
    this.#isFrameDone = false;
    this.#frameCount++;
    return this.#push(decompress, bytes, true);
  }

  /** Decodes the next `byteLength` bytes. fzstd waits with those of a short frame for its end. */
  #push(decompress: Decompress, byteLength: number, isLast: boolean): Uint8Array {
    // fzstd refers to the bytes until the frame ends.
    const bytes = new Uint8Array(this.#bytes.subarray(this.#at, this.#at + byteLength));
    this.#at += byteLength;
    try {
      decompress.push(bytes, isLast);
    } catch (error) {
      throw new ZstdFault(error instanceof Error ? error.message : String(error));
    }
    const blocks = this.#decoded.splice(0);
    return blocks.length === 1 ? blocks[0] : new Uint8Array(Buffer.concat(blocks));
  }
}

/** The header at the start of `bytes`; null = it is not whole. Throws ZstdFault. */
function headerAt(bytes: Buffer): FrameHeader | null {
  if (bytes.length < 6) return null;
  const flags = bytes[4];
  const isSingleSegment = (flags & 0x20) !== 0;
  const sizeCode = flags >>> 6;
  const sizeBytes = sizeCode === 0 ? Number(isSingleSegment) : 1 << sizeCode;
  if ((flags & 3) !== 0) throw new ZstdFault('dictionaries are not supported');
  if ((flags & 8) !== 0) throw new ZstdFault('a reserved bit is set');
  const sizeAt = isSingleSegment ? 5 : 6;
  if (bytes.length < sizeAt + sizeBytes) return null;
  const windowBytes = isSingleSegment ? sizeAtOf(bytes, sizeAt, sizeBytes) : windowOf(bytes[5]);
  if (windowBytes > WINDOW_BYTES_MAX)
    throw new ZstdFault(`the window of a frame is larger than ${WINDOW_BYTES_MAX} bytes`);
  return { bytes: sizeAt + sizeBytes, windowBytes, hasChecksum: (flags & 4) !== 0 };
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** The size of the content, which is the window. */
function sizeAtOf(bytes: Buffer, at: number, byteLength: number): number {
  if (byteLength === 8) return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  const size = bytes.readUIntLE(at, byteLength);
  return byteLength === 2 ? size + 256 : size;
}

/** A stream like those of node:zlib, which decodes a block per turn and nothing while its reader does not read. */
export function createZstdDecompress({ chunkSize }: { readonly chunkSize: number }): Duplex {
  return new ZstdStream(chunkSize);
}

class ZstdStream extends Duplex {
  readonly #reader = new ZstdReader();
  readonly #chunkBytes: number;
  #decoded: Uint8Array = new Uint8Array(0);
  #isWanted = false;
  #isScheduled = false;
  #written: ((error?: Error | null) => void) | null = null;
  #isLast = false;

  constructor(chunkBytes: number) {
    super({ readableHighWaterMark: 1, allowHalfOpen: true });
    this.#chunkBytes = chunkBytes;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#reader.add(chunk);
    this.#written = done;
    this.#schedule();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#isLast = true;
    this.#written = done;
    this.#schedule();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#schedule();
  }

  #schedule(): void {
    const hasWork = this.#decoded.length > 0 || this.#written !== null;
    if (!this.#isWanted || !hasWork || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.destroyed) this.#work();
    });
  }

  /** Delivers one chunk, or decodes one block. */
  #work(): void {
    if (this.#decoded.length > 0) {
      const chunk = this.#decoded.subarray(0, this.#chunkBytes);
      this.#decoded = this.#decoded.subarray(this.#chunkBytes);
      this.#isWanted = this.push(chunk);
    } else if (this.#written !== null) this.#decode(this.#written);
    this.#schedule();
  }

  #decode(done: (error?: Error | null) => void): void {
    // `done` of the last write calls `_final`.
    const isLast = this.#isLast;
    try {
      const block = this.#reader.step();
      if (block !== null) {
        this.#decoded = block;
        return;
      }
      if (isLast) this.#reader.finish();
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    this.#written = null;
    done();
    if (isLast) this.push(null);
  }
}

/**
 * Decodes a whole body, a block per turn. Rejects with ZstdFault; the result is null if it would have more than `bytesMax` bytes.
 */
export async function decodeZstd(bytes: Uint8Array, bytesMax: number): Promise<Buffer | null> {
  const reader = new ZstdReader();
  reader.add(bytes);
  const blocks: Uint8Array[] = [];
  let byteLength = 0;
  for (let block = reader.step(); block !== null; block = reader.step()) {
    byteLength += block.length;
    if (byteLength > bytesMax) return null;
    blocks.push(block);
    await turn();
  }
  reader.finish();
  return Buffer.concat(blocks);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
