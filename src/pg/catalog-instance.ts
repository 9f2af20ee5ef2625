/**
 * One thread of the catalog, from its start to its end.
 * Invariant: it is asked one thing at a time; whatever takes too long, needs too much or is not waited for any more ends it.
 */
import { Worker } from 'node:worker_threads';
import { invariant } from '../base/index.js';
import type { CatalogReply, CatalogRequest, CatalogStart } from './catalog-messages.js';
import type { CatalogView } from './catalog-view.js';
import { ProtocolFault, ReadsRows } from './fault.js';
import type { Waiting } from './waiting.js';

/** So much of it is there from its start. */
const MEMORY_BYTES_MAX = 192 * 2 ** 20;
/** What the thread takes beside that, mostly for its code. */
const THREAD_BYTES = 16 * 2 ** 20;
/** Of one instance while it runs. */
export const INSTANCE_BYTES = MEMORY_BYTES_MAX + THREAD_BYTES;
const ANSWER_BYTES_MAX = 16 * 2 ** 20;
/** Loading takes a second or two of a core, which others may use at the same time. */
const START_MS_MAX = 60_000;
const SHOW_MS_MAX = 30_000;

const gone = (): ProtocolFault => new ProtocolFault('57P03', 'the catalog ended and starts anew; ask again');

export class CatalogInstance {
  readonly #worker: Worker;
  readonly #runMsMax: number;
  readonly #ready: Promise<CatalogReply>;
  #settle: ((reply: CatalogReply | ProtocolFault) => void) | null = null;
  #viewKey = '';
  #isEnded = false;
  #isGrown = false;

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

  /** Of no use any more: another one is to be started. */
  get isSpent(): boolean {
    return this.#isEnded || this.#isGrown;
  }

  /** To be called again only when the call before has settled. Rejects with ProtocolFault and ReadsRows. */
  async run(view: CatalogView, messages: Buffer, waiting: Waiting): Promise<Buffer> {
    const stopped = new ProtocolFault('57014', 'the query was stopped');
    let takeBack = (): void => {};
    try {
      if (waiting.isCancelled) throw stopped;
      // A start goes on, for whoever asks next.
      await Promise.race([
        this.#ready,
        new Promise<never>((_, reject) => {
          takeBack = waiting.alsoOnCancel(() => reject(stopped));
        }),
      ]);
      takeBack();
      takeBack = waiting.alsoOnCancel(() => this.#fail(stopped));
      if (this.#viewKey !== view.key) {
        this.#viewKey = '';
        const { databaseName } = view;
        await this.#ask({ asks: 'show', databaseName, tables: view.tables() }, SHOW_MS_MAX);
        this.#viewKey = view.key;
      }
      const { userName } = view;
      const reply = await this.#ask({ asks: 'run', messages, userName }, this.#runMsMax);
      invariant(reply.is === 'done', 'a query is answered or refused');
      this.#isGrown = reply.memoryBytes > 0;
      if (reply.readsRows) throw new ReadsRows();
      return Buffer.from(reply.bytes);
    } finally {
      takeBack();
    }
  }

  end(): void {
    this.#end();
  }

  #ask(request: CatalogRequest, msMax: number): Promise<CatalogReply> {
    if (this.#isEnded) return Promise.reject(gone());
    const reply = this.#reply(msMax);
    this.#worker.postMessage(request);
    return reply;
  }

  async #reply(msMax: number): Promise<CatalogReply> {
    const late = setTimeout(() => {
      this.#fail(new ProtocolFault('57014', `the query of the catalog took more than ${msMax / 1000} s`));
    }, msMax);
    try {
      const settled = await new Promise<CatalogReply | ProtocolFault>((resolve) => {
        this.#settle = resolve;
      });
      if (settled instanceof ProtocolFault) throw settled;
      if (settled.is !== 'failed') return settled;
      this.#end();
      if (settled.tooMuch) throw new ProtocolFault('53200', 'the query of the catalog needs too much memory');
      throw new ProtocolFault('XX000', `the catalog failed: ${settled.why}`);
    } finally {
      clearTimeout(late);
      this.#settle = null;
    }
  }

  /** Tells whoever waits, and ends the thread, which may be busy for ever. */
  #fail(fault: ProtocolFault): void {
    this.#settle?.(fault);
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#settle?.(gone());
    void this.#worker.terminate();
  }
}
