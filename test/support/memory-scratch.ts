/** Temporary files in memory that fail, end early or return damaged bytes as a disk may. */
import type { ScratchFile, ScratchReader } from '../../src/io/index.js';

export type ScratchCall = 'create' | 'write' | 'read';

export interface ScratchFaults {
  /** The error code of this call, counted from 0 over all calls; undefined = it succeeds. */
  readonly fault?: (step: number, call: ScratchCall) => string | undefined;
  /** Changes bytes that were read; returns their number. */
  readonly damage?: (bytes: Uint8Array, step: number) => number;
}

export class MemoryScratch {
  readonly #faults: ScratchFaults;
  readonly #files = new Map<number, Uint8Array>();
  #handles = 0;
  steps = 0;
  writtenBytes = 0;

  constructor(faults: ScratchFaults = {}) {
    this.#faults = faults;
  }

  /** The number of open files. */
  get openCount(): number {
    return this.#files.size;
  }

  createScratch(file: string): ScratchFile {
    this.#step('create', file);
    const handle = ++this.#handles;
    this.#files.set(handle, new Uint8Array(0));
    return {
      handle,
      write: (bytes, position) => {
        this.#step('write', file);
        const before = this.#files.get(handle) ?? new Uint8Array(0);
        const after = new Uint8Array(Math.max(before.length, position + bytes.length));
        after.set(before);
        after.set(bytes, position);
        this.#files.set(handle, after);
        this.writtenBytes += bytes.length;
      },
      read: this.scratchOf(handle).read,
      close: () => this.#files.delete(handle),
    };
  }

  scratchOf(handle: number): ScratchReader {
    return {
      read: (into, position) => {
        const step = this.#step('read', `file ${handle}`);
        const file = this.#files.get(handle);
        if (file === undefined) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' });
        const bytes = file.subarray(position, position + into.length);
        into.set(bytes);
        return this.#faults.damage?.(into, step) ?? bytes.length;
      },
    };
  }

  #step(call: ScratchCall, file: string): number {
    const step = this.steps++;
    const code = this.#faults.fault?.(step, call);
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${call} ${file}`), { code });
    return step;
  }
}
