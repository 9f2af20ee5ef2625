/**
 * LZ4 frames; the only importer of lz4-napi. Frames are assembled here from blocks, because the library's block
 * functions decode several times as fast as its frame functions, and into memory of the caller.
 *
 * LZ4 frame as written here. Little-endian; offsets and sizes in bytes.
 *   offset size field
 *        0    4 magic 0x184d2204
 *        4    1 FLG 0x60: version 1, independent blocks, no checksums, no content size
 *        5    1 BD 0x50: blocks of at most 256 KiB, each but the last exactly that many bytes of content
 *        6    1 header checksum of FLG and BD: 0xfb
 *        7    - blocks: u32 length (top bit set: stored, not compressed), then that many bytes
 *      end    4 end mark: u32 0
 * Invariant: frames have no checksums; the file that contains them has a CRC.
 */
import { compress, compressSync, uncompressSync } from 'lz4-napi';
import type { Lz4 } from '../column/index.js';

const HEADER = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x50, 0xfb);
const BLOCK_BYTES_MAX = 256 * 1024;
const END_MARK = new Uint8Array(4);
const STORED_BIT = 0x8000_0000;
/** Shorter inputs are stored without a frame. */
const INPUT_BYTES_MIN = 64;
const SAMPLE_BYTES = 4096;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Compression must save at least an eighth; otherwise decoding costs more than reading saves. */
const isWorthIt = (before: number, after: number): boolean => after <= before - (before >> 3);

/** False when two samples of a block do not compress. */
function looksCompressible(block: Buffer): boolean {
  if (block.length <= 4 * SAMPLE_BYTES) return true;
  const middle = block.length >> 1;
  return [0, middle].some((from) =>
    isWorthIt(SAMPLE_BYTES, compressSync(block.subarray(from, from + SAMPLE_BYTES)).length),
  );
}

function blocksOf(bytes: Uint8Array): Buffer[] {
  const whole = bufferOf(bytes);
  const blocks: Buffer[] = [];
  for (let at = 0; at < whole.length; at += BLOCK_BYTES_MAX)
    blocks.push(whole.subarray(at, at + BLOCK_BYTES_MAX));
  return blocks;
}

/** The parts of the frame of `blocks`; packed[i] is the library's output for block i, or null to store it uncompressed. */
function frameOf(
  byteCount: number,
  blocks: readonly Buffer[],
  packed: readonly (Buffer | null)[],
): Uint8Array[] | null {
  const parts: Uint8Array[] = [HEADER];
  let total = HEADER.length + END_MARK.length;
  for (const [index, block] of blocks.entries()) {
    const data = packed[index];
    if (data === null) {
      const length = Buffer.alloc(4);
      length.writeUInt32LE((block.length | STORED_BIT) >>> 0);
      parts.push(length, block);
      total += 4 + block.length;
    } else {
      // The library writes the length of the content before the data; a frame has the length of the data there.
      data.writeUInt32LE(data.length - 4);
      parts.push(data);
      total += data.length;
    }
  }
  parts.push(END_MARK);
  return isWorthIt(byteCount, total) ? parts : null;
}

/** The compressed block, or null when it is to be stored uncompressed. */
const worthwhile = (block: Buffer, packed: Buffer): Buffer | null =>
  isWorthIt(block.length, packed.length) ? packed : null;

function lz4CompressSync(bytes: Uint8Array): Uint8Array[] | null {
  if (bytes.length < INPUT_BYTES_MIN) return null;
  const blocks = blocksOf(bytes);
  const packed = blocks.map((block) =>
    looksCompressible(block) ? worthwhile(block, compressSync(block)) : null,
  );
  return frameOf(bytes.length, blocks, packed);
}

async function lz4Compress(bytes: Uint8Array): Promise<Uint8Array[] | null> {
  if (bytes.length < INPUT_BYTES_MIN) return null;
  const blocks = blocksOf(bytes);
  const packed = await Promise.all(
    blocks.map(async (block) => (looksCompressible(block) ? worthwhile(block, await compress(block)) : null)),
  );
  return frameOf(bytes.length, blocks, packed);
}

/** Decompresses one block into `into`; `scratch` gets the length and the data in the layout that the library expects. */
function decompressBlock(data: Uint8Array, into: Uint8Array, scratch: Buffer): void {
  if (data.length + 4 > scratch.length) throw new Error('an LZ4 block is longer than its bound');
  scratch.writeUInt32LE(into.length, 0);
  scratch.set(data, 4);
  const content = uncompressSync(scratch.subarray(0, 4 + data.length));
  if (content.length !== into.length) {
    throw new Error(`an LZ4 block has ${content.length} bytes instead of ${into.length}`);
  }
  into.set(content);
}

function lz4Decompress(frame: Uint8Array, into: Uint8Array, scratch: Buffer): void {
  if (frame.length < HEADER.length + 4 || HEADER.some((byte, at) => frame[at] !== byte)) {
    throw new Error('an LZ4 frame has a header that this server does not write');
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  let at = HEADER.length;
  for (let filled = 0; filled < into.length; filled += BLOCK_BYTES_MAX) {
    const target = into.subarray(filled, filled + BLOCK_BYTES_MAX);
    if (at + 8 > frame.length) throw new Error('an LZ4 frame ends before its content');
    const word = view.getUint32(at, true);
    const length = word & ~STORED_BIT;
    at += 4;
    if (at + length + 4 > frame.length) throw new Error('an LZ4 block reaches past its frame');
    const data = frame.subarray(at, at + length);
    at += length;
    if (word < STORED_BIT) decompressBlock(data, target, scratch);
    else if (length === target.length) target.set(data);
    else throw new Error(`a stored LZ4 block has ${length} bytes instead of ${target.length}`);
  }
  if (view.getUint32(at, true) !== 0 || at + 4 !== frame.length) {
    throw new Error('an LZ4 frame does not end with its content');
  }
}

/** Creates the functions with scratch memory of their own (256 KiB, allocated at the first decompression); one per thread. */
export function createLz4(): Lz4 {
  let scratch: Buffer | null = null;
  return {
    compress: lz4Compress,
    compressSync: lz4CompressSync,
    decompress: (frame, into) => {
      scratch ??= Buffer.allocUnsafeSlow(BLOCK_BYTES_MAX + (BLOCK_BYTES_MAX >> 6) + 64);
      lz4Decompress(frame, into, scratch);
    },
  };
}
