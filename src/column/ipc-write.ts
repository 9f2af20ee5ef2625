/**
 * Assembles the bytes of a snapshot file from a plan and the LZ4 frames of its buffers; ipc.ts documents the layout.
 * apache-arrow encodes the metadata of messages. This file writes framing and bodies, because apache-arrow's writer (21.2)
 * puts the compressed length before a compressed buffer where the format requires the uncompressed length, which other
 * readers refuse ("LZ4 frame was not fully decoded").
 */
import { MetadataVersion } from 'apache-arrow/enum';
import { CompressionType } from 'apache-arrow/fb/compression-type';
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import {
  BodyCompression,
  BufferRegion,
  DictionaryBatch,
  Message,
  RecordBatch,
} from 'apache-arrow/ipc/metadata/message';
import { QuarryError } from '../base/index.js';
import type { Body, FilePlan } from './ipc-plan.js';
import { BUFFER_BYTES_MAX } from './ipc-read.js';

const MAGIC = new TextEncoder().encode('ARROW1');
const CONTINUATION = 0xffff_ffff;
const align8 = (bytes: number): number => (bytes + 7) & ~7;
const wordsOf = (...words: number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

/** Collects the parts of the file and the offset of each message. */
class Assembler {
  #parts: Uint8Array[] = [];
  #at = 0;

  #push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#at += part.length;
  }

  #pad(): void {
    const missing = align8(this.#at) - this.#at;
    if (missing > 0) this.#push(new Uint8Array(missing));
  }

  magic(): void {
    this.#push(MAGIC);
  }

  /** Appends a continuation marker, the length of the metadata, the metadata padded to 8 bytes, and the body. */
  message(metadata: Uint8Array, body: readonly Uint8Array[], bodyBytes: number): FileBlock {
    this.#pad();
    const offset = this.#at;
    this.#push(wordsOf(CONTINUATION, align8(metadata.length)));
    this.#push(metadata);
    this.#pad();
    const block = new FileBlock(this.#at - offset, bodyBytes, offset);
    for (const part of body) this.#push(part);
    return block;
  }

  end(footer: Uint8Array): Uint8Array {
    this.#push(wordsOf(CONTINUATION, 0));
    this.#push(footer);
    this.#push(wordsOf(footer.length));
    this.magic();
    const file = new Uint8Array(this.#at);
    let at = 0;
    for (const part of this.#parts) {
      file.set(part, at);
      at += part.length;
    }
    return file;
  }
}

/** The parts of a buffer's LZ4 frame; null = the buffer is stored uncompressed. */
export type Frame = readonly Uint8Array[] | null;

const STORED = -1;

/**
 * Builds the parts of a body, including padding, and its record-batch metadata. A buffer without a frame is stored
 * uncompressed.
 */
function compressed(body: Body, frames: readonly Frame[]) {
  const regions: BufferRegion[] = [];
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [index, buffer] of body.buffers.entries()) {
    if (buffer.length === 0) {
      regions.push(new BufferRegion(at, 0));
      continue;
    }
    const frame = frames[index];
    const content = frame ?? [buffer];
    const contentBytes = content.reduce((sum, part) => sum + part.length, 0);
    const length = new BigInt64Array([BigInt(frame === null ? STORED : buffer.length)]);
    regions.push(new BufferRegion(at, 8 + contentBytes));
    parts.push(
      new Uint8Array(length.buffer),
      ...content,
      new Uint8Array(align8(contentBytes) - contentBytes),
    );
    at += 8 + align8(contentBytes);
  }
  const compression = new BodyCompression(CompressionType.LZ4_FRAME);
  return { batch: new RecordBatch(body.rowCount, body.nodes, regions, compression), parts, bodyBytes: at };
}

/**
 * Enforces the size limits of `decodeArrowFile`, so that no unreadable snapshot is written. Throws 9003; the data stays in
 * the log.
 */
function checkSize(what: string, bytes: number): void {
  if (bytes <= BUFFER_BYTES_MAX) return;
  throw new QuarryError(9003, `${what} of ${bytes} bytes is more than a snapshot file may have`);
}

/** Assembles the file; `frames` has one entry per buffer of `buffersOf`. Throws 9003 when the file would be too large to read. */
export function assembleFile(plan: FilePlan, frames: readonly Frame[]): Uint8Array {
  for (const body of [...plan.dictionaries, plan.rows]) {
    for (const buffer of body.buffers) checkSize('a column', buffer.length);
  }
  checkSize(
    'a segment',
    frames.flatMap((frame) => frame ?? []).reduce((sum, part) => sum + part.length, 0),
  );
  const out = new Assembler();
  out.magic();
  out.message(Message.encode(Message.from(plan.schema)), [], 0);
  let taken = 0;
  const next = (body: Body) => {
    const own = frames.slice(taken, taken + body.buffers.length);
    taken += body.buffers.length;
    return compressed(body, own);
  };
  const dictionaryBlocks = plan.dictionaries.map((dictionary) => {
    const { batch, parts, bodyBytes } = next(dictionary);
    const header = new DictionaryBatch(batch, dictionary.id);
    return out.message(Message.encode(Message.from(header, bodyBytes)), parts, bodyBytes);
  });
  const { batch, parts, bodyBytes } = next(plan.rows);
  const rowBlock = out.message(Message.encode(Message.from(batch, bodyBytes)), parts, bodyBytes);
  const footer = new Footer(plan.schema, MetadataVersion.V5, [rowBlock], dictionaryBlocks);
  return out.end(Footer.encode(footer));
}
