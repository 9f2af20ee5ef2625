/**
 * Messages of an Arrow IPC stream (metadata V5, nothing compressed): the schema, record batches, the end. Little-endian;
 * every message and buffer starts 8-aligned:
 *   u32 0xffffffff | u32 metadata length m, padded to 8 | m flatbuffers metadata | body: the buffers, each padded to 8
 * apache-arrow encodes the metadata; callers write the buffers directly into the message.
 */
import { MetadataVersion, TimeUnit } from 'apache-arrow/enum';
import { BufferRegion, FieldNode, Message, RecordBatch } from 'apache-arrow/ipc/metadata/message';
import { Field, Schema } from 'apache-arrow/schema';
import { Bool, type DataType, DateDay, Decimal, Float64, Int64, Timestamp, Utf8 } from 'apache-arrow/type';

export type StreamType =
  | { readonly kind: 'int64' | 'float64' | 'bool' | 'date32' | 'utf8' }
  /** Seconds, UTC. */
  | { readonly kind: 'timestamp' }
  /** 128 bits, 38 digits. */
  | { readonly kind: 'decimal'; readonly scale: number };

export interface StreamField {
  readonly name: string;
  readonly type: StreamType;
}

/** Allocates memory for a message: `byteCount` bytes at the start of a buffer, with arbitrary contents. */
export type MessageAllocator = (byteCount: number) => Uint8Array;

const allocateFresh: MessageAllocator = (byteCount) => new Uint8Array(byteCount);

/** A record batch whose buffers are zeros until the caller writes them. */
export interface StreamBatch {
  readonly message: Uint8Array;
  /** The offset of each buffer in the message, a multiple of 8. */
  readonly offsets: readonly number[];
}

const CONTINUATION = 0xffff_ffff;
/** Does not use bit operations, because a body may be larger than 2^31 bytes. */
const align8 = (bytes: number): number => Math.ceil(bytes / 8) * 8;

export const STREAM_END: Readonly<Uint8Array> = new Uint8Array(Uint32Array.of(CONTINUATION, 0).buffer);

/** Encodes the schema message. All fields are nullable. */
export function schemaMessage(fields: readonly StreamField[]): Uint8Array {
  const schema = new Schema(
    fields.map(({ name, type }) => new Field(name, arrowType(type), true)),
    new Map(),
    undefined,
    MetadataVersion.V5,
  );
  return framed(Message.encode(Message.from(schema)), 0, allocateFresh);
}

/**
 * Encodes a record batch. `missing` is the NULL count of each field; `bufferBytes` the sizes of all buffers in the format's
 * order.
 */
export function batchMessage(
  rowCount: number,
  missing: readonly number[],
  bufferBytes: readonly number[],
  allocate: MessageAllocator = allocateFresh,
): StreamBatch {
  let bodyBytes = 0;
  const regions = bufferBytes.map((bytes) => {
    const region = new BufferRegion(bodyBytes, bytes);
    bodyBytes += align8(bytes);
    return region;
  });
  const nodes = missing.map((count) => new FieldNode(rowCount, count));
  const batch = new RecordBatch(rowCount, nodes, regions, null);
  const message = framed(Message.encode(Message.from(batch, bodyBytes)), bodyBytes, allocate);
  const bodyAt = message.length - bodyBytes;
  return { message, offsets: regions.map(({ offset }) => bodyAt + offset) };
}

function framed(metadata: Uint8Array, bodyBytes: number, allocate: MessageAllocator): Uint8Array {
  const metadataBytes = align8(metadata.length);
  const message = allocate(8 + metadataBytes + bodyBytes);
  // Clears earlier contents, which must not reach a client. Shared memory is filled element by element, so use wide elements.
  new Float64Array(message.buffer, 0, message.length / 8).fill(0);
  new Uint32Array(message.buffer, 0, 2).set([CONTINUATION, metadataBytes]);
  message.set(metadata, 8);
  return message;
}

function arrowType(type: StreamType): DataType {
  switch (type.kind) {
    case 'int64':
      return new Int64();
    case 'float64':
      return new Float64();
    case 'bool':
      return new Bool();
    case 'date32':
      return new DateDay();
    case 'utf8':
      return new Utf8();
    case 'timestamp':
      return new Timestamp(TimeUnit.SECOND, 'UTC');
    case 'decimal':
      return new Decimal(type.scale, 38, 128);
  }
}
