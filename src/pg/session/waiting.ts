/** Cancellation of one statement: by a cancel request, by a time limit, or because the client has disconnected. */
import type { Cancellation } from '../../base/index.js';

export class Waiting implements Cancellation {
  #isCancelled = false;
  #isLate = false;
  readonly #acts = new Set<() => void>();
  #act: (() => void) | null = null;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Cancelled by the time limit of the session. */
  get isLate(): boolean {
    return this.#isLate;
  }

  onCancel(act: (() => void) | null): void {
    if (this.#act !== null) this.#acts.delete(this.#act);
    this.#act = act;
    if (act !== null) this.#acts.add(act);
  }

  /** Like `onCancel`, for any number of acts. Returns a function that removes `act`. */
  alsoOnCancel(act: () => void): () => void {
    this.#acts.add(act);
    return () => this.#acts.delete(act);
  }

  cancel(isLate = false): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#isLate = isLate;
    for (const act of [...this.#acts]) act();
    this.#acts.clear();
  }
}
