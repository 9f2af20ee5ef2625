/**
 * Windows of a minute that start with their first count, and the error of a request that exceeds their limit.
 * Times named elapsedMs are of a monotonic clock.
 */
import { QuarryError } from '../../base/index.js';

/** The state of a rate limit, for the headers of an answer. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the whole limit is available again, at least 1. */
  readonly resetSeconds: number;
}

/** Error 1502 with the state of the exceeded limit. */
export class RateExceeded extends QuarryError {
  readonly rateStatus: RateStatus;

  constructor(message: string, rateStatus: RateStatus) {
    super(1502, message, { 'retry-after': rateStatus.resetSeconds });
    this.rateStatus = rateStatus;
  }
}

const MINUTE_MS = 60_000;

/** Whole seconds, at least 1. */
export const retrySecondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Counts up to a limit until its minute is over. */
export class RateWindow {
  /** May be changed at any time. */
  limit = 0;
  #count = 0;
  #endMs = Number.NEGATIVE_INFINITY;

  /** Returns false, and counts nothing, if `count` more would exceed the limit. */
  tryCount(count: number, elapsedMs: number): boolean {
    if (!this.hasCapacity(count, elapsedMs)) return false;
    this.#count += count;
    return true;
  }

  /** True if `take` would succeed. Starts a new minute if the last one is over. */
  hasCapacity(count: number, elapsedMs: number): boolean {
    if (this.isOver(elapsedMs)) {
      this.#count = 0;
      this.#endMs = elapsedMs + MINUTE_MS;
    }
    return this.#count + count <= this.limit;
  }

  isOver(elapsedMs: number): boolean {
    return elapsedMs >= this.#endMs;
  }

  status(elapsedMs: number): RateStatus {
    const { limit } = this;
    if (this.isOver(elapsedMs)) return { limit, remaining: limit, resetSeconds: MINUTE_MS / 1000 };
    const remaining = Math.max(0, limit - this.#count);
    return { limit, remaining, resetSeconds: retrySecondsOf(this.#endMs - elapsedMs) };
  }
}

/** Counts in a window of its own and in a shared one, the ceiling over several: both must have capacity. */
export class CappedWindow {
  readonly #own: RateWindow;
  readonly #ceiling: RateWindow;

  constructor(own: RateWindow, ceiling: RateWindow) {
    this.#own = own;
    this.#ceiling = ceiling;
  }

  get limit(): number {
    return this.#own.limit;
  }

  /** Both have the same limit. */
  set limit(limit: number) {
    this.#own.limit = limit;
    this.#ceiling.limit = limit;
  }

  /** Returns false, and counts nothing in either window, if `count` more would exceed a limit. */
  tryCount(count: number, elapsedMs: number): boolean {
    const hasCapacity =
      this.#own.hasCapacity(count, elapsedMs) && this.#ceiling.hasCapacity(count, elapsedMs);
    return hasCapacity && this.#own.tryCount(count, elapsedMs) && this.#ceiling.tryCount(count, elapsedMs);
  }

  /** True if the own window is over. The ceiling may be in use by other callers. */
  isOver(elapsedMs: number): boolean {
    return this.#own.isOver(elapsedMs);
  }

  /** True if the ceiling has less capacity left than the own window. */
  isCeilingTighter(elapsedMs: number): boolean {
    return this.#ceiling.status(elapsedMs).remaining < this.#own.status(elapsedMs).remaining;
  }

  /** The status of the window with less capacity left. */
  status(elapsedMs: number): RateStatus {
    const [own, ceiling] = [this.#own.status(elapsedMs), this.#ceiling.status(elapsedMs)];
    if (own.remaining !== ceiling.remaining) return own.remaining < ceiling.remaining ? own : ceiling;
    return own.resetSeconds > ceiling.resetSeconds ? own : ceiling;
  }
}
