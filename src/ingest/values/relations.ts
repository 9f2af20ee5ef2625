/**
 * Related event columns: the Nth events of an entity belong together, so an entity that names several columns of a relation must
 * have equally many events in each. A column that the entity does not name has no value in those events; a column named twice has
 * the events of both occurrences; `[]` names a column without events.
 * Invariant: the counts belong to the entity that is being read; between requests no column counts as named.
 */
import { quoted } from '../../base/index.js';
import type { Column, Dimension, Relation } from '../../schema/index.js';
import { InsertError } from '../insert-error.js';

export class RelatedEvents {
  /** By slot: the column's relation; 0 = none. */
  readonly relationIds: Int32Array;
  /** The number of related columns that the entity names. */
  namedCount = 0;
  readonly #columns: readonly Column[];
  readonly #relations: readonly Relation[];
  /** Slots of the named columns, by first mention. */
  readonly #named: Int32Array;
  /** By slot: index in #relations. */
  readonly #relationIndexes: Int32Array;
  /** By slot: the number of the entity's events; -1 = the column is not named. */
  readonly #counts: Int32Array;
  /** By index in #relations: the first slot that the entity names; -1 = none. Used only by `check`. */
  readonly #firstSlots: Int32Array;

  /** `columns` by slot. */
  constructor(columns: readonly Column[], dimensions: Iterable<Dimension>) {
    const relations = Array.from(dimensions, (dimension) => [...dimension.relations.values()]).flat();
    const indexOf = new Map(relations.flatMap(({ columnIds }, index) => columnIds.map((id) => [id, index])));
    this.#columns = columns;
    this.#relations = relations;
    this.#relationIndexes = Int32Array.from(columns, ({ id }) => indexOf.get(id) ?? -1);
    this.relationIds = this.#relationIndexes.map((relationIndex) =>
      relationIndex < 0 ? 0 : relations[relationIndex].id,
    );
    this.#named = new Int32Array(columns.length);
    this.#counts = new Int32Array(columns.length).fill(-1);
    this.#firstSlots = new Int32Array(relations.length).fill(-1);
  }

  /** Records that the entity names column `slot` of a relation, with `eventCount` events. */
  add(slot: number, eventCount: number): void {
    if (this.#counts[slot] < 0) {
      this.#named[this.namedCount++] = slot;
      this.#counts[slot] = 0;
    }
    this.#counts[slot] += eventCount;
  }

  /** Checks the entity, whose object ends at `at`, and resets the counts. Throws 2022. */
  check(at: number): void {
    for (let index = 0; index < this.namedCount; index++) {
      const slot = this.#named[index];
      const relationIndex = this.#relationIndexes[slot];
      const first = this.#firstSlots[relationIndex];
      if (first < 0) this.#firstSlots[relationIndex] = slot;
      else if (this.#counts[first] !== this.#counts[slot]) throw this.#unequal(at, first, slot);
    }
    this.clear();
  }

  /** Resets the counts of the entity. */
  clear(): void {
    for (let index = 0; index < this.namedCount; index++) {
      const slot = this.#named[index];
      this.#counts[slot] = -1;
      this.#firstSlots[this.#relationIndexes[slot]] = -1;
    }
    this.namedCount = 0;
  }

  #unequal(at: number, first: number, other: number): InsertError {
    const { name } = this.#relations[this.#relationIndexes[first]];
    const [one, two] = [first, other].map(
      (slot) => `${this.#counts[slot]} in the column ${quoted(this.#columns[slot].apiName)}`,
    );
    const text = `unequal numbers of events in the relation ${quoted(name)}: ${one}, ${two}`;
    return new InsertError(2022, at, text);
  }
}
