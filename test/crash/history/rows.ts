/** The expected entities of one writer: the requests that wrote their tag to each since it was inserted. */
import type { Entities } from './journal.js';

interface OfDimension {
  /** Per ordinal: indexes of entries in the order of writing; empty = the entity does not exist. */
  readonly tags: number[][];
  /** By entry: the number of entities that hold its event, and of those whose attributes it wrote last. */
  readonly events: Map<number, number>;
  readonly lasts: Map<number, number>;
  count: number;
}

const NONE: readonly number[] = [];

const add = (counts: Map<number, number>, entry: number, change: 1 | -1): void => {
  counts.set(entry, (counts.get(entry) ?? 0) + change);
};

export class Rows {
  /** Number of entities that the writer ever named, by dimension. */
  readonly namedCounts = new Map<string, number>();
  readonly #dimensions = new Map<string, OfDimension>();

  /** Dimensions that held something. */
  get dimensions(): readonly string[] {
    return [...this.#dimensions.keys()];
  }

  countOf(dimension: string): number {
    return this.#dimensions.get(dimension)?.count ?? 0;
  }

  tagsOf(dimension: string, ordinal: number): readonly number[] {
    return this.#dimensions.get(dimension)?.tags[ordinal] ?? NONE;
  }

  /** Entities of the dimension that hold the entry's event. */
  eventCount(dimension: string, entry: number): number {
    return this.#dimensions.get(dimension)?.events.get(entry) ?? 0;
  }

  /** Entities of the dimension whose attributes the entry wrote last. */
  lastCount(dimension: string, entry: number): number {
    return this.#dimensions.get(dimension)?.lasts.get(entry) ?? 0;
  }

  /** Ordinals whose attributes the entry wrote last, or that hold its event. */
  find(dimension: string, entry: number, by: 'last' | 'event'): number[] {
    const found: number[] = [];
    this.#dimensions.get(dimension)?.tags.forEach((tags, ordinal) => {
      if (by === 'last' ? tags.at(-1) === entry : tags.includes(entry)) found.push(ordinal);
    });
    return found;
  }

  write(entry: number, entities: Entities): void {
    for (const [dimension, ordinals] of entities) {
      const own = this.#own(dimension);
      for (const ordinal of ordinals) {
        while (own.tags.length <= ordinal) own.tags.push([]);
        const tags = own.tags[ordinal];
        const last = tags.at(-1);
        if (last === undefined) own.count++;
        else add(own.lasts, last, -1);
        tags.push(entry);
        add(own.lasts, entry, 1);
        add(own.events, entry, 1);
      }
    }
  }

  delete(entities: Entities): void {
    for (const [dimension, ordinals] of entities) {
      const own = this.#own(dimension);
      for (const ordinal of ordinals) {
        const tags = own.tags[ordinal];
        add(own.lasts, tags[tags.length - 1], -1);
        for (const entry of tags) add(own.events, entry, -1);
        own.tags[ordinal] = [];
        own.count--;
      }
    }
  }

  drop(dimension: string): void {
    this.#dimensions.delete(dimension);
  }

  #own(dimension: string): OfDimension {
    let own = this.#dimensions.get(dimension);
    if (own === undefined) {
      own = { tags: [], events: new Map(), lasts: new Map(), count: 0 };
      this.#dimensions.set(dimension, own);
    }
    return own;
  }
}
