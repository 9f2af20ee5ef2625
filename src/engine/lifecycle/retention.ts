/**
 * Deletes expired events at intervals, unless the clock cannot be trusted. After a jump of more than a day a record suspends
 * expiry, also across restarts, until an operator confirms that the clock is right.
 * Invariant: nothing expires between a jump and the record that suspends expiry.
 */
import type { Clock } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { EngineEvents } from '../options.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { WriteOrder } from '../write/write-order.js';
import type { Writer } from '../write/writer.js';
import { ClockWatch } from './clock-watch.js';
import { findExpired, keepsForAWhile } from './expiry.js';

const SECONDS_PER_MS = 0.001;

export interface RetentionDependencies {
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly writer: Writer;
  /** The last time that the store knew; null = a new store. */
  readonly knownMs: number | null;
}

export class Retention {
  readonly #dependencies: RetentionDependencies;
  readonly #watch: ClockWatch;
  /** The clock has not been checked since the start. A store that was stopped for long knows an old time. */
  #isFirst = true;

  constructor(dependencies: RetentionDependencies) {
    this.#dependencies = dependencies;
    this.#watch = new ClockWatch(dependencies.clock, dependencies.knownMs);
  }

  /** Deletes expired events or suspends expiry. */
  async expire(): Promise<void> {
    const catalog = this.#dependencies.order.visible;
    const jumpMs = this.#watch.jumpMs;
    const isTrusted = jumpMs === 0 || catalog.retentionSuspended || !(await this.#isHarmful(jumpMs, catalog));
    if (!isTrusted) await this.#suspend(jumpMs);
    this.#watch.accept();
    this.#isFirst = false;
    if (!this.#dependencies.order.head.retentionSuspended) await this.#dependencies.writer.expire();
  }

  async #isHarmful(jumpMs: number, catalog: Catalog): Promise<boolean> {
    if (!keepsForAWhile(catalog)) return false;
    if (!this.#isFirst || jumpMs < 0) return true;
    // The server may have been stopped for that time. If nothing would expire, no confirmation is necessary.
    return (
      (await findExpired(this.#dependencies.workers, catalog, this.#dependencies.clock.nowMs())).length > 0
    );
  }

  async #suspend(jumpMs: number): Promise<void> {
    const { writer, events } = this.#dependencies;
    await writer.change(() => ({ changes: [{ change: 'retention-set', suspended: true }], answer: null }));
    events.warn('the clock jumped: expired events stay until "quarry retention resume"', {
      jumpSeconds: Math.round(jumpMs * SECONDS_PER_MS),
      atStart: this.#isFirst,
    });
  }
}
