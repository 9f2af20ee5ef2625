/**
 * The snapshot's file of idempotent writes, written in parts with a pause after each, so that the main thread keeps serving
 * requests, and read part by part at start.
 * Crash safety the file and its name are synced before a manifest names it, and no file is overwritten.
 */
import { setImmediate } from 'node:timers/promises';
import { CorruptionError } from '../base/index.js';
import {
  type DeduplicationEntry,
  type DeduplicationFileEntry,
  decodeDeduplicationFile,
  deduplicationFileHead,
  ENTRIES_PER_PART,
  encodeDeduplicationPart,
} from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { SNAPSHOT_DIR, unusedPath } from './worker-snapshot.js';

const DEDUPLICATION_DIR = `${SNAPSHOT_DIR}/once`;

/** Writes the entries; returns null, and writes no file, if there are none. */
export async function writeDeduplicationFile(
  fs: FileSystem,
  dir: string,
  lsn: number,
  entries: Iterable<DeduplicationEntry>,
): Promise<DeduplicationFileEntry | null> {
  const iterator = entries[Symbol.iterator]();
  let part = take(iterator);
  if (part.length === 0) return null;
  await fs.makeDir(`${dir}/${DEDUPLICATION_DIR}`);
  const path = await unusedPath(fs, dir, `${DEDUPLICATION_DIR}/once-l${lsn}`, '.qonce');
  const file = await fs.open(`${dir}/${path}`, 'create');
  let bytes = 0;
  let entryCount = 0;
  try {
    for (let next = deduplicationFileHead(); ; next = encodeDeduplicationPart(part)) {
      await file.writev([next], bytes);
      bytes += next.byteLength;
      if (bytes > next.byteLength) {
        entryCount += part.length;
        part = take(iterator);
      }
      if (part.length === 0) break;
      await setImmediate();
    }
    await file.dataSync();
  } finally {
    await file.close();
  }
  await fs.syncDir(`${dir}/${DEDUPLICATION_DIR}`);
  return { path, entryCount, bytes };
}

function take(iterator: Iterator<DeduplicationEntry>): DeduplicationEntry[] {
  const part: DeduplicationEntry[] = [];
  while (part.length < ENTRIES_PER_PART) {
    const { done, value } = iterator.next();
    if (done === true) break;
    part.push(value);
  }
  return part;
}

/** Passes every entry of the file to `add`. Rejects with CorruptionError or NewerFormatError. */
export async function readDeduplicationFile(
  fs: FileSystem,
  dir: string,
  entry: DeduplicationFileEntry,
  add: (entry: DeduplicationEntry) => void,
): Promise<void> {
  const file = `${dir}/${entry.path}`;
  if (!(await fs.exists(file))) {
    throw new CorruptionError(file, 0, 'the manifest names this file, but it is missing');
  }
  const bytes = await fs.readFile(file);
  if (bytes.length !== entry.bytes) {
    throw new CorruptionError(file, bytes.length, `the file should have ${entry.bytes} bytes`);
  }
  let entryCount = 0;
  for (const part of decodeDeduplicationFile(bytes, file)) {
    part.forEach(add);
    entryCount += part.length;
  }
  if (entryCount !== entry.entryCount) {
    throw new CorruptionError(file, bytes.length, `the file should have ${entry.entryCount} entries`);
  }
}
