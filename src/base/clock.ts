/** The clock as a constructor argument: what tests and replay may replace. */
export interface Clock {
  /** Milliseconds since the Unix epoch; whoever sets the machine's clock may move it by years, forward or back. */
  nowMs(): number;
  /** Milliseconds since some moment, of a clock that nobody sets. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #ms: number;
  #elapsedMs = 0;
  constructor(ms: number) {
    this.#ms = ms;
  }
  nowMs(): number {
    return this.#ms;
  }
  monotonicMs(): number {
    return this.#elapsedMs;
  }
  /** So much time goes by. */
  advance(ms: number): void {
    this.#ms += ms;
    this.#elapsedMs += ms;
  }
  /** Somebody sets the clock. */
  jump(ms: number): void {
    this.#ms += ms;
  }
}
