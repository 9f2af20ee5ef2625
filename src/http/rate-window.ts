/**
 * A window of a minute that begins with what is first counted in it, and the refusal of what would go over its limit.
 * Times named elapsedMs are of a clock that never goes back.
 */
import { QuarryError } from '../base/index.js';

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
    if (this.isOver(elapsedMs)) {
      this.#count = 0;
      this.#endMs = elapsedMs + MINUTE_MS;
    }
    if (this.#count + count > this.limit) return false;
    this.#count += count;
    return true;
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
