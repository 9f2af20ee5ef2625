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
import { findExpired, keepsForAWhile } from './expiry.js';

const SECONDS_PER_MS = 0.001;

/** Smaller jumps do no harm to events that are stored for days, and usual corrections are much smaller. */
const JUMP_MS = 86_400_000;

/**
 * Detects jumps of the clock: compares it with a monotonic clock, and at the start with the last time that the store knew.
 * A wrongly set clock must not cause irreversible deletions.
 */
export class ClockWatch {
  readonly #clock: Clock;
  /** Both clocks at the time when they last agreed. */
  #wallMs: number;
  #monotonicMs: number;

  /** `knownMs` is the last time that the store knew; null = a new store. */
  constructor(clock: Clock, knownMs: number | null) {
    this.#clock = clock;
    this.#wallMs = knownMs ?? clock.nowMs();
    this.#monotonicMs = clock.monotonicMs();
  }

  /** Milliseconds by which the clock has jumped since it was last accepted, negative = back; 0 = less than a day. */
  get jumpMs(): number {
    const { nowMs, monotonicMs } = this.#now();
    const jump = nowMs - this.#wallMs - (monotonicMs - this.#monotonicMs);
    return Math.abs(jump) > JUMP_MS ? jump : 0;
  }

  /** Accepts the clock's present time as right. */
  accept(): void {
    const { nowMs, monotonicMs } = this.#now();
    this.#wallMs = nowMs;
    this.#monotonicMs = monotonicMs;
  }

  #now(): { nowMs: number; monotonicMs: number } {
    return { nowMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
  }
}

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
  /** The clock has not been checked since the start. A store that was stopped for a long time has an old time. */
  #isStart = true;
  /** The clock has not been checked since the start, or since no column had a retention time. */
  #isFirst = true;

  constructor(dependencies: RetentionDependencies) {
    this.#dependencies = dependencies;
    this.#watch = new ClockWatch(dependencies.clock, dependencies.knownMs);
  }

  /** Deletes expired events or suspends expiry. */
  async expire(): Promise<void> {
    const catalog = this.#dependencies.order.visible;
    if (!keepsForAWhile(catalog)) {
      // A later jump is judged when a column has a retention time.
      if (this.#isStart) this.#watch.accept();
      this.#isStart = false;
      this.#isFirst = true;
      return;
    }
    const jumpMs = this.#watch.jumpMs;
    const isTrusted = jumpMs === 0 || catalog.retentionSuspended || !(await this.#isHarmful(jumpMs, catalog));
    if (!isTrusted) await this.#suspend(jumpMs);
    this.#watch.accept();
    this.#isStart = false;
    this.#isFirst = false;
    if (!this.#dependencies.order.head.retentionSuspended) await this.#dependencies.writer.expire();
  }

  async #isHarmful(jumpMs: number, catalog: Catalog): Promise<boolean> {
    if (!this.#isFirst || jumpMs < 0) return true;
    // The server or its machine may have been stopped for that time. If nothing would expire, no confirmation is necessary.
    return (
      (await findExpired(this.#dependencies.workers, catalog, this.#dependencies.clock.nowMs())).length > 0
    );
  }

  async #suspend(jumpMs: number): Promise<void> {
    const { writer, events } = this.#dependencies;
    await writer.change(() => ({ changes: [{ change: 'retention-set', suspended: true }], answer: null }));
    events.warn('the clock jumped: expired events are kept until "quarry retention resume"', {
      jumpSeconds: Math.round(jumpMs * SECONDS_PER_MS),
      atStart: this.#isStart,
    });
  }
}
