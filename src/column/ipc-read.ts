/**
 * Decodes the bytes of a snapshot file; ipc.ts documents the layout. Columns are views of the decompressed buffers, or of the
 * file's bytes if a buffer is stored uncompressed; only decimals are converted row by row.
 */
import { MessageHeader } from 'apache-arrow/enum';
import { CorruptionError } from '../base/index.js';
import type { ArrowColumn, ArrowItems, ArrowTable, ArrowValues, Lz4, Utf8Values } from './arrow-column.js';
import { narrowDecimals } from './ipc-decimal.js';
import { FlatTable, readSize } from './ipc-flatbuffer.js';
import { type FieldSpec, type FieldType, type ItemType, readSchema } from './ipc-schema.js';

interface Region {
  readonly offset: number;
  readonly length: number;
}

interface Block extends Region {
  /** Bytes of the message's prefix and metadata. */
  readonly metadataBytes: number;
}

/** Slots of the tables in the Arrow format's File.fbs and Message.fbs. */
const FOOTER = { schema: 1, dictionaries: 2, recordBatches: 3 } as const;
const MESSAGE = { headerType: 1, header: 2, bodyLength: 3 } as const;
const BATCH = { length: 0, nodes: 1, buffers: 2, compression: 3 } as const;
const DICTIONARY_BATCH = { id: 0, data: 1 } as const;
const LZ4_FRAME = 0;

const MAGIC = 'ARROW1';
const HEAD_BYTES = 8;
const TAIL_BYTES = 4 + MAGIC.length;
const STORED = -1n;
/** The largest buffer that ipc-write.ts writes; a greater length is damage. */
export const BUFFER_BYTES_MAX = 2 ** 31 - 1;
/** The best ratio of LZ4. A length that exceeds it is damage, and no memory is allocated for it. */
const LZ4_RATIO_MAX = 256;

const readBlock = (view: DataView, at: number): Block => ({
  offset: readSize(view, at),
  metadataBytes: view.getInt32(at + 8, true),
  length: readSize(view, at + 16),
});
const readRegion = (view: DataView, at: number): Region => ({
  offset: readSize(view, at),
  length: readSize(view, at + 8),
});
const readNode = (view: DataView, at: number): { length: number; nullCount: number } => ({
  length: readSize(view, at),
  nullCount: readSize(view, at + 8),
});

/** Returns the nodes and buffers of one record batch in the format's order. */
class BatchReader {
  readonly rowCount: number;
  readonly #body: Uint8Array;
  readonly #nodes: readonly { length: number; nullCount: number }[];
  readonly #regions: readonly Region[];
  readonly #lz4: Lz4;
  #nextNode = 0;
  #nextRegion = 0;

  constructor(batch: FlatTable, body: Uint8Array, lz4: Lz4) {
    const compression = batch.table(BATCH.compression);
    if (compression === null || compression.u8(0, LZ4_FRAME) !== LZ4_FRAME)
      throw new Error('a body is not LZ4-compressed');
    this.rowCount = batch.size(BATCH.length);
    this.#nodes = batch.structs(BATCH.nodes, 16, readNode);
    this.#regions = batch.structs(BATCH.buffers, 16, readRegion);
    this.#body = body;
    this.#lz4 = lz4;
  }

  node(rowCount: number): { length: number; nullCount: number } {
    const node = this.#nodes[this.#nextNode++];
    if (node?.length !== rowCount)
      throw new Error(`a column has ${node?.length} rows instead of ${rowCount}`);
    return node;
  }

  /** The content of the next buffer, 8-aligned in memory. */
  bytes(): Uint8Array {
    const region = this.#regions[this.#nextRegion++];
    if (region === undefined) throw new Error('a buffer is missing');
    if (region.length === 0) return new Uint8Array(0);
    const part = slice(this.#body, region.offset, region.length);
    const length = new DataView(part.buffer, part.byteOffset, part.byteLength).getBigInt64(0, true);
    const content = part.subarray(8);
    if (length === STORED) return (content.byteOffset & 7) === 0 ? content : content.slice();
    if (length < 0n || length > BUFFER_BYTES_MAX || Number(length) > content.length * LZ4_RATIO_MAX) {
      throw new Error(`a buffer claims ${length} bytes`);
    }
    const into = new Uint8Array(Number(length));
    this.#lz4.decompress(content, into);
    return into;
  }

  /** The content of the next buffer, which must have exactly `byteCount` bytes. */
  exactly(byteCount: number): Uint8Array {
    const bytes = this.bytes();
    if (bytes.length !== byteCount)
      throw new Error(`a buffer has ${bytes.length} bytes instead of ${byteCount}`);
    return bytes;
  }

  u32(count: number): Uint32Array {
    return new Uint32Array(...arrayOf(this.exactly(count * 4), count));
  }

  i32(count: number): Int32Array {
    return new Int32Array(...arrayOf(this.exactly(count * 4), count));
  }

  /** The offsets of `count` consecutive runs; they must ascend. */
  offsets(count: number): Int32Array {
    const offsets = this.i32(count + 1);
    if (offsets[0] !== 0 || offsets[count] < 0) throw new Error('offsets do not start at 0 or end below it');
    return offsets;
  }

  utf8(count: number): Utf8Values {
    const offsets = this.offsets(count);
    return { offsets, bytes: this.exactly(offsets[count]) };
  }

  end(): void {
    if (this.#nextNode !== this.#nodes.length || this.#nextRegion !== this.#regions.length) {
      throw new Error('a record batch has more buffers than its schema');
    }
  }
}

const arrayOf = (bytes: Uint8Array, count: number): [ArrayBufferLike, number, number] => [
  bytes.buffer,
  bytes.byteOffset,
  count,
];

function slice(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length)
    throw new RangeError(`bytes ${offset} to ${offset + length} are past the end`);
  return bytes.subarray(offset, offset + length);
}

class FileReader {
  /** The current offset, for error messages. */
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #lz4: Lz4;
  readonly #dictionaries = new Map<number, Utf8Values>();

  constructor(bytes: Uint8Array, lz4: Lz4) {
    this.#bytes = bytes;
    this.#lz4 = lz4;
  }

  table(): ArrowTable {
    const footer = this.#footer();
    const schemaTable = footer.table(FOOTER.schema);
    if (schemaTable === null) throw new Error('the footer has no schema');
    const schema = readSchema(schemaTable);
    const blocks = footer.structs(FOOTER.recordBatches, 24, readBlock);
    if (blocks.length !== 1) throw new Error(`the file has ${blocks.length} record batches, not 1`);
    for (const block of footer.structs(FOOTER.dictionaries, 24, readBlock)) this.#dictionary(block);
    const { header, body } = this.#message(blocks[0], MessageHeader.RecordBatch);
    const batch = new BatchReader(header, body, this.#lz4);
    const columns = schema.fields.map((field) => this.#column(batch, field));
    batch.end();
    return { columns, rowCount: batch.rowCount, metadata: schema.metadata };
  }

  #footer(): FlatTable {
    const bytes = this.#bytes;
    if (bytes.length < HEAD_BYTES + TAIL_BYTES) throw new Error('the file is too short to be an Arrow file');
    const text = (from: number): string => String.fromCharCode(...bytes.subarray(from, from + MAGIC.length));
    if (text(0) !== MAGIC) throw new Error('the file does not start with ARROW1');
    this.at = bytes.length - MAGIC.length;
    if (text(this.at) !== MAGIC) throw new Error('the file does not end with ARROW1');
    this.at = bytes.length - TAIL_BYTES;
    const footerBytes = new DataView(bytes.buffer, bytes.byteOffset + this.at, 4).getInt32(0, true);
    const start = this.at - footerBytes;
    if (footerBytes < 4 || start < HEAD_BYTES) throw new Error(`the footer claims ${footerBytes} bytes`);
    this.at = start;
    return FlatTable.root(slice(bytes, start, footerBytes));
  }

  #message(block: Block, headerType: MessageHeader): { header: FlatTable; body: Uint8Array } {
    this.at = block.offset;
    if (block.metadataBytes < 8) throw new Error('a message has no metadata');
    const message = FlatTable.root(slice(this.#bytes, block.offset + 8, block.metadataBytes - 8));
    const header = message.table(MESSAGE.header);
    if (header === null || message.u8(MESSAGE.headerType, 0) !== headerType)
      throw new Error('a message is of another kind');
    if (message.size(MESSAGE.bodyLength) !== block.length)
      throw new Error('a message and the footer differ in its length');
    return { header, body: slice(this.#bytes, block.offset + block.metadataBytes, block.length) };
  }

  #dictionary(block: Block): void {
    const { header, body } = this.#message(block, MessageHeader.DictionaryBatch);
    const data = header.table(DICTIONARY_BATCH.data);
    if (data === null) throw new Error('a dictionary has no data');
    const batch = new BatchReader(data, body, this.#lz4);
    batch.node(batch.rowCount);
    if (batch.bytes().length > 0) throw new Error('a dictionary has missing strings');
    this.#dictionaries.set(header.size(DICTIONARY_BATCH.id), batch.utf8(batch.rowCount));
    batch.end();
  }

  #column(batch: BatchReader, field: FieldSpec): ArrowColumn {
    const { nullCount } = batch.node(batch.rowCount);
    const bitmap = batch.bytes();
    const validity = nullCount === 0 ? null : bitmap;
    if (validity !== null && validity.length !== (batch.rowCount + 7) >> 3) {
      throw new Error(
        `column ${JSON.stringify(field.name)} has a validity bitmap of ${validity.length} bytes`,
      );
    }
    const values = this.#values(batch, field.type, batch.rowCount);
    return { name: field.name, validity, metadata: field.metadata, ...values };
  }

  #values(batch: BatchReader, type: FieldType, rowCount: number): ArrowValues {
    if (type.kind !== 'list') return this.#items(batch, type, rowCount);
    const offsets = batch.offsets(rowCount);
    const itemCount = offsets[rowCount];
    const { nullCount } = batch.node(itemCount);
    batch.bytes();
    if (nullCount !== 0) throw new Error('a list has missing items');
    return { kind: 'list', offsets, items: this.#items(batch, type.items, itemCount) };
  }

  #items(batch: BatchReader, type: ItemType, count: number): ArrowItems {
    switch (type.kind) {
      case 'utf8':
        return { kind: 'utf8', ...batch.utf8(count) };
      case 'dictionary': {
        const dictionary = this.#dictionaries.get(type.dictionaryId);
        if (dictionary === undefined) throw new Error(`dictionary ${type.dictionaryId} is missing`);
        const codes = arrayOf(batch.exactly(count * type.codeBytes), count);
        if (type.codeBytes === 1) return { kind: 'dictionary', codes: new Uint8Array(...codes), dictionary };
        if (type.codeBytes === 2) return { kind: 'dictionary', codes: new Uint16Array(...codes), dictionary };
        return { kind: 'dictionary', codes: new Uint32Array(...codes), dictionary };
      }
      case 'int64':
      case 'timestamp':
        return { kind: type.kind, words: batch.u32(count * 2) };
      case 'int32':
      case 'date32':
        return { kind: type.kind, i32: batch.i32(count) };
      case 'uint32':
        return { kind: 'uint32', u32: batch.u32(count) };
      case 'bool':
        return { kind: 'bool', bits: batch.exactly((count + 7) >> 3) };
      case 'decimal':
        return { kind: 'decimal', places: type.places, words: narrowDecimals(batch.u32(count * 4)) };
      case 'point': {
        batch.node(count * 2);
        batch.bytes();
        return { kind: 'point', f64: new Float64Array(...arrayOf(batch.exactly(count * 16), count * 2)) };
      }
    }
  }
}

/** Throws a CorruptionError that names `file` when the bytes are not a valid snapshot file. */
export function readArrowFile(bytes: Uint8Array, lz4: Lz4, file: string): ArrowTable {
  const reader = new FileReader(bytes, lz4);
  try {
    return reader.table();
  } catch (error) {
    throw new CorruptionError(file, reader.at, (error as Error).message);
  }
}
