/**
 * The snapshot file of the deduplication table: written in parts with a pause after each, so that the main
 * thread continues to answer requests, and read part by part at start.
 * Crash safety  the file and its name are synced before a manifest names it, and no file is overwritten.
 */
import { setImmediate } from 'node:timers/promises';
import { CorruptionError } from '../base/index.js';
import {
  decodeOnceFile,
  ENTRIES_PER_PART,
  encodeOncePart,
  type OnceEntry,
  type OnceFileEntry,
  onceFileHead,
} from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { SNAPSHOT_DIR, unusedPath } from './lane-snapshot.js';

const ONCE_DIR = `${SNAPSHOT_DIR}/once`;

/** Writes the entries; resolves with null and writes no file when there are none. */
export async function writeOnceFile(
  fs: FileSystem,
  dir: string,
  lsn: number,
  entries: Iterable<OnceEntry>,
): Promise<OnceFileEntry | null> {
  const iterator = entries[Symbol.iterator]();
  let part = take(iterator);
  if (part.length === 0) return null;
  await fs.makeDir(`${dir}/${ONCE_DIR}`);
  const path = await unusedPath(fs, dir, `${ONCE_DIR}/once-l${lsn}`, '.qonce');
  const file = await fs.open(`${dir}/${path}`, 'create');
  let bytes = 0;
  let entryCount = 0;
  try {
    for (let next = onceFileHead(); ; next = encodeOncePart(part)) {
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
  await fs.syncDir(`${dir}/${ONCE_DIR}`);
  return { path, entryCount, bytes };
}

function take(iterator: Iterator<OnceEntry>): OnceEntry[] {
  const part: OnceEntry[] = [];
  while (part.length < ENTRIES_PER_PART) {
    const { done, value } = iterator.next();
    if (done === true) break;
    part.push(value);
  }
  return part;
}

/** Calls `add` with every entry of the file. Rejects with CorruptionError or NewerFormatError. */
export async function readOnceFile(
  fs: FileSystem,
  dir: string,
  entry: OnceFileEntry,
  add: (entry: OnceEntry) => void,
): Promise<void> {
  const file = `${dir}/${entry.path}`;
  if (!(await fs.exists(file))) {
    throw new CorruptionError(file, 0, 'the manifest names this file, but it is missing');
  }
  const bytes = await fs.readFile(file);
  if (bytes.length !== entry.bytes) {
    throw new CorruptionError(file, bytes.length, `it should be ${entry.bytes} bytes long`);
  }
  let entryCount = 0;
  for (const part of decodeOnceFile(bytes, file)) {
    part.forEach(add);
    entryCount += part.length;
  }
  if (entryCount !== entry.entryCount) {
    throw new CorruptionError(file, bytes.length, `it should hold ${entry.entryCount} entries`);
  }
}
