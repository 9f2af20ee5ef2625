/**
 * Brings lanes back whose thread ended. Invariant: while one is down nothing is appended, so its rebuild meets a log that
 * stands still.
 */
import type { Checkpointer } from '../lifecycle/checkpoint.js';
import type { EngineOptions } from '../options.js';
import type { ReadGate } from '../query/write-barrier.js';
import type { WriteOrder } from '../write/write-order.js';
import { type Rebuilt, type ReplayedCounts, rebuildLane } from './rebuild.js';
import type { LaneSet } from './worker-clients.js';

export interface LaneRepairParts {
  readonly options: EngineOptions;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly gate: ReadGate;
  readonly checkpoints: Checkpointer;
  readonly logDir: string;
}

export class LaneRepair {
  readonly #parts: LaneRepairParts;
  /** Lanes that are down: settles, with what their replay changed, when one is back. */
  readonly underWay = new Map<number, Promise<ReplayedCounts>>();
  #count = 0;

  constructor(parts: LaneRepairParts) {
    this.#parts = parts;
  }

  /** Lanes brought back so far. */
  get count(): number {
    return this.#count;
  }

  /** `isOpen`: the store was opened and its lanes hold every record. Otherwise it cannot be opened, and what ends is why. */
  begin(index: number, cause: unknown, isOpen: boolean): void {
    // A thread that ends while it rebuilds its lane is the rebuild's to follow.
    if (this.underWay.has(index)) return;
    const { events } = this.#parts.options;
    events.warn('a worker thread ended and is rebuilt', { lane: index, cause: String(cause) });
    const rebuild = isOpen ? this.#rebuild(index) : this.#findCause(index, cause);
    this.underWay.set(index, rebuild);
    rebuild.then(
      () => this.underWay.delete(index),
      (error) => events.fatal(error as Error),
    );
  }

  /** A new thread with the lane's shards as of the last record. */
  async #rebuild(index: number): Promise<ReplayedCounts> {
    const { checkpoints, order, gate, lanes } = this.#parts;
    await checkpoints.idle();
    await order.log.sync();
    // What is durable is in the replay: none of it may be sent to the new thread once more.
    await gate.cleared();
    const { lane, counts } = await this.#madeAnew(index);
    lanes.all[index] = lane;
    this.#count++;
    return counts;
  }

  #madeAnew(index: number): Promise<Rebuilt> {
    const { options, logDir, checkpoints, order, lanes } = this.#parts;
    return rebuildLane({
      fs: options.fs,
      logDir,
      manifest: checkpoints.manifest,
      models: () => order.head.databases.values(),
      inserts: lanes.inserts,
      startLane: () => lanes.start(index),
      ended: (cause) =>
        options.events.warn('a worker thread ended while it loaded its shards', {
          lane: index,
          cause: String(cause),
        }),
    });
  }

  /** Rejects, with the record that ends threads if one does. */
  async #findCause(index: number, cause: unknown): Promise<never> {
    if (!this.#parts.order.isOpen) {
      const { lane } = await this.#madeAnew(index);
      await lane.close();
    }
    throw new Error(`worker thread ${index} ended while the store was opened: ${String(cause)}`, { cause });
  }
}
