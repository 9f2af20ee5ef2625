/**
 * Progress of a store that is copied, read off the files that it has by then: the same whether this process copies or a
 * server does. Invariant: what cannot be read is not shown, and never stops the copy.
 */
import path from 'node:path';
import { type FileSystem, NodeFileSystem } from '../../io/index.js';
import { readManifest } from '../../recovery/index.js';
import { listLogFiles } from '../../wal/index.js';
import { NO_PROGRESS, type Output, type Progress, startProgress } from '../progress.js';

const LOOK_EVERY_MS = 250;

/** A file of the copy, when it is whole. */
export interface CopiedFile {
  /** Relative to the data directory. */
  readonly path: string;
  readonly bytes: number;
}

export interface ShownCopy {
  /** What the bar is called. */
  readonly what: string;
  readonly to: string;
  /** Asked until it knows: null = not yet. In the order in which they are copied. */
  readonly files: () => Promise<readonly CopiedFile[] | null>;
  readonly out: Output;
  readonly lookEveryMs?: number;
}

/** What `copying` resolves to, or rejects with. Shows nothing of a copy that is over at the first look. */
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
  /** The first file that was not whole at the last look, and the bytes of those before it. */
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

/** Of the files of a log folder. */
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

/** 0 of a file that is not there. */
async function sizeOf(fs: FileSystem, file: string): Promise<number> {
  if (!(await fs.exists(file))) return 0;
  const handle = await fs.open(file, 'read');
  try {
    return await handle.size();
  } finally {
    await handle.close();
  }
}

/** The snapshot files of the store in `dir`; null when it cannot be told. */
export async function snapshotFilesOf(dir: string): Promise<readonly CopiedFile[] | null> {
  const manifest = await readManifest(new NodeFileSystem(), dir);
  if (manifest === null) return null;
  return manifest.once == null ? manifest.files : [...manifest.files, manifest.once];
}
