/** Orders for worker threads of a server process to die (dying-thread.ts), and the environment in which they hear them. */
import fs from 'node:fs';
import path from 'node:path';

const PRELOAD = new URL('./dying-thread.js', import.meta.url).href;
const LOOK_EVERY_MS = 2;

/** An error that nobody catches; process.exit within the thread; its heap's limit; an arena at its end that shall grow. */
export type Way = 'throw' | 'exit' | 'heap' | 'arena';
export const ALL_WAYS: readonly Way[] = ['throw', 'exit', 'heap', 'arena'];

export interface DeathOrder {
  readonly way: Way;
  /** With the next request of this kind, before it is worked on; left out: while it does nothing. */
  readonly op?: string;
  /** Concerns only threads that began after it: milliseconds since 1970-01-01. */
  readonly bornAfterMs?: number;
  /** Every thread, each time that it shall apply a batch in which this text stands: `op` counts for nothing. */
  readonly marker?: string;
}

export class DeathOrders {
  readonly dir: string;
  #count = 0;

  constructor(dir: string) {
    this.dir = dir;
    fs.mkdirSync(dir, { recursive: true });
  }

  /** For the server process. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import ${PRELOAD}`, QUARRY_TEST_ORDERS: this.dir };
  }

  /** Resolves with true when a thread took it, with false and nothing ordered any more after `waitMsMax`. */
  async taken(file: string, waitMsMax: number): Promise<boolean> {
    const untilMs = performance.now() + waitMsMax;
    while (fs.existsSync(file)) {
      if (performance.now() > untilMs) return !this.#withdrew(file);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return true;
  }

  /** The order's file; it is gone when a thread took it. */
  put(order: DeathOrder): string {
    const name = `${this.#count++}`;
    const written = path.join(this.dir, `${name}.new`);
    fs.writeFileSync(written, JSON.stringify(order));
    const file = path.join(this.dir, `${name}.order`);
    fs.renameSync(written, file);
    return file;
  }

  withdrawAll(): void {
    for (const name of fs.readdirSync(this.dir)) fs.rmSync(path.join(this.dir, name), { force: true });
  }

  #withdrew(file: string): boolean {
    try {
      fs.rmSync(file);
      return true;
    } catch {
      return false;
    }
  }
}
