/**
 * One catalog thread, from start to end.
 * Invariant: it has one request at a time; a request that exceeds its time or memory limit or is cancelled ends the thread.
 */
import { Worker } from 'node:worker_threads';
import { invariant } from '../../base/index.js';
import { ProtocolError, ReadsRows } from '../protocol/errors.js';
import type { Waiting } from '../session/waiting.js';
import type { CatalogReply, CatalogRequest, CatalogStart } from './messages.js';
import type { CatalogView } from './view.js';

/** Most of this memory is allocated at the start. */
const MEMORY_BYTES_MAX = 192 * 2 ** 20;
/** Further memory of the thread, mostly for its code. */
const THREAD_BYTES = 16 * 2 ** 20;
/** Memory that a running instance reserves. */
export const INSTANCE_BYTES = MEMORY_BYTES_MAX + THREAD_BYTES;
const ANSWER_BYTES_MAX = 16 * 2 ** 20;
/** Loading takes one or two seconds of CPU time; the limit allows for a busy machine. */
const START_MS_MAX = 60_000;
const SHOW_MS_MAX = 30_000;

const TOO_COMPLEX = 'the query of the catalog is too complex';

/** The thread has ended without an answer. */
export class ThreadGone extends ProtocolError {
  constructor() {
    super('54001', TOO_COMPLEX);
  }
}

export class CatalogInstance {
  readonly #worker: Worker;
  readonly #runMsMax: number;
  readonly #ready: Promise<CatalogReply>;
  #settle: ((reply: CatalogReply | ProtocolError) => void) | null = null;
  #viewKey = '';
  #isEnded = false;
  #isGrown = false;
  #runCount = 0;

  constructor(threadFile: string, template: Uint8Array, runMsMax: number) {
    const start: CatalogStart = {
      template,
      memoryBytesMax: MEMORY_BYTES_MAX,
      answerBytesMax: ANSWER_BYTES_MAX,
    };
    this.#runMsMax = runMsMax;
    this.#ready = this.#reply(START_MS_MAX);
    this.#worker = new Worker(threadFile, {
      workerData: start,
      stdout: true,
      stderr: true,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: CatalogReply) => this.#settle?.(reply));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
    this.#ready.catch(() => {});
  }

  get viewKey(): string {
    return this.#viewKey;
  }

  /** The instance must be replaced: it has ended, or its memory has grown. */
  get isSpent(): boolean {
    return this.#isEnded || this.#isGrown;
  }

  /** The number of calls of `run`. */
  get runCount(): number {
    return this.#runCount;
  }

  /**
   * Must not be called before the previous call has settled. Rejects with ThreadGone, other ProtocolErrors and ReadsRows.
   */
  async run(view: CatalogView, messages: Buffer, waiting: Waiting): Promise<Buffer> {
    const stopped = new ProtocolError('57014', 'the query was stopped');
    this.#runCount++;
    let removeListener = (): void => {};
    try {
      if (waiting.isCancelled) throw stopped;
      // Cancelling a query does not stop the start-up: the next query uses the instance.
      await Promise.race([
        this.#ready,
        new Promise<never>((_, reject) => {
          removeListener = waiting.alsoOnCancel(() => reject(stopped));
        }),
      ]);
      removeListener();
      removeListener = waiting.alsoOnCancel(() => this.#fail(stopped));
      if (this.#viewKey !== view.key) {
        this.#viewKey = '';
        const { databaseName } = view;
        await this.#request({ is: 'show', databaseName, tables: view.tables() }, SHOW_MS_MAX);
        this.#viewKey = view.key;
      }
      const { userName, activity } = view;
      const reply = await this.#request({ is: 'run', messages, userName, activity }, this.#runMsMax);
      invariant(reply.is === 'done', 'a query is answered or refused');
      this.#isGrown = reply.memoryBytes > 0;
      if (reply.readsRows) throw new ReadsRows();
      return Buffer.from(reply.bytes);
    } finally {
      removeListener();
    }
  }

  end(): void {
    this.#end();
  }

  #request(request: CatalogRequest, msMax: number): Promise<CatalogReply> {
    if (this.#isEnded) return Promise.reject(new ThreadGone());
    const reply = this.#reply(msMax);
    this.#worker.postMessage(request);
    return reply;
  }

  async #reply(msMax: number): Promise<CatalogReply> {
    const late = setTimeout(() => {
      this.#fail(new ProtocolError('57014', `the query of the catalog took more than ${msMax / 1000} s`));
    }, msMax);
    try {
      const settled = await new Promise<CatalogReply | ProtocolError>((resolve) => {
        this.#settle = resolve;
      });
      if (settled instanceof ProtocolError) throw settled;
      if (settled.is !== 'failed') return settled;
      this.#end();
      if (settled.limit === 'memory') {
        throw new ProtocolError('53200', 'the query of the catalog needs too much memory');
      }
      if (settled.limit === 'stack') throw new ProtocolError('54001', TOO_COMPLEX);
      throw new ProtocolError('XX000', `the catalog failed: ${settled.why}`);
    } finally {
      clearTimeout(late);
      this.#settle = null;
    }
  }

  /** Rejects the pending request and terminates the thread, which may never finish on its own. */
  #fail(error: ProtocolError): void {
    this.#settle?.(error);
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#settle?.(new ThreadGone());
    void this.#worker.terminate();
  }
}
