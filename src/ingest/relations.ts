/**
 * Related event columns: their Nth events of one entity belong together, so an entity that names several columns of
 * a relation must have equally many events in each. A column that it does not name has no value in those events; one
 * that it names twice has the events of both places; `[]` names a column with no event.
 * Invariant: counts are those of the entity being read; between requests no column counts as named.
 */
import { quoted } from '../base/index.js';
import type { Column, Dimension, Relation } from '../schema/index.js';
import { InsertFault } from './fault.js';

export class RelatedEvents {
  /** By slot: the relation that the column is in; 0 = none. */
  readonly relationIds: Int32Array;
  /** Related columns that the entity names. */
  namedCount = 0;
  readonly #columns: readonly Column[];
  readonly #relations: readonly Relation[];
  /** Slots of the columns named, by first mention. */
  readonly #named: Int32Array;
  /** By slot: place in #relations. */
  readonly #places: Int32Array;
  /** By slot: the entity's events; -1 = it does not name the column. */
  readonly #counts: Int32Array;
  /** By place in #relations: the slot that the entity named first; -1 = none. Used by `check` alone. */
  readonly #firstSlots: Int32Array;

  /** `columns` by slot. */
  constructor(columns: readonly Column[], dimensions: Iterable<Dimension>) {
    const relations = Array.from(dimensions, (dimension) => [...dimension.relations.values()]).flat();
    const placeOf = new Map(relations.flatMap(({ columnIds }, place) => columnIds.map((id) => [id, place])));
    this.#columns = columns;
    this.#relations = relations;
    this.#places = Int32Array.from(columns, ({ id }) => placeOf.get(id) ?? -1);
    this.relationIds = this.#places.map((place) => (place < 0 ? 0 : relations[place].id));
    this.#named = new Int32Array(columns.length);
    this.#counts = new Int32Array(columns.length).fill(-1);
    this.#firstSlots = new Int32Array(relations.length).fill(-1);
  }

  /** Notes that the entity names the column `slot` of a relation, with so many events. */
  add(slot: number, eventCount: number): void {
    if (this.#counts[slot] < 0) {
      this.#named[this.namedCount++] = slot;
      this.#counts[slot] = 0;
    }
    this.#counts[slot] += eventCount;
  }

  /** Ends the entity, whose object ends at `at`. Throws 2022. */
  check(at: number): void {
    for (let index = 0; index < this.namedCount; index++) {
      const slot = this.#named[index];
      const place = this.#places[slot];
      const first = this.#firstSlots[place];
      if (first < 0) this.#firstSlots[place] = slot;
      else if (this.#counts[first] !== this.#counts[slot]) throw this.#unequal(at, first, slot);
    }
    this.clear();
  }

  /** Forgets the entity. */
  clear(): void {
    for (let index = 0; index < this.namedCount; index++) {
      const slot = this.#named[index];
      this.#counts[slot] = -1;
      this.#firstSlots[this.#places[slot]] = -1;
    }
    this.namedCount = 0;
  }

  #unequal(at: number, first: number, other: number): InsertFault {
    const { name } = this.#relations[this.#places[first]];
    const [one, two] = [first, other].map(
      (slot) => `${this.#counts[slot]} in the column ${quoted(this.#columns[slot].apiName)}`,
    );
    const text = `unequal numbers of events in the relation ${quoted(name)}: ${one}, ${two}`;
    return new InsertFault(2022, at, text);
  }
}
