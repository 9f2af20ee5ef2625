/**
 * The manifest: the one file that names the live snapshot files, the checkpoint's LSN and the catalog at that LSN.
 * Invariants: a manifest is written whole next to the old one and replaces it by rename, so it is never torn, and an
 * invalid manifest is corrupt; everything needed to open the store is in the manifest, the files that it names, or the log
 * after `checkpointLsn`.
 *
 * Manifest v1. Little-endian; offsets and sizes in bytes. Every later version keeps the layout of the head, so that a
 * newer version is recognized and refused as such, and is not mistaken for a flipped bit.
 *   offset size field         meaning
 *        0    6 magic         "QRYMAN"
 *        6    2 version       u16, 1
 *        8    4 crc32         CRC-32 (zlib) over [0, 8), then [12, 16 + contentBytes)
 *       12    4 contentBytes  u32; the file ends with the content
 *       16    n content       plain MessagePack: a map with the fields of `Manifest`
 * Corrupt  wrong magic, length or CRC, or content that does not decode: refuse to open, change nothing.
 */
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { CorruptionError, NewerFormatError } from '../base/index.js';

export const MANIFEST_MAGIC = 'QRYMAN';
export const MANIFEST_VERSION = 1;
const MAGIC = new TextEncoder().encode(MANIFEST_MAGIC);
const VERSION_AT = 6;
const CRC_AT = 8;
const LENGTH_AT = 12;
const HEAD_BYTES = 16;

/** One snapshot file: a segment of one shard's entities or of one event column. */
export interface SnapshotFileEntry {
  /** Relative to the data directory, with `/`. */
  readonly path: string;
  readonly kind: 'entities' | 'events';
  readonly databaseId: number;
  readonly dimensionId: number;
  /** The event column; 0 for entities. */
  readonly columnId: number;
  readonly shard: number;
  readonly segment: number;
  readonly rowCount: number;
  readonly bytes: number;
  /** CRC-32 (zlib) of the whole file. */
  readonly crc32: number;
}

export interface Manifest {
  readonly storeId: string;
  /** The snapshot files contain every record up to this LSN and none after it. */
  readonly checkpointLsn: number;
  readonly shardCount: number;
  /** Milliseconds since 1970-01-01. */
  readonly createdMs: number;
  /** The catalog at `checkpointLsn` in its plain form: maps with text keys, lists, text, numbers, null. */
  readonly catalog: unknown;
  readonly files: readonly SnapshotFileEntry[];
  /** Usage counters of the databases at `checkpointLsn`, in plain form; absent in stores of the first releases. */
  readonly usage?: unknown;
  /** The file of the deduplication table; null or absent when the table is empty. */
  readonly once?: ListFileEntry | null;
  /** The file of the line keys; null or absent when there are none. */
  readonly lineKeys?: ListFileEntry | null;
  /**
   * A restore copied the log records after `checkpointLsn` up to this LSN from another store; the checkpoints that they
   * note are those of that store. Absent when no record was copied.
   */
  readonly restoredLsn?: number;
}

/** A file with a list of entries; the formats are in deduplication-file.ts and line-key-file.ts. */
export interface ListFileEntry {
  /** Relative to the data directory, with `/`. */
  readonly path: string;
  readonly entryCount: number;
  readonly bytes: number;
}

/** The files of lists of a manifest. */
export const listFilesOf = ({ once, lineKeys }: Manifest): readonly ListFileEntry[] =>
  [once, lineKeys].filter((file) => file != null);

const packr = new Packr({ useRecords: false });

export function encodeManifest(manifest: Manifest): Uint8Array {
  const { storeId, checkpointLsn, shardCount, createdMs, catalog, files, usage, once = null } = manifest;
  const { restoredLsn, lineKeys = null } = manifest;
  const content = packr.pack({
    ...{ storeId, checkpointLsn, shardCount, createdMs, catalog, files, usage, once },
    ...(lineKeys === null ? {} : { lineKeys }),
    ...(restoredLsn === undefined ? {} : { restoredLsn }),
  });
  const bytes = new Uint8Array(HEAD_BYTES + content.length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint16(VERSION_AT, MANIFEST_VERSION, true);
  view.setUint32(LENGTH_AT, content.length, true);
  bytes.set(content, HEAD_BYTES);
  view.setUint32(CRC_AT, manifestCrc(bytes), true);
  return bytes;
}

/** CRC-32 of everything but the checksum field. */
function manifestCrc(bytes: Uint8Array): number {
  return crc32(bytes.subarray(LENGTH_AT), crc32(bytes.subarray(0, CRC_AT)));
}

/**
 * Decodes `bytes`, the whole content of `file`. Throws a NewerFormatError for a later version, and a
 * CorruptionError that names `file` and the cause for any other error.
 */
export function decodeManifest(bytes: Uint8Array, file: string): Manifest {
  const corrupt = (offset: number, reason: string): CorruptionError =>
    new CorruptionError(file, offset, reason);
  if (bytes.length < HEAD_BYTES) throw corrupt(bytes.length, 'the file ends inside its head');
  const magic = String.fromCharCode(...bytes.subarray(0, VERSION_AT));
  if (magic !== MANIFEST_MAGIC)
    throw corrupt(0, `this is not a manifest: its magic is not ${MANIFEST_MAGIC}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const contentBytes = view.getUint32(LENGTH_AT, true);
  if (contentBytes !== bytes.length - HEAD_BYTES) {
    throw corrupt(
      LENGTH_AT,
      `it claims ${contentBytes} bytes of content but has ${bytes.length - HEAD_BYTES}`,
    );
  }
  if (view.getUint32(CRC_AT, true) !== manifestCrc(bytes)) throw corrupt(CRC_AT, 'it fails its checksum');
  const version = view.getUint16(VERSION_AT, true);
  if (version > MANIFEST_VERSION) throw new NewerFormatError(file, 'manifest', version, MANIFEST_VERSION);
  if (version !== MANIFEST_VERSION) throw corrupt(VERSION_AT, `format version ${version} is unknown`);
  try {
    return manifestOf(packr.unpack(bytes.subarray(HEAD_BYTES)));
  } catch (error) {
    throw corrupt(HEAD_BYTES, `its content is not a manifest: ${(error as Error).message}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) throw new Error(`${what} is not a map`);
  return value as Fields;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`${name} is not a text`);
  return value;
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error(`${name} is not a count`);
  return value as number;
}

function manifestOf(content: unknown): Manifest {
  const fields = fieldsOf(content, 'the content');
  if (!Array.isArray(fields.files)) throw new Error('files is not a list');
  return {
    storeId: text(fields, 'storeId'),
    checkpointLsn: count(fields, 'checkpointLsn'),
    shardCount: count(fields, 'shardCount'),
    createdMs: count(fields, 'createdMs'),
    catalog: fields.catalog,
    files: fields.files.map((entry, index) => fileOf(fieldsOf(entry, `file ${index}`))),
    usage: fields.usage,
    once: listFileOf(fields.once ?? null, 'once'),
    ...(fields.lineKeys == null ? {} : { lineKeys: listFileOf(fields.lineKeys, 'lineKeys') }),
    ...(fields.restoredLsn === undefined ? {} : { restoredLsn: count(fields, 'restoredLsn') }),
  };
}

function listFileOf(entry: unknown, name: string): ListFileEntry | null {
  if (entry === null) return null;
  const fields = fieldsOf(entry, name);
  return {
    path: text(fields, 'path'),
    entryCount: count(fields, 'entryCount'),
    bytes: count(fields, 'bytes'),
  };
}

function fileOf(fields: Fields): SnapshotFileEntry {
  const kind = text(fields, 'kind');
  if (kind !== 'entities' && kind !== 'events') throw new Error(`kind ${JSON.stringify(kind)} is unknown`);
  return {
    path: text(fields, 'path'),
    kind,
    databaseId: count(fields, 'databaseId'),
    dimensionId: count(fields, 'dimensionId'),
    columnId: count(fields, 'columnId'),
    shard: count(fields, 'shard'),
    segment: count(fields, 'segment'),
    rowCount: count(fields, 'rowCount'),
    bytes: count(fields, 'bytes'),
    crc32: count(fields, 'crc32'),
  };
}
