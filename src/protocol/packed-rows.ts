/**
 * Rows of an extraction packed for transfer from a worker: one string per row and a few typed arrays, because objects and short
 * strings cost more to send than to create.
 * Invariant: packed rows can be read only in order; unpacking gives equal rows.
 */
import { invariant, QuarryError } from '../base/index.js';
import type { ExtractedEvent, ExtractedRow, ExtractedValue, OrderValue, RowPosition } from '../ir/index.js';

export interface PackedRows {
  /** Per row its ID, followed by the texts of its values, concatenated. */
  readonly texts: readonly string[];
  /** The length of each of these in UTF-16 units. */
  readonly lengths: Uint32Array;
  /** Per row and column: 0 = no value, 1 = a text; otherwise twice the number of items plus 2 for a list, plus 3 for events. */
  readonly kinds: Uint32Array;
  /** Per row and order key. */
  readonly values: readonly OrderValue[];
  /** Per row its score and its distance; empty = all are 0. */
  readonly measures: Float64Array;
  /** Per row longitude and latitude of its nearest point, NaN if there is none; empty = no row has one. */
  readonly points: Float64Array;
}

const NO_VALUE = 0;
const ONE_TEXT = 1;
const LIST = 2;
const EVENTS = 3;
/** About the maximum length of a string. */
const ROW_LETTERS_MAX = 2 ** 29 - 32;

/** Throws 9006 for a row whose texts are too long for one string. */
export function packRows(rows: readonly ExtractedRow[]): PackedRows {
  const columnCount = rows.length === 0 ? 0 : rows[0].values.length;
  const texts: string[] = new Array(rows.length);
  const kinds = new Uint32Array(rows.length * columnCount);
  const lengths: number[] = [];
  let kind = 0;
  rows.forEach(({ position, values }, row) => {
    const parts = [position.id];
    for (const value of values) kinds[kind++] = addValue(value, parts);
    texts[row] = joined(parts, lengths);
  });
  return {
    texts,
    lengths: Uint32Array.from(lengths),
    kinds,
    values: rows.flatMap(({ position }) => position.values),
    measures: measuresOf(rows),
    points: pointsOf(rows),
  };
}

/** Appends the texts of the value to `parts`; returns its kind. */
function addValue(value: ExtractedValue, parts: string[]): number {
  if (value === null) return NO_VALUE;
  if (typeof value === 'string') {
    parts.push(value);
    return ONE_TEXT;
  }
  let kind = LIST;
  for (const item of value) {
    if (typeof item === 'string') parts.push(item);
    else {
      parts.push(item.value, item.date);
      kind = EVENTS;
    }
  }
  return kind + value.length * 2;
}

function joined(parts: readonly string[], lengths: number[]): string {
  let letters = 0;
  for (const part of parts) {
    lengths.push(part.length);
    letters += part.length;
  }
  if (letters > ROW_LETTERS_MAX) {
    throw new QuarryError(9006, `a row of the answer has more than ${ROW_LETTERS_MAX} characters`);
  }
  return parts.join('');
}

function measuresOf(rows: readonly ExtractedRow[]): Float64Array {
  if (rows.every(({ position }) => position.score === 0 && position.distanceKm === 0)) {
    return new Float64Array(0);
  }
  const measures = new Float64Array(rows.length * 2);
  rows.forEach(({ position }, row) => {
    measures[row * 2] = position.score;
    measures[row * 2 + 1] = position.distanceKm;
  });
  return measures;
}

function pointsOf(rows: readonly ExtractedRow[]): Float64Array {
  if (rows.every(({ nearest }) => nearest === null)) return new Float64Array(0);
  const points = new Float64Array(rows.length * 2);
  rows.forEach(({ nearest }, row) => {
    points[row * 2] = nearest?.longitude ?? Number.NaN;
    points[row * 2 + 1] = nearest?.latitude ?? Number.NaN;
  });
  return points;
}

/** Reads packed rows in order. */
export class PackedRowReader {
  readonly #packed: PackedRows;
  readonly #columnCount: number;
  readonly #keyCount: number;
  #row = 0;
  #position: RowPosition | null = null;
  /** The index of the next length, and the offset of its text in the row's string. */
  #length = 0;
  #at = 0;

  constructor(packed: PackedRows) {
    const rowCount = packed.texts.length;
    this.#packed = packed;
    this.#columnCount = rowCount === 0 ? 0 : packed.kinds.length / rowCount;
    this.#keyCount = rowCount === 0 ? 0 : packed.values.length / rowCount;
  }

  /** The position of the next row; null after the last one. */
  get position(): RowPosition | null {
    if (this.#position === null && this.#row < this.#packed.texts.length) {
      const { values, measures } = this.#packed;
      const row = this.#row;
      this.#at = 0;
      this.#position = {
        id: this.#text(),
        score: measures.length === 0 ? 0 : measures[row * 2],
        distanceKm: measures.length === 0 ? 0 : measures[row * 2 + 1],
        values: values.slice(row * this.#keyCount, (row + 1) * this.#keyCount),
      };
    }
    return this.#position;
  }

  /** Returns the next row, which must exist. */
  take(): ExtractedRow {
    const { position } = this;
    invariant(position !== null, 'a row was read after the last one');
    const { points, kinds } = this.#packed;
    const row = this.#row;
    const hasPoint = points.length > 0 && !Number.isNaN(points[row * 2]);
    const nearest = hasPoint ? { longitude: points[row * 2], latitude: points[row * 2 + 1] } : null;
    const values: ExtractedValue[] = [];
    const first = row * this.#columnCount;
    for (let column = 0; column < this.#columnCount; column++)
      values.push(this.#value(kinds[first + column]));
    this.#row++;
    this.#position = null;
    return { position, nearest, values };
  }

  #value(kind: number): ExtractedValue {
    if (kind === NO_VALUE) return null;
    if (kind === ONE_TEXT) return this.#text();
    const count = (kind >>> 1) - 1;
    if ((kind & 1) === (LIST & 1)) return Array.from({ length: count }, () => this.#text());
    return Array.from({ length: count }, (): ExtractedEvent => {
      const value = this.#text();
      return { value, date: this.#text() };
    });
  }

  #text(): string {
    const from = this.#at;
    this.#at += this.#packed.lengths[this.#length++];
    return this.#packed.texts[this.#row].slice(from, this.#at);
  }
}

/** Returns all rows. */
export function unpackRows(packed: PackedRows): ExtractedRow[] {
  const reader = new PackedRowReader(packed);
  return Array.from({ length: packed.texts.length }, () => reader.take());
}
