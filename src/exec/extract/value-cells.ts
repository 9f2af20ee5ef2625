/** Stored values as the texts of an extraction's cells. */
import { baseTypeOf, textOfInteger, textOfPoint, type ValueForm } from '../../schema/index.js';
import type { Dictionary, LatestColumn, ListColumn } from '../../storage/index.js';
import { integerAt, type Placed } from './integer-key.js';
import { textOfCode } from './text-key.js';

/** Writes the values of one column. */
export class ValueWriter {
  readonly #form: ValueForm;
  readonly #dictionary: Dictionary | undefined;
  readonly #isDateTime: boolean;

  /** `dictionary`: of the column, where it is one of strings. */
  constructor(form: ValueForm, dictionary: Dictionary | undefined) {
    this.#form = form;
    this.#dictionary = dictionary;
    this.#isDateTime = baseTypeOf(form.type) === 'datetime';
  }

  /** The text of a column, null where the row has no value. */
  latest(column: LatestColumn, place: number): string | null {
    return column.has(place) ? this.at(column, place) : null;
  }

  /** The texts of a list in its order, null where the row has none. */
  list({ kind, items, starts, counts }: ListColumn, place: number): string[] | null {
    const count = counts[place];
    if (count === 0) return null;
    return Array.from({ length: count }, (_, nth) => {
      const item = starts[place] + nth;
      switch (kind) {
        case 'code':
          return this.#code(items[item]);
        case 'geo':
          return textOfPoint({ longitude: items[item * 2], latitude: items[item * 2 + 1] });
        case 'i64':
          return this.#integer((BigInt(items[item * 2 + 1] | 0) << 32n) | BigInt(items[item * 2]));
        default:
          return this.#integer(BigInt(items[item]));
      }
    });
  }

  /** The text of the value that lies at `place`. */
  at(values: Placed, place: number): string {
    const { arena, kind, width, valuesAt } = values;
    if (kind === 'geo') {
      const at = (valuesAt >> 3) + place * 2;
      return textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
    }
    if (kind !== 'code') return this.#integer(integerAt(values, place));
    if (width === 1) return this.#code(arena.u8[valuesAt + place]);
    return this.#code(width === 2 ? arena.u16[(valuesAt >> 1) + place] : arena.u32[(valuesAt >> 2) + place]);
  }

  #code(code: number): string {
    return this.#dictionary === undefined ? '' : textOfCode(this.#dictionary, code);
  }

  /** Datetimes have lower-case letters here, as clients of extractions expect. */
  #integer(value: bigint): string {
    const text = textOfInteger(this.#form, value);
    return this.#isDateTime ? text.toLowerCase() : text;
  }
}
