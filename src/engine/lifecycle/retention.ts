/**
 * Takes expired events away from time to time, unless the clock cannot be trusted: after a jump of more than a day
 * expiry is suspended by a record, so that no restart forgets it, until an operator says that the clock is right.
 * Invariant: between a jump and the record that suspends nothing expires.
 */
import type { Clock } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { EngineEvents } from '../options.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { WriteOrder } from '../write/write-order.js';
import type { Writer } from '../write/writer.js';
import { ClockWatch } from './clock-watch.js';
import { findExpired, keepsForAWhile } from './expiry.js';

const SECONDS_PER_MS = 0.001;

export interface RetentionParts {
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly writer: Writer;
  /** The time that the store knew last; null = a new store. */
  readonly knownMs: number | null;
}

export class Retention {
  readonly #parts: RetentionParts;
  readonly #watch: ClockWatch;
  /** Since the start the clock has not been looked at: a store that was stopped for long knows an old time. */
  #isFirst = true;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#watch = new ClockWatch(parts.clock, parts.knownMs);
  }

  /** Takes expired events away, or suspends that. */
  async expire(): Promise<void> {
    const catalog = this.#parts.order.visible;
    const jumpMs = this.#watch.jumpMs;
    const isTold = jumpMs === 0 || catalog.retentionSuspended || !(await this.#isHarmful(jumpMs, catalog));
    if (!isTold) await this.#suspend(jumpMs);
    this.#watch.accept();
    this.#isFirst = false;
    if (!this.#parts.order.head.retentionSuspended) await this.#parts.writer.expire();
  }

  async #isHarmful(jumpMs: number, catalog: Catalog): Promise<boolean> {
    if (!keepsForAWhile(catalog)) return false;
    if (!this.#isFirst || jumpMs < 0) return true;
    // It may have been stopped for that long: where nothing would go, nobody need be asked.
    return (await findExpired(this.#parts.lanes, catalog, this.#parts.clock.nowMs())).length > 0;
  }

  async #suspend(jumpMs: number): Promise<void> {
    const { writer, events } = this.#parts;
    await writer.change(() => ({ changes: [{ change: 'retention-set', suspended: true }], answer: null }));
    events.warn('the clock jumped: expired events stay until "quarry retention resume"', {
      jumpSeconds: Math.round(jumpMs * SECONDS_PER_MS),
      atStart: this.#isFirst,
    });
  }
}
