/**
 * A disk in memory that crashes, fails and loses data as a real one may; the only model of disk faults in tests.
 *   Crash    at a chosen call the machine stops: that call and all later ones reject. `afterCrash` is the disk as the
 *            next start finds it. Synced bytes and names are there. Each unsynced 512-byte sector that a write touched is kept or
 *            lost independently, and so is each unsynced change of a size or a name; writes are therefore lost, torn and
 *            reordered. The seed decides, and also how much is kept overall: all, nothing, or a part. `afterKill` is the disk if
 *            only the process ended at that call.
 *   Errors   `fault` gives a call an error code: a write then leaves a part of its bytes; a failed sync leaves some
 *            sectors on disk and forgets the others, so that a later successful sync does not write them (as Linux does).
 *   Full     `capacityBytes` bounds the sum of file sizes; a write beyond it leaves what fits and rejects with ENOSPC.
 * Names are synced by `syncDir`, a file's bytes and size by `dataSync`; the folders themselves always stay.
 */
import path from 'node:path';
import { Prng } from '../../src/base/index.js';
import type { FileHandle, FileSystem, ScratchFile, ScratchReader } from '../../src/io/index.js';
import { MemoryScratch } from './memory-scratch.js';

const SECTOR_BYTES = 512;

export type DiskCall =
  | 'open'
  | 'writev'
  | 'read'
  | 'dataSync'
  | 'truncate'
  | 'rename'
  | 'remove'
  | 'list'
  | 'removeDir'
  | 'syncDir'
  | QuietCall;

/** Calls without an effect on the disk: a crash at one needs no test, so they are not steps, but they may fail. */
type QuietCall = 'exists' | 'size' | 'close' | 'makeDir';

export interface FaultyDiskOptions {
  readonly seed?: number;
  /** Ordinal of the call at which the machine stops, counted from 0. */
  readonly crashAtStep?: number;
  /** The error code of this call, if it fails. */
  readonly fault?: (step: number, call: DiskCall, file: string) => string | undefined;
  /** Called before each step takes effect, so that the disk can be inspected and copied between two steps. */
  readonly onStep?: (step: number) => void;
}

interface Change {
  /** The file's size afterwards, if the change sets it. */
  readonly size: number | null;
  /** At most one sector of bytes, and their offset. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * The content of a file as the running system sees it, the content that is certainly on disk, and the unsynced changes
 * between the two.
 */
class Inode {
  live: Uint8Array = new Uint8Array(0);
  durable: Uint8Array = new Uint8Array(0);
  pending: Change[] = [];

  change(change: Change): void {
    this.live = applied(this.live, change);
    this.pending.push(change);
  }
}

interface NameChange {
  readonly dir: string;
  readonly removed: string | null;
  readonly added: string | null;
  readonly node: Inode;
}

function resized(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.byteLength === size) return bytes;
  const result = new Uint8Array(size);
  result.set(bytes.subarray(0, size));
  return result;
}

function applied(bytes: Uint8Array, change: Change): Uint8Array {
  const end = change.at + change.bytes.byteLength;
  const size =
    change.size ?? (change.bytes.byteLength > 0 ? Math.max(bytes.byteLength, end) : bytes.byteLength);
  const result = resized(bytes, size);
  if (change.bytes.byteLength > 0) result.set(change.bytes, change.at);
  return result;
}

interface DiskError extends Error {
  readonly code: string;
  /** The machine had stopped before the call, which therefore had no effect. */
  readonly late: boolean;
}

function fail(code: string, what: string, late = false): DiskError {
  return Object.assign(new Error(`${code}: ${what}`), { code, late });
}

export class FaultyDisk implements FileSystem {
  /** Maximum total size of all files; may be changed at any time. */
  capacityBytes = Number.POSITIVE_INFINITY;
  /** Number of calls so far, in total and by kind. */
  steps = 0;
  readonly callCounts = new Map<DiskCall, number>();
  crashed = false;
  readonly #options: FaultyDiskOptions;
  readonly #scratch = new MemoryScratch();
  readonly #prng: Prng;
  #live = new Map<string, Inode>();
  #durable = new Map<string, Inode>();
  #nameChanges: NameChange[] = [];

  constructor(options: FaultyDiskOptions) {
    this.#options = options;
    this.#prng = new Prng(options.seed ?? 1);
  }

  async open(file: string, mode: 'read' | 'read-write' | 'create'): Promise<FileHandle> {
    await this.#step('open', file);
    let node = this.#live.get(file);
    if (node === undefined) {
      if (mode !== 'create') throw fail('ENOENT', file);
      node = new Inode();
      this.#name({ dir: path.dirname(file), removed: null, added: file, node });
    } else if (mode === 'create') node.change({ size: 0, at: 0, bytes: new Uint8Array(0) });
    return this.#handle(file, node);
  }

  async readFile(file: string): Promise<Uint8Array> {
    await this.#step('read', file);
    return this.#existing(file).live.slice();
  }

  async writeFile(file: string, bytes: Uint8Array): Promise<void> {
    const handle = await this.open(file, 'create');
    await handle.writev([bytes], 0);
    await handle.dataSync();
    await handle.close();
  }

  async rename(from: string, to: string): Promise<void> {
    const change = () => ({ dir: path.dirname(from), removed: from, added: to, node: this.#existing(from) });
    await this.#stepOfName('rename', from, change);
  }

  async remove(file: string): Promise<void> {
    const change = () => ({
      dir: path.dirname(file),
      removed: file,
      added: null,
      node: this.#existing(file),
    });
    await this.#stepOfName('remove', file, change);
  }

  async list(dir: string): Promise<string[]> {
    await this.#step('list', dir);
    const below = [...this.#live.keys()].filter((file) => file.startsWith(`${dir}/`));
    const names = below.map((file) => file.slice(dir.length + 1).split('/', 1)[0]);
    return [...new Set(names)].sort();
  }

  async makeDir(dir: string): Promise<void> {
    await this.#quiet('makeDir', dir);
  }

  /** A folder exists as long as it contains a file. */
  async removeDir(dir: string): Promise<void> {
    await this.#step('removeDir', dir);
  }

  async syncDir(dir: string): Promise<void> {
    const due = this.#nameChanges.filter((change) => change.dir === dir);
    await this.#step('syncDir', dir);
    for (const change of due) this.#applyName(this.#durable, change);
    this.#nameChanges = this.#nameChanges.filter((change) => !due.includes(change));
  }

  async exists(file: string): Promise<boolean> {
    await this.#quiet('exists', file);
    return this.#live.has(file);
  }

  createScratch(file: string): ScratchFile {
    return this.#scratch.createScratch(file);
  }

  scratchOf(handle: number): ScratchReader {
    return this.#scratch.scratchOf(handle);
  }

  /** The disk that the next start finds if the machine stops now, or at the call at which it stopped. */
  afterCrash(options: FaultyDiskOptions = {}): FaultyDisk {
    const keep = this.#prng.pick([1, 0, 0.5, 0.9, this.#prng.unit()]);
    const next = new FaultyDisk({ seed: this.#prng.u32(), ...options });
    const names = new Map(this.#durable);
    for (const change of this.#nameChanges) if (this.#prng.chance(keep)) this.#applyName(names, change);
    const found = new Map<Inode, Inode>();
    for (const [file, node] of names) {
      let copy = found.get(node);
      if (copy === undefined) {
        copy = new Inode();
        copy.durable = node.durable.slice();
        for (const change of node.pending) {
          if (this.#prng.chance(keep)) copy.durable = applied(copy.durable, change);
        }
        copy.live = copy.durable.slice();
        found.set(node, copy);
      }
      next.#live.set(file, copy);
      next.#durable.set(file, copy);
    }
    return next;
  }

  /**
   * The disk that the next start finds if only the process was killed: all writes are visible, but unsynced ones are
   * still lost by a crash.
   */
  afterKill(options: FaultyDiskOptions = {}): FaultyDisk {
    const next = new FaultyDisk({ seed: this.#prng.u32(), ...options });
    const copies = new Map<Inode, Inode>();
    const copyOf = (node: Inode): Inode => {
      const copy = copies.get(node) ?? new Inode();
      copies.set(node, copy);
      copy.live = node.live.slice();
      copy.durable = node.durable.slice();
      copy.pending = node.pending.slice();
      return copy;
    };
    for (const [file, node] of this.#live) next.#live.set(file, copyOf(node));
    for (const [file, node] of this.#durable) next.#durable.set(file, copyOf(node));
    next.#nameChanges = this.#nameChanges.map((change) => ({ ...change, node: copyOf(change.node) }));
    return next;
  }

  /** Stops the machine: no later call has any effect. */
  stop(): void {
    this.crashed = true;
  }

  /** A copy of a file's bytes as the running system sees them. */
  bytesOf(file: string): Uint8Array {
    return this.#existing(file).live.slice();
  }

  /** Creates or replaces a file, synced, without counting a call. */
  put(file: string, bytes: Uint8Array): void {
    const node = new Inode();
    node.live = bytes.slice();
    node.durable = node.live.slice();
    this.#live.set(file, node);
    this.#durable.set(file, node);
  }

  files(): string[] {
    return [...this.#live.keys()].sort();
  }

  #handle(file: string, node: Inode): FileHandle {
    return {
      writev: async (parts, position) => {
        const bytes = Buffer.concat(parts);
        try {
          await this.#step('writev', file);
        } catch (error) {
          const count = this.#prng.below(bytes.byteLength + 1);
          if (!(error as DiskError).late) this.#write(node, bytes.subarray(0, count), position);
          throw error;
        }
        const free = Math.max(0, this.capacityBytes - this.#usedBytes());
        const spaceBytes = Math.max(0, node.live.byteLength + free - position);
        this.#write(node, bytes.subarray(0, spaceBytes), position);
        if (spaceBytes < bytes.byteLength) throw fail('ENOSPC', file);
      },
      read: async (into, position) => {
        await this.#step('read', file);
        const bytes = node.live.subarray(position, position + into.byteLength);
        into.set(bytes);
        return bytes.byteLength;
      },
      dataSync: async () => {
        const due = node.pending.slice();
        try {
          await this.#step('dataSync', file);
        } catch (error) {
          if (!this.crashed)
            this.#sync(
              node,
              due.filter(() => this.#prng.chance(0.5)),
              due,
            );
          throw error;
        }
        this.#sync(node, due, due);
      },
      truncate: async (bytes) => {
        await this.#step('truncate', file);
        node.change({ size: bytes, at: 0, bytes: new Uint8Array(0) });
      },
      size: async () => {
        await this.#quiet('size', file);
        return node.live.byteLength;
      },
      // The file is closed even if the call fails.
      close: () => this.#quiet('close', file),
    };
  }

  async #quiet(call: QuietCall, file: string): Promise<void> {
    this.callCounts.set(call, (this.callCounts.get(call) ?? 0) + 1);
    const code = this.crashed ? undefined : this.#options.fault?.(this.steps, call, file);
    if (code !== undefined) throw fail(code, `${call} ${file} at step ${this.steps}`);
  }

  async #step(call: DiskCall, file: string): Promise<void> {
    const step = this.steps++;
    this.callCounts.set(call, (this.callCounts.get(call) ?? 0) + 1);
    // Other code may run while the disk works.
    await Promise.resolve();
    if (!this.crashed) this.#options.onStep?.(step);
    if (this.crashed) throw fail('EIO', 'the machine has stopped', true);
    if (step === this.#options.crashAtStep) {
      this.crashed = true;
      throw fail('EIO', `the machine stopped at step ${step} (${call} ${file})`);
    }
    const code = this.#options.fault?.(step, call, file);
    if (code !== undefined) throw fail(code, `${call} ${file} at step ${step}`);
  }

  /** A call that changes a name. If the machine stops at the call, the name may have been changed. */
  async #stepOfName(call: DiskCall, file: string, change: () => NameChange): Promise<void> {
    try {
      await this.#step(call, file);
    } catch (error) {
      if (this.crashed && !(error as DiskError).late && this.#prng.chance(0.5)) this.#name(change());
      throw error;
    }
    this.#name(change());
  }

  /** Takes ownership of `bytes`. */
  #write(node: Inode, bytes: Uint8Array, position: number): void {
    const end = position + bytes.byteLength;
    // The size is a separate change: it may be kept while the bytes are lost.
    if (end > node.live.byteLength) node.change({ size: end, at: 0, bytes: new Uint8Array(0) });
    for (let at = position; at < end; ) {
      const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
      node.change({ size: null, at, bytes: bytes.subarray(at - position, next - position) });
      at = next;
    }
  }

  #sync(node: Inode, reached: readonly Change[], forgotten: readonly Change[]): void {
    for (const change of reached) node.durable = applied(node.durable, change);
    const gone = new Set(forgotten);
    node.pending = node.pending.filter((change) => !gone.has(change));
  }

  #name(change: NameChange): void {
    this.#applyName(this.#live, change);
    this.#nameChanges.push(change);
  }

  #applyName(names: Map<string, Inode>, { removed, added, node }: NameChange): void {
    if (removed !== null) names.delete(removed);
    if (added !== null) names.set(added, node);
  }

  #existing(file: string): Inode {
    const node = this.#live.get(file);
    if (node === undefined) throw fail('ENOENT', file);
    return node;
  }

  #usedBytes(): number {
    let total = 0;
    for (const node of this.#live.values()) total += node.live.byteLength;
    return total;
  }
}

export function faultyDisk(options: FaultyDiskOptions = {}): FaultyDisk {
  return new FaultyDisk(options);
}
