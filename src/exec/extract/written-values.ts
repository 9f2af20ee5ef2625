/** Writes stored values as the texts of an extraction. Lists are JSON lists of these texts. */
import {
  baseTypeOf,
  type ColumnType,
  formatDate,
  formatDateTime,
  textOfInteger,
  textOfPoint,
  type ValueForm,
} from '../../schema/index.js';
import type { ListColumn } from '../../storage/index.js';
import { Texts, type TextVector, type Vector, valueAt } from '../../vector/index.js';
import type { WriteItem } from '../scan/list-texts.js';
import { codeAt, integerAt, numberAt, type StoredAt } from '../scan/stored-values.js';

/** Writes the values of one column. */
export class ValueWriter {
  readonly #form: ValueForm;
  readonly #base: ColumnType;
  readonly #texts: Texts | null;

  /** `texts`: the dictionary of a string column. */
  constructor(form: ValueForm, texts: Texts | null) {
    this.#form = form;
    this.#base = baseTypeOf(form.type);
    this.#texts = texts;
  }

  /** The texts of values as read from storage, where strings and points are texts already. */
  vector(values: Vector): TextVector {
    if (values.kind === 'text') return values;
    const { count, valid } = values;
    const written = new Array<string>(count);
    for (let row = 0; row < count; row++) {
      if (valid !== null && valid[row] === 0) written[row] = '';
      else if (values.kind === 'exact' && values.numbers !== null)
        written[row] = this.#number(values.numbers[row]);
      else written[row] = this.#integer(BigInt(valueAt(values, row) ?? 0));
    }
    return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(written) };
  }

  /** Writes an item of a list's heap as a JSON string. */
  items({ kind, items }: ListColumn): WriteItem {
    return (item) => {
      switch (kind) {
        case 'code':
          return JSON.stringify(this.#text(items[item]));
        case 'geo':
          return `"${textOfPoint({ longitude: items[item * 2], latitude: items[item * 2 + 1] })}"`;
        case 'i64':
          return `"${this.#integer((BigInt(items[item * 2 + 1] | 0) << 32n) | BigInt(items[item * 2]))}"`;
        default:
          return `"${this.#integer(BigInt(items[item]))}"`;
      }
    };
  }

  /** The text of the stored value of `row`. */
  at(stored: StoredAt, row: number): string {
    const { arena, kind, valuesAt } = stored;
    if (kind === 'code') return this.#text(codeAt(stored, row));
    if (kind === 'geo') {
      const at = (valuesAt >> 3) + row * 2;
      return textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
    }
    const number = numberAt(stored, row);
    return Number.isSafeInteger(number) ? this.#number(number) : this.#integer(integerAt(stored, row));
  }

  #text(code: number): string {
    return this.#texts?.text(code) ?? '';
  }

  /** Datetimes are in lower case, as clients of extractions expect. */
  #integer(value: bigint): string {
    const text = textOfInteger(this.#form, value);
    return this.#base === 'datetime' ? text.toLowerCase() : text;
  }

  /** Writes a safe integer without a BigInt. */
  #number(value: number): string {
    switch (this.#base) {
      case 'boolean':
        return value === 0 ? 'false' : 'true';
      case 'date':
        return formatDate(value);
      case 'datetime':
        return formatDateTime(value).toLowerCase();
      case 'decimal':
        return this.#integer(BigInt(value));
      default:
        return String(value);
    }
  }
}
