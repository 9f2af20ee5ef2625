/**
 * File handles kept in reserve for the time when the process may open no more: connections use handles, too, and a client that
 * opens very many must not stop the log, a checkpoint or a rebuild.
 * Invariant: a handle that was opened in place of a spare one becomes a spare again when it is closed, as long as some are
 * missing.
 */
import fs from 'node:fs';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

const open = promisify(fs.open);
const close = promisify(fs.close);

const OUT_OF_HANDLES: readonly unknown[] = ['EMFILE', 'ENFILE'];
const isOutOfHandles = (error: unknown): boolean =>
  OUT_OF_HANDLES.includes((error as NodeJS.ErrnoException).code);

export class SpareHandles {
  readonly #wantedCount: number;
  readonly #spare: number[] = [];

  constructor(count: number) {
    this.#wantedCount = count;
    while (this.#spare.length < count) this.#spare.push(fs.openSync(devNull, 'r'));
  }

  async open(file: string, flags: string, mode: number): Promise<number> {
    try {
      return await open(file, flags, mode);
    } catch (error) {
      if (!isOutOfHandles(error)) throw error;
      return this.#openInstead(file, flags, mode, error);
    }
  }

  async close(fd: number): Promise<void> {
    if (this.#spare.length === this.#wantedCount) return close(fd);
    fs.closeSync(fd);
    this.#refill();
  }

  /** Runs an operation that needs a handle temporarily; `runNow` does the same synchronously. */
  async whileOpen<T>(run: () => Promise<T>, runNow: () => T): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const spare = isOutOfHandles(error) ? this.#spare.pop() : undefined;
      if (spare === undefined) throw error;
      fs.closeSync(spare);
      const result = runNow();
      this.#refill();
      return result;
    }
  }

  #refill(): void {
    try {
      this.#spare.push(fs.openSync(devNull, 'r'));
    } catch {
      // Another open was faster; retry after the next handle is closed.
    }
  }

  /** Synchronous, so that this thread accepts no connection in between; other threads may. */
  #openInstead(file: string, flags: string, mode: number, cause: unknown): number {
    let lastError = cause;
    for (let fd = this.#spare.pop(); fd !== undefined; fd = this.#spare.pop()) {
      fs.closeSync(fd);
      try {
        return fs.openSync(file, flags, mode);
      } catch (error) {
        if (!isOutOfHandles(error)) throw error;
        lastError = error;
      }
    }
    throw lastError;
  }
}
