/** The time of a request, to which relative dates refer, and whether binding the request used it. */

/** Records whether the time was read. A result that was bound without reading it does not depend on the time. */
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

/** Milliseconds since 1970-01-01; an ObservedTime if the caller needs to know whether it was read. */
export type BindingTime = number | ObservedTime;

/** Call only where the result depends on the time. */
export const readTime = (time: BindingTime): number => (typeof time === 'number' ? time : time.read());
