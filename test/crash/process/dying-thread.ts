/**
 * Preloaded into a server process (NODE_OPTIONS=--import) to end its worker threads without changes to the server. An
 * order is a file in the folder QUARRY_TEST_ORDERS, written by death-orders.ts. The first thread to which it applies
 * takes it by renaming it, and dies at once or at the next request of some kind, as ordered.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isMainThread, MessagePort, workerData } from 'node:worker_threads';
import {
  bytesAt,
  type WorkerRequest,
  type WorkerStart,
  type WorkerTask,
} from '../../../src/protocol/index.js';
import type { DeathOrder, Way } from './death-orders.js';

const LOOK_EVERY_MS = 3;
const PAGE_BYTES = 65_536;
const ARENA_BYTES = 256 * 2 ** 20;

const WAYS: Readonly<Record<Way, () => void>> = {
  throw: () => {
    throw new Error('ordered to throw');
  },
  exit: () => process.exit(0),
  heap: () => {
    // Node ends only the thread if its heap exceeds the limit by less than 16 MiB, and otherwise the process.
    const blocks: number[][] = [];
    for (;;) blocks.push(new Array(2 ** 19).fill(0.5));
  },
  arena: () => {
    const pages = ARENA_BYTES / PAGE_BYTES;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    (memory as unknown as { grow(pages: number): void }).grow(1);
  },
};

class Orders {
  readonly #dir: string;
  readonly #bornMs = Date.now();
  readonly #inserts: SharedArrayBuffer | null;

  constructor(dir: string, start: WorkerStart | undefined) {
    this.#dir = dir;
    this.#inserts = start?.inserts ?? null;
  }

  /** Takes the order for this thread that is due at `requests`; null = while the thread is idle. */
  due(requests: readonly WorkerRequest[] | null): Way | null {
    for (const name of fs.readdirSync(this.#dir)) {
      if (!name.endsWith('.order')) continue;
      const file = path.join(this.#dir, name);
      const order = readOrder(file);
      if (order === null || !this.#concerns(order, requests)) continue;
      // A poison record ends every thread that applies it.
      if (order.marker !== undefined || take(file)) return order.way;
    }
    return null;
  }

  #concerns({ op, bornAfterMs, marker }: DeathOrder, requests: readonly WorkerRequest[] | null): boolean {
    if (bornAfterMs !== undefined && this.#bornMs <= bornAfterMs) return false;
    if (marker !== undefined) return requests?.some((request) => this.#holds(request, marker)) === true;
    return op === undefined ? requests === null : requests?.some((request) => request.op === op) === true;
  }

  #holds(request: WorkerRequest, marker: string): boolean {
    if (request.op !== 'apply' || this.#inserts === null) return false;
    const inserts = this.#inserts;
    return request.records.some(({ buffer, batches }) => {
      const bytes = Buffer.from(bytesAt(buffer, inserts));
      return batches.some(({ offset, byteLength }) =>
        bytes.subarray(offset, offset + byteLength).includes(marker),
      );
    });
  }
}

function readOrder(file: string): DeathOrder | null {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as DeathOrder;
  } catch {
    return null;
  }
}

/** Returns false if another thread took the order first. */
function take(file: string): boolean {
  try {
    fs.renameSync(file, file.replace(/order$/, 'taken'));
    return true;
  } catch {
    return false;
  }
}

function watchThread(dir: string): void {
  const orders = new Orders(dir, workerData as WorkerStart | undefined);
  const obey = (requests: readonly WorkerRequest[] | null): void => {
    const way = orders.due(requests);
    if (way !== null) WAYS[way]();
  };
  setInterval(() => obey(null), LOOK_EVERY_MS).unref();
  const { on } = MessagePort.prototype;
  MessagePort.prototype.on = function (this: MessagePort, event: string, listener: (value: unknown) => void) {
    if (event !== 'message') return on.call(this, event, listener);
    return on.call(this, event, (value: unknown) => {
      const { task } = value as { task?: WorkerTask };
      if (task !== undefined) obey(task.requests);
      listener(value);
    });
  } as typeof on;
}

const { QUARRY_TEST_ORDERS } = process.env;
if (!isMainThread && QUARRY_TEST_ORDERS !== undefined) watchThread(QUARRY_TEST_ORDERS);
