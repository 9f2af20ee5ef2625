/**
 * Shows the progress of a copy of a store by the sizes of the files written so far, whether this process or a server writes
 * them. Invariant: a file that cannot be read is not shown and never stops the copy.
 */
import path from 'node:path';
import { listFilesOf } from '../../format/index.js';
import { type FileSystem, NodeFileSystem } from '../../io/index.js';
import { readManifest } from '../../recovery/index.js';
import { listLogFiles } from '../../wal/index.js';
import { NO_PROGRESS, type Output, type Progress, startProgress } from '../progress.js';

const LOOK_EVERY_MS = 250;

/** A file of the copy, with its final size. */
export interface CopiedFile {
  /** Relative to the data directory. */
  readonly path: string;
  readonly bytes: number;
}

export interface ShownCopy {
  /** Title of the bar. */
  readonly what: string;
  readonly to: string;
  /** Lists the files in the order in which they are copied; null = not known yet, called again. */
  readonly files: () => Promise<readonly CopiedFile[] | null>;
  readonly out: Output;
  readonly lookEveryMs?: number;
}

/** Settles as `copying` does. Shows nothing if the copy is done at the first look. */
export async function showCopy<T>(shown: ShownCopy, copying: Promise<T>): Promise<T> {
  const watch = new CopyWatch(shown);
  const isOver = copying.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([isOver, pause(shown.lookEveryMs ?? LOOK_EVERY_MS)]))) {
    await watch.look().catch(() => {});
  }
  try {
    const copied = await copying;
    watch.showWhole();
    return copied;
  } finally {
    watch.stop();
  }
}

const pause = (ms: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());

class CopyWatch {
  readonly #shown: ShownCopy;
  readonly #fs = new NodeFileSystem();
  #files: readonly CopiedFile[] | null = null;
  #bar: Progress = NO_PROGRESS;
  #totalBytes = 0;
  #shownBytes = 0;
  /** Index of the first incomplete file at the last look; the next field is the bytes of the files before it. */
  #at = 0;
  #wholeBytes = 0;

  constructor(shown: ShownCopy) {
    this.#shown = shown;
  }

  async look(): Promise<void> {
    this.#files ??= await this.#begin();
    if (this.#files === null) return;
    const { to } = this.#shown;
    while (this.#at < this.#files.length) {
      const { path: name, bytes } = this.#files[this.#at];
      const copied = await sizeOf(this.#fs, path.join(to, name));
      if (copied < bytes) return this.#show(this.#wholeBytes + copied);
      this.#wholeBytes += bytes;
      this.#at++;
    }
    this.#show(this.#wholeBytes);
  }

  async #begin(): Promise<readonly CopiedFile[] | null> {
    const files = await this.#shown.files();
    this.#totalBytes = files?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
    if (this.#totalBytes === 0) return null;
    const { what, out } = this.#shown;
    this.#bar = startProgress(out, { what, total: this.#totalBytes, unit: 'bytes' }, () => performance.now());
    return files;
  }

  #show(bytes: number): void {
    if (bytes > this.#shownBytes) this.#bar.add(bytes - this.#shownBytes);
    this.#shownBytes = Math.max(bytes, this.#shownBytes);
  }

  showWhole(): void {
    this.#show(this.#totalBytes);
  }

  stop(): void {
    this.#bar.stop();
  }
}

/** Lists the files of a log folder. */
export async function logFilesOf(dir: string): Promise<readonly CopiedFile[]> {
  const fs = new NodeFileSystem();
  const files = await listLogFiles(fs, dir);
  return Promise.all(
    files.map(async (file) => ({
      path: path.join('log', path.basename(file.path)),
      bytes: await sizeOf(fs, file.path),
    })),
  );
}

/** Size in bytes; 0 if the file does not exist. */
async function sizeOf(fs: FileSystem, file: string): Promise<number> {
  if (!(await fs.exists(file))) return 0;
  const handle = await fs.open(file, 'read');
  try {
    return await handle.size();
  } finally {
    await handle.close();
  }
}

/** Lists the snapshot files of the store in `dir`; null when they cannot be read. */
export async function snapshotFilesOf(dir: string): Promise<readonly CopiedFile[] | null> {
  const manifest = await readManifest(new NodeFileSystem(), dir);
  if (manifest === null) return null;
  return [...manifest.files, ...listFilesOf(manifest)];
}
