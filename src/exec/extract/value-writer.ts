/** Formats stored values as the texts of an extraction. */
import {
  baseTypeOf,
  type ColumnType,
  formatDate,
  formatDateTime,
  textOfInteger,
  textOfPoint,
  type ValueForm,
} from '../../schema/index.js';
import type { Dictionary, ListColumn } from '../../storage/index.js';
import { integerAt, numberAt, type StoredAt } from '../scan/stored-values.js';
import { asBuffer } from '../sort/byte-order.js';

/** Formats the values of one column. */
export class ValueWriter {
  readonly #form: ValueForm;
  readonly #base: ColumnType;
  readonly #offsets: Uint32Array | null;
  readonly #bytes: Buffer;

  /** `dictionary`: the dictionary of a string column. */
  constructor(form: ValueForm, dictionary: Dictionary | undefined) {
    this.#form = form;
    this.#base = baseTypeOf(form.type);
    this.#offsets = dictionary?.offsets ?? null;
    this.#bytes = asBuffer(dictionary?.bytes ?? new Uint8Array(0));
  }

  /** The texts of a list in its order; null = the row has no list. */
  list({ kind, items, starts, counts }: ListColumn, segmentRow: number): string[] | null {
    const count = counts[segmentRow];
    if (count === 0) return null;
    return Array.from({ length: count }, (_, nth) => {
      const item = starts[segmentRow] + nth;
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

  /** The text of the value of row `segmentRow`. */
  at(values: StoredAt, segmentRow: number): string {
    return this.text(values, segmentRow, rawAt(values, segmentRow));
  }

  /** The text of the value of row `segmentRow`, given the result of rawAt. */
  text(values: StoredAt, segmentRow: number, raw: number): string {
    const { arena, kind, valuesAt } = values;
    if (kind === 'code') return this.#code(raw);
    if (kind === 'geo') {
      const at = (valuesAt >> 3) + segmentRow * 2;
      return textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
    }
    return Number.isSafeInteger(raw) ? this.#number(raw) : this.#integer(integerAt(values, segmentRow));
  }

  #code(code: number): string {
    const offsets = this.#offsets;
    return offsets === null ? '' : this.#bytes.toString('utf8', offsets[code], offsets[code + 1]);
  }

  /** Datetimes are in lower case, as clients of extractions expect. */
  #integer(value: bigint): string {
    const text = textOfInteger(this.#form, value);
    return this.#base === 'datetime' ? text.toLowerCase() : text;
  }

  /** Formats an exactly known number without a BigInt. */
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

/** The code of row `segmentRow`; or its integer, days or bit as the nearest double; or a point's longitude. */
export function rawAt(values: StoredAt, segmentRow: number): number {
  const { arena, kind, width, valuesAt } = values;
  if (kind === 'geo') return arena.f64[(valuesAt >> 3) + segmentRow * 2];
  if (kind !== 'code') return numberAt(values, segmentRow);
  if (width === 1) return arena.u8[valuesAt + segmentRow];
  return width === 2 ? arena.u16[(valuesAt >> 1) + segmentRow] : arena.u32[(valuesAt >> 2) + segmentRow];
}
