/**
 * Whether the clock has jumped: it is compared with one that nobody sets, and at a start with the time that the store
 * knew last. What is taken away for good by the clock must not follow a clock that was set wrongly.
 */
import type { Clock } from '../../base/index.js';

/** Less than that does no harm to events that are kept for days, and much less is usual. */
const JUMP_MS = 86_400_000;

export class ClockWatch {
  readonly #clock: Clock;
  /** Both clocks as they were when they were last found to agree. */
  #wallMs: number;
  #monotonicMs: number;

  /** `knownMs`: the time that the store knew last; null = a new store. */
  constructor(clock: Clock, knownMs: number | null) {
    this.#clock = clock;
    this.#wallMs = knownMs ?? clock.nowMs();
    this.#monotonicMs = clock.monotonicMs();
  }

  /** How far the clock has jumped since it was last accepted, in milliseconds, forward or (below 0) back; 0 = not by a day. */
  get jumpMs(): number {
    const { nowMs, monotonicMs } = this.#now();
    const jump = nowMs - this.#wallMs - (monotonicMs - this.#monotonicMs);
    return Math.abs(jump) > JUMP_MS ? jump : 0;
  }

  /** From now on the clock is taken to be right. */
  accept(): void {
    const { nowMs, monotonicMs } = this.#now();
    this.#wallMs = nowMs;
    this.#monotonicMs = monotonicMs;
  }

  #now(): { nowMs: number; monotonicMs: number } {
    return { nowMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
  }
}
