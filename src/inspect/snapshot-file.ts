/** Reads a single snapshot file: checks it against the manifest of its store, and lists its columns and rows. */
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { CorruptionError } from '../base/index.js';
import { type ArrowTable, type ArrowValues, decodeArrowFile } from '../column/index.js';
import { createLz4, type SnapshotFileEntry } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { readManifest } from '../recovery/index.js';

export interface SnapshotFile {
  readonly file: string;
  readonly bytes: number;
  /** Size of the uncompressed columns. */
  readonly columnBytes: number;
  readonly table: ArrowTable;
  readonly columns: readonly SnapshotColumn[];
  /** The file's entry in the manifest; null = no manifest names it, so its checksum is unknown. */
  readonly entry: SnapshotFileEntry | null;
}

export interface SnapshotColumn {
  readonly name: string;
  readonly type: string;
  readonly missing: number;
  readonly bytes: number;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Rejects with a CorruptionError that names the file for any damage. */
export async function readSnapshot(fs: FileSystem, file: string): Promise<SnapshotFile> {
  const bytes = await fs.readFile(file);
  const entry = await entryOf(fs, file);
  if (entry !== null && entry.bytes !== bytes.length) {
    throw new CorruptionError(file, bytes.length, `the file should have ${entry.bytes} bytes`);
  }
  if (entry !== null && entry.crc32 !== crc32(bytes)) {
    throw new CorruptionError(file, 0, 'the checksum does not match the manifest');
  }
  const table = decodeArrowFile(bytes, createLz4(), file);
  const columns = table.columns.map((column) => ({
    name: column.name,
    type: typeText(column),
    missing: column.validity === null ? 0 : table.rowCount - bitsSet(column.validity, table.rowCount),
    bytes: (column.validity?.byteLength ?? 0) + bytesOf(column),
    metadata: column.metadata ?? new Map(),
  }));
  const columnBytes = columns.reduce((sum, column) => sum + column.bytes, 0);
  return { file, bytes: bytes.length, columnBytes, table, columns, entry };
}

/** The manifest entry of a file at DIR/snapshot/FOLDER/NAME. */
async function entryOf(fs: FileSystem, file: string): Promise<SnapshotFileEntry | null> {
  const dir = path.resolve(file, '../../..');
  const manifest = await readManifest(fs, dir).catch(() => null);
  const name = path.relative(dir, file).split(path.sep).join('/');
  return manifest?.files.find((entry) => entry.path === name) ?? null;
}

function typeText(values: ArrowValues): string {
  switch (values.kind) {
    case 'decimal':
      return `decimal with ${values.places} places`;
    case 'dictionary':
      return `text, ${values.dictionary.offsets.length - 1} different`;
    case 'utf8':
      return 'text';
    case 'list':
      return `list of ${typeText(values.items)}`;
    default:
      return values.kind;
  }
}

function bytesOf(values: ArrowValues): number {
  switch (values.kind) {
    case 'utf8':
      return values.offsets.byteLength + values.bytes.byteLength;
    case 'dictionary':
      return values.codes.byteLength + bytesOf({ kind: 'utf8', ...values.dictionary });
    case 'int64':
    case 'timestamp':
    case 'decimal':
      return values.words.byteLength;
    case 'int32':
    case 'date32':
      return values.i32.byteLength;
    case 'uint32':
      return values.u32.byteLength;
    case 'bool':
      return values.bits.byteLength;
    case 'point':
      return values.f64.byteLength;
    case 'list':
      return values.offsets.byteLength + bytesOf(values.items);
  }
}

function bitsSet(bits: Uint8Array, count: number): number {
  let set = 0;
  for (let bit = 0; bit < count; bit++) set += (bits[bit >> 3] >> (bit & 7)) & 1;
  return set;
}
