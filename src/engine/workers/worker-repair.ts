/**
 * Rebuilds workers whose thread ended. Invariant: while a worker is down nothing is appended, so the log does not change during
 * its rebuild.
 */
import type { Checkpointer } from '../lifecycle/checkpoint.js';
import type { EngineOptions } from '../options.js';
import type { WriteBarrier } from '../query/write-barrier.js';
import type { WriteOrder } from '../write/write-order.js';
import { type Rebuilt, type ReplayedCounts, rebuildWorker } from './rebuild.js';
import type { WorkerClients } from './worker-clients.js';

export interface WorkerRepairDependencies {
  readonly options: EngineOptions;
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly barrier: WriteBarrier;
  readonly checkpoints: Checkpointer;
  readonly logDir: string;
}

export class WorkerRepair {
  readonly #dependencies: WorkerRepairDependencies;
  /** The rebuilds of the workers that are down, by index. Each resolves with the counts of its replay. */
  readonly underWay = new Map<number, Promise<ReplayedCounts>>();
  #count = 0;

  constructor(dependencies: WorkerRepairDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of rebuilt workers since the start. */
  get count(): number {
    return this.#count;
  }

  /** `isOpen`: the store is open and its workers have every record. Otherwise the start fails, and this error is the reason. */
  begin(index: number, cause: unknown, isOpen: boolean): void {
    // The running rebuild handles a thread that ends during it.
    if (this.underWay.has(index)) return;
    const { events } = this.#dependencies.options;
    events.warn('a worker thread ended and is rebuilt', { worker: index, cause: String(cause) });
    const rebuild = isOpen ? this.#rebuild(index) : this.#findCause(index, cause);
    this.underWay.set(index, rebuild);
    rebuild.then(
      () => this.underWay.delete(index),
      (error) => events.fatal(error as Error),
    );
  }

  /** Starts a new thread and loads the worker's shards up to the last record. */
  async #rebuild(index: number): Promise<ReplayedCounts> {
    const { checkpoints, order, barrier, workers } = this.#dependencies;
    await checkpoints.idle();
    await order.log.sync();
    // The replay contains all durable records, so none of them may be sent to the new thread again.
    await barrier.cleared();
    const { worker, counts } = await this.#madeAnew(index);
    workers.all[index] = worker;
    this.#count++;
    return counts;
  }

  #madeAnew(index: number): Promise<Rebuilt> {
    const { options, logDir, checkpoints, order, workers } = this.#dependencies;
    return rebuildWorker({
      fs: options.fs,
      logDir,
      manifest: checkpoints.manifest,
      models: () => order.head.databases.values(),
      inserts: workers.inserts,
      startWorker: () => workers.start(index),
      ended: (cause) =>
        options.events.warn('a worker thread ended while it loaded its shards', {
          worker: index,
          cause: String(cause),
        }),
    });
  }

  /** Always rejects, and names the record that ends threads if there is one. */
  async #findCause(index: number, cause: unknown): Promise<never> {
    if (!this.#dependencies.order.isOpen) {
      const { worker } = await this.#madeAnew(index);
      await worker.close();
    }
    throw new Error(`worker thread ${index} ended while the store was opened: ${String(cause)}`, { cause });
  }
}
