/**
 * Copies a snapshot into another directory, which is then a store of its own: used by backups and restores.
 * keys.json (the first keys in clear text; the catalog holds their hashes) and tls/ are not copied.
 * Invariants: every file is checked against the manifest; the manifest is written last, so that a directory
 * holds a whole store or none; nothing is written into a directory that is not empty.
 */
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { CorruptionError } from '../base/index.js';
import { listFilesOf, type Manifest } from '../format/index.js';
import { type CheckCopy, copyFile, type FileSystem } from '../io/index.js';
import { beginEmptyLog } from '../wal/index.js';
import { swapManifest } from './manifest-file.js';

const LOG_DIR = 'log';
/** Relative to the data directory, and confined to it. */
const SNAPSHOT_PATH = /^snapshot\/[^/]+\/[^/]+$/;

export interface StoreCopy {
  readonly fs: FileSystem;
  readonly from: string;
  /** Absent or empty. */
  readonly to: string;
  /** The manifest whose files must not be removed during the copy. */
  readonly manifest: Manifest;
  readonly random64: () => bigint;
  readonly check?: CheckCopy;
}

/** A file to copy; without `crc32` the file has checksums of its own, which are checked when it is read. */
interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
  readonly crc32?: number;
}

/**
 * Resolves with the bytes of the snapshot files when everything is on disk. Rejects with an Error when `to` holds
 * something, with a CorruptionError that names a damaged file, with the system's error, or with what `check` threw;
 * then `to` is emptied again as far as that is possible. `fillLog` copies records into the new log folder and resolves with
 * the LSN of the last one, or null when it copied none; without it, or without records, the log begins after the snapshot.
 */
export async function copyStore(
  copy: StoreCopy,
  fillLog: (logDir: string) => Promise<number | null> = async () => null,
): Promise<number> {
  const { fs, to, manifest, random64 } = copy;
  if ((await fs.list(to)).length > 0) throw new Error(`${to} is not empty`);
  const made = new Set<string>();
  const logDir = path.join(to, LOG_DIR);
  try {
    const bytes = await copyPieces(copy, made);
    await fs.makeDir(logDir);
    made.add(logDir);
    const restoredLsn = await fillLog(logDir);
    if (restoredLsn === null) await beginEmptyLog(fs, logDir, manifest.checkpointLsn + 1, random64());
    await swapManifest(fs, to, { ...manifest, restoredLsn: restoredLsn ?? undefined });
    return bytes;
  } catch (error) {
    await undo(fs, to, made).catch(() => {});
    throw error;
  }
}

/** Copies the files and adds the folders that it makes to `made`. */
async function copyPieces({ fs, from, to, manifest, check }: StoreCopy, made: Set<string>): Promise<number> {
  await fs.makeDir(to);
  const pieces: readonly CopiedFile[] = [...manifest.files, ...listFilesOf(manifest)];
  let bytes = 0;
  for (const piece of pieces) {
    if (!SNAPSHOT_PATH.test(piece.path)) throw new Error(`${piece.path} is not a path of a snapshot file`);
    const target = path.join(to, piece.path);
    const folder = path.dirname(target);
    if (!made.has(folder)) await fs.makeDir(folder);
    made.add(folder);
    await copyPiece({ fs, from: path.join(from, piece.path), to: target, check }, piece);
    bytes += piece.bytes;
  }
  for (const folder of made) await fs.syncDir(folder);
  return bytes;
}

async function copyPiece(
  copy: { fs: FileSystem; from: string; to: string; check: StoreCopy['check'] },
  piece: CopiedFile,
): Promise<void> {
  if (!(await copy.fs.exists(copy.from))) {
    throw new CorruptionError(copy.from, 0, 'the manifest names this file, but it is missing');
  }
  let sum = 0;
  const copied = await copyFile({
    ...copy,
    see: (bytes) => {
      sum = crc32(bytes, sum);
    },
  });
  if (copied !== piece.bytes) {
    throw new CorruptionError(copy.from, copied, `the file should have ${piece.bytes} bytes`);
  }
  if (piece.crc32 !== undefined && sum !== piece.crc32) {
    throw new CorruptionError(copy.from, 0, 'the checksum of the file does not match');
  }
}

/** Removes the made folders with their files, and the manifest. */
async function undo(fs: FileSystem, to: string, made: ReadonlySet<string>): Promise<void> {
  for (const folder of made) {
    for (const name of await fs.list(folder)) await fs.remove(path.join(folder, name));
    await fs.removeDir(folder);
  }
  for (const name of await fs.list(to)) if (name.startsWith('manifest')) await fs.remove(path.join(to, name));
  await fs.removeDir(path.join(to, 'snapshot'));
  await fs.removeDir(to);
}
