/** Orders to end worker threads of a server process (dying-thread.ts), and the environment that enables them. */
import fs from 'node:fs';
import path from 'node:path';

const PRELOAD = new URL('./dying-thread.js', import.meta.url).href;
const LOOK_EVERY_MS = 2;

/** An uncaught error; process.exit within the thread; the heap limit; an arena that cannot grow. */
export type Way = 'throw' | 'exit' | 'heap' | 'arena';
export const ALL_WAYS: readonly Way[] = ['throw', 'exit', 'heap', 'arena'];

export interface DeathOrder {
  readonly way: Way;
  /** Dies at the next request of this kind, before it is executed; omitted: while idle. */
  readonly op?: string;
  /** Applies only to threads that started later; milliseconds since 1970-01-01. */
  readonly bornAfterMs?: number;
  /** Ends every thread whenever it applies a batch that contains this text; `op` is ignored. */
  readonly marker?: string;
}

export class DeathOrders {
  readonly dir: string;
  #count = 0;

  constructor(dir: string) {
    this.dir = dir;
    fs.mkdirSync(dir, { recursive: true });
  }

  /** Environment of the server process. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import ${PRELOAD}`, QUARRY_TEST_ORDERS: this.dir };
  }

  /** Resolves with true when a thread took the order, or withdraws it after `waitMsMax` and resolves with false. */
  async taken(file: string, waitMsMax: number): Promise<boolean> {
    const untilMs = performance.now() + waitMsMax;
    while (fs.existsSync(file)) {
      if (performance.now() > untilMs) return !this.#withdrew(file);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return true;
  }

  /** The file of the order, which a thread removes when it takes the order. */
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
