/** The clock, a constructor argument that tests and replay replace. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Setting the system clock may move it by years in either direction. */
  nowMs(): number;
  /** Milliseconds of a monotonic clock with an arbitrary origin. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** A clock that only moves by method calls. */
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
  /** Lets time pass. */
  advance(ms: number): void {
    this.#ms += ms;
    this.#elapsedMs += ms;
  }
  /** Sets the system clock forward, or back if `ms` is negative. */
  jump(ms: number): void {
    this.#ms += ms;
  }
}
