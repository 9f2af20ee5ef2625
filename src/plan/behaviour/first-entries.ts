/** The first entries in an order, of those that were added. */
export class FirstEntries<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  readonly all: T[] = [];

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(entry: T): void {
    const { all } = this;
    if (all.length === this.#limit && this.#compare(entry, all[all.length - 1]) >= 0) return;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(all[middle], entry) <= 0) low = middle + 1;
      else high = middle;
    }
    all.splice(low, 0, entry);
    if (all.length > this.#limit) all.pop();
  }
}
