/** Somebody who waits for the answer of one statement, and may stop to: by a cancel request, or by going away. */
import type { HangUp } from '../base/index.js';

export class Waiting implements HangUp {
  #hasHungUp = false;
  #isLate = false;
  readonly #acts = new Set<() => void>();
  #act: (() => void) | null = null;

  get hasHungUp(): boolean {
    return this.#hasHungUp;
  }

  /** Hung up because it took too long for whom waits. */
  get isLate(): boolean {
    return this.#isLate;
  }

  onHangUp(act: (() => void) | null): void {
    if (this.#act !== null) this.#acts.delete(this.#act);
    this.#act = act;
    if (act !== null) this.#acts.add(act);
  }

  /** As `onHangUp`, for one more who wants to know; gives what takes it back. */
  alsoOnHangUp(act: () => void): () => void {
    this.#acts.add(act);
    return () => this.#acts.delete(act);
  }

  hangUp(isLate = false): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    this.#isLate = isLate;
    for (const act of [...this.#acts]) act();
    this.#acts.clear();
  }
}
