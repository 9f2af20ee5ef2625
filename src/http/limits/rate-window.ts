/**
 * A window of a minute that begins with what is first counted in it, and the refusal of what would go over its limit.
 * Times named elapsedMs are of a clock that never goes back.
 */
import { QuarryError } from '../../base/index.js';

/** What an answer tells of a limit that its request is bound by. */
export interface RateFigures {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until everything is free again, at least 1. */
  readonly resetSeconds: number;
}

/** A request over a limit: 1502, with the limit that it met. */
export class RateExceeded extends QuarryError {
  readonly figures: RateFigures;

  constructor(message: string, figures: RateFigures) {
    super(1502, message, { 'retry-after': figures.resetSeconds });
    this.figures = figures;
  }
}

const MINUTE_MS = 60_000;

/** Whole seconds, at least 1. */
export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Counts up to a limit until its minute is over. */
export class Window {
  /** May be set anew at any time. */
  limit = 0;
  #count = 0;
  #endMs = Number.NEGATIVE_INFINITY;

  /** False, and nothing counted, when `count` more would go over the limit. */
  take(count: number, elapsedMs: number): boolean {
    if (!this.hasCapacity(count, elapsedMs)) return false;
    this.#count += count;
    return true;
  }

  /** Whether `take` would count so many. Begins a new minute when the last one is over. */
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

  figures(elapsedMs: number): RateFigures {
    const { limit } = this;
    if (this.isOver(elapsedMs)) return { limit, remaining: limit, resetSeconds: MINUTE_MS / 1000 };
    const remaining = Math.max(0, limit - this.#count);
    return { limit, remaining, resetSeconds: secondsOf(this.#endMs - elapsedMs) };
  }
}

/** Counts in a window of its own and in a shared one, the ceiling over several: both must have capacity. */
export class CappedWindow {
  readonly #own: Window;
  readonly #ceiling: Window;

  constructor(own: Window, ceiling: Window) {
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

  /** False, and nothing counted in either, when `count` more would go over a limit. */
  take(count: number, elapsedMs: number): boolean {
    const hasCapacity =
      this.#own.hasCapacity(count, elapsedMs) && this.#ceiling.hasCapacity(count, elapsedMs);
    return hasCapacity && this.#own.take(count, elapsedMs) && this.#ceiling.take(count, elapsedMs);
  }

  /** Whether nothing is counted in the own window. The ceiling may be in use by others. */
  isOver(elapsedMs: number): boolean {
    return this.#own.isOver(elapsedMs);
  }

  /** Whether the ceiling leaves less than the own window. */
  isCeilingTighter(elapsedMs: number): boolean {
    return this.#ceiling.figures(elapsedMs).remaining < this.#own.figures(elapsedMs).remaining;
  }

  /** Those of the window that leaves less. */
  figures(elapsedMs: number): RateFigures {
    const [own, ceiling] = [this.#own.figures(elapsedMs), this.#ceiling.figures(elapsedMs)];
    if (own.remaining !== ceiling.remaining) return own.remaining < ceiling.remaining ? own : ceiling;
    return own.resetSeconds > ceiling.resetSeconds ? own : ceiling;
  }
}
