/** The clock as a constructor argument: what tests and replay may replace. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  nowMs(): number {
    return this.#ms;
  }
  advance(ms: number): void {
    this.#ms += ms;
  }
}
