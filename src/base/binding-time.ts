/** The time that relative dates are counted from, and whether anything was counted from it. */

/** Records whether the time was read: a result that was bound without it is the same at any time. */
export class ObservedTime {
  readonly #ms: number;
  #wasRead = false;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get wasRead(): boolean {
    return this.#wasRead;
  }

  read(): number {
    this.#wasRead = true;
    return this.#ms;
  }
}

/** Milliseconds since 1970-01-01; a plain number where nobody asks whether it was read. */
export type BindingTime = number | ObservedTime;

/** To be called only where the result depends on the time. */
export const readTime = (time: BindingTime): number => (typeof time === 'number' ? time : time.read());
