/**
 * Detects jumps of the clock: compares it with a monotonic clock, and at the start with the last time that the store knew.
 * A wrongly set clock must not cause data to be deleted for good.
 */
import type { Clock } from '../../base/index.js';

/** Smaller jumps do no harm to events that are stored for days, and usual corrections are much smaller. */
const JUMP_MS = 86_400_000;

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
