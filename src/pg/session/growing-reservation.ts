/** Memory that is reserved in steps while something grows, and released in steps while it shrinks. */

/** Reserves memory; returns its release, or null if there is none. */
export type ReserveMemory = (bytes: number) => (() => void) | null;

const STEP_BYTES = 2 ** 20;

export class GrowingReservation {
  readonly #reserve: ReserveMemory;
  readonly #releases: (() => void)[] = [];

  constructor(reserve: ReserveMemory) {
    this.#reserve = reserve;
  }

  /** Ensures that `bytes` are reserved in total. Returns false if the memory limit is reached. */
  growTo(bytes: number): boolean {
    while (bytes > this.#releases.length * STEP_BYTES) {
      const release = this.#reserve(STEP_BYTES);
      if (release === null) return false;
      this.#releases.push(release);
    }
    return true;
  }

  /** Releases what exceeds `bytes` by more than a step. */
  shrinkTo(bytes: number): void {
    while (this.#releases.length * STEP_BYTES >= bytes + STEP_BYTES) this.#releases.pop()?.();
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }
}
