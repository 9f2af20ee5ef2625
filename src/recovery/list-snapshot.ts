/**
 * The files of a snapshot that hold lists: idempotent writes, and line keys. They are written in parts with a pause after each,
 * so that the main thread keeps serving requests, and read part by part at start.
 * Crash safety  A file and its name are synced before a manifest names it, and no file is overwritten.
 */
import { setImmediate } from 'node:timers/promises';
import { CorruptionError } from '../base/index.js';
import {
  type DeduplicationEntry,
  decodeDeduplicationFile,
  decodeLineKeyFile,
  deduplicationFileHead,
  ENTRIES_PER_PART,
  encodeDeduplicationPart,
  encodeLineKeyPart,
  LINE_KEY_ENTRY_BYTES,
  type ListFileEntry,
  lineKeyFileHead,
} from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { SNAPSHOT_DIR, unusedPath } from './worker-snapshot.js';

const LIST_DIR = `${SNAPSHOT_DIR}/once`;

/** A file to write: its name without the suffix, and its bytes. */
interface ListFile {
  readonly name: string;
  readonly suffix: string;
  readonly head: Uint8Array;
  /** At least one part, each with the number of its entries. */
  readonly parts: Iterator<readonly [part: Uint8Array, entryCount: number]>;
}

/** Writes the entries; returns null, and writes no file, if there are none. */
export function writeDeduplicationFile(
  fs: FileSystem,
  dir: string,
  lsn: number,
  entries: Iterable<DeduplicationEntry>,
): Promise<ListFileEntry | null> {
  const parts = deduplicationParts(entries[Symbol.iterator]());
  return writeList(fs, dir, { name: `once-l${lsn}`, suffix: '.qonce', head: deduplicationFileHead(), parts });
}

function* deduplicationParts(
  entries: Iterator<DeduplicationEntry>,
): Generator<readonly [Uint8Array, number]> {
  for (;;) {
    const part: DeduplicationEntry[] = [];
    while (part.length < ENTRIES_PER_PART) {
      const { done, value } = entries.next();
      if (done === true) break;
      part.push(value);
    }
    if (part.length === 0) return;
    yield [encodeDeduplicationPart(part), part.length];
  }
}

/** Writes entries of line keys; returns null, and writes no file, if there are none. */
export function writeLineKeyFile(
  fs: FileSystem,
  dir: string,
  lsn: number,
  entries: Iterable<Uint8Array>,
): Promise<ListFileEntry | null> {
  const parts = lineKeyParts(entries);
  return writeList(fs, dir, { name: `keys-l${lsn}`, suffix: '.qkeys', head: lineKeyFileHead(), parts });
}

function* lineKeyParts(entries: Iterable<Uint8Array>): Generator<readonly [Uint8Array, number]> {
  for (const part of entries) yield [encodeLineKeyPart(part), part.length / LINE_KEY_ENTRY_BYTES];
}

async function writeList(
  fs: FileSystem,
  dir: string,
  { name, suffix, head, parts }: ListFile,
): Promise<ListFileEntry | null> {
  let next = parts.next();
  if (next.done === true) return null;
  await fs.makeDir(`${dir}/${LIST_DIR}`);
  const path = await unusedPath(fs, dir, `${LIST_DIR}/${name}`, suffix);
  const file = await fs.open(`${dir}/${path}`, 'create');
  let bytes = head.byteLength;
  let entryCount = 0;
  try {
    await file.writev([head], 0);
    while (next.done !== true) {
      const [part, count] = next.value;
      await file.writev([part], bytes);
      bytes += part.byteLength;
      entryCount += count;
      await setImmediate();
      next = parts.next();
    }
    await file.dataSync();
  } finally {
    await file.close();
  }
  await fs.syncDir(`${dir}/${LIST_DIR}`);
  return { path, entryCount, bytes };
}

/** Passes every entry of the file to `add`. Rejects with CorruptionError or NewerFormatError. */
export async function readDeduplicationFile(
  fs: FileSystem,
  dir: string,
  entry: ListFileEntry,
  add: (entry: DeduplicationEntry) => void,
): Promise<void> {
  const { file, bytes } = await readList(fs, dir, entry);
  let entryCount = 0;
  for (const part of decodeDeduplicationFile(bytes, file)) {
    part.forEach(add);
    entryCount += part.length;
  }
  checkCount(file, entry, entryCount);
}

/** Passes the entries of the file to `add`, oldest first. Rejects with CorruptionError or NewerFormatError. */
export async function readLineKeyFile(
  fs: FileSystem,
  dir: string,
  entry: ListFileEntry,
  add: (entries: Uint8Array) => void,
): Promise<void> {
  const { file, bytes } = await readList(fs, dir, entry);
  let entryCount = 0;
  for (const part of decodeLineKeyFile(bytes, file)) {
    add(part);
    entryCount += part.length / LINE_KEY_ENTRY_BYTES;
  }
  checkCount(file, entry, entryCount);
}

async function readList(
  fs: FileSystem,
  dir: string,
  entry: ListFileEntry,
): Promise<{ readonly file: string; readonly bytes: Uint8Array }> {
  const file = `${dir}/${entry.path}`;
  if (!(await fs.exists(file))) {
    throw new CorruptionError(file, 0, 'the manifest names this file, but it is missing');
  }
  const bytes = await fs.readFile(file);
  if (bytes.length !== entry.bytes) {
    throw new CorruptionError(file, bytes.length, `the file should have ${entry.bytes} bytes`);
  }
  return { file, bytes };
}

function checkCount(file: string, entry: ListFileEntry, entryCount: number): void {
  if (entryCount === entry.entryCount) return;
  throw new CorruptionError(file, entry.bytes, `the file should have ${entry.entryCount} entries`);
}
