/**
 * Collects evidence of the type of a column that does not exist yet, from the values of one request.
 * Rules: integer and decimal combine to decimal, date and datetime to datetime. Every other mixture of types, and every mixture
 * of single values, lists and events, is refused at the first value that does not fit.
 * The body must be valid JSON, so nesting depth is not checked. After an error the evidence is unchanged, so that a walk over the
 * same body reports no earlier, false error.
 */
import { parseDate, parseDateTime } from '../../schema/index.js';
import { InsertError } from '../insert-error.js';
import { eachItem, eachMember, skipNumber, stringAt } from '../json.js';
import {
  CLOSE_LIST,
  DOT,
  isNull,
  MINUS,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  type Source,
  skipSpace,
  ZERO,
} from '../source.js';
import { kindOfValue, readNumberText } from '../values/numbers.js';

export type Shape = 'single' | 'list' | 'event';
export type EvidenceType = 'integer' | 'decimal' | 'date' | 'datetime' | 'boolean' | 'string';

const DECIMAL_PLACES_MAX = 20;
/** A datetime with an offset and escapes; longer strings are not dates. */
const DATE_BYTES_MAX = 256;
const SHAPE_WORDS: Record<Shape, string> = { single: 'single values', list: 'lists', event: 'events' };

export class Evidence {
  shape: Shape | null = null;
  type: EvidenceType | null = null;
  /** The greatest number of decimal places. */
  decimalPlaces = 0;
  /** Dates occurred in what became a datetime column. */
  hasMidnights = false;
  error: InsertError | null = null;
  /** Offset of an empty list, which may be a list of events; -1 = none. */
  #emptyListAt = -1;

  /** Adds the value at `at` to the evidence. */
  add(source: Source, at: number): void {
    const byte = source.bytes[at];
    if (isNull(source, at)) return;
    if (byte === OPEN_OBJECT) this.#event(source, at, at);
    else if (byte !== OPEN_LIST) {
      if (this.#shapeIs('single', at)) this.#value(source, at);
    } else if (source.bytes[skipSpace(source.bytes, at + 1)] === CLOSE_LIST) {
      this.#emptyListAt = at;
      if (this.shape === 'single') this.#shapeIs('list', at);
    } else {
      // A list of the wrong shape is refused at its bracket, a single item at its own offset.
      let shapeAt = at;
      eachItem(source, at, 0, (itemAt) => {
        if (source.bytes[itemAt] === OPEN_OBJECT) this.#event(source, itemAt, shapeAt);
        else if (this.#shapeIs('list', shapeAt)) this.#value(source, itemAt);
        shapeAt = itemAt;
      });
    }
  }

  /** Whether the evidence suffices to create the column. */
  get isComplete(): boolean {
    return this.shape !== null && (this.type !== null || this.error !== null);
  }

  #refuse(fault: InsertError): void {
    this.error ??= fault;
  }

  #shapeIs(shape: Shape, at: number): boolean {
    const mixed = this.shape !== null && this.shape !== shape;
    if (mixed || (shape === 'single' && this.#emptyListAt >= 0)) {
      const other = SHAPE_WORDS[this.shape ?? 'list'];
      this.#refuse(
        new InsertError(2007, at, `a new column cannot contain ${other} and ${SHAPE_WORDS[shape]}`),
      );
      this.shape ??= 'list';
      return false;
    }
    this.shape = shape;
    return true;
  }

  #event(source: Source, from: number, shapeAt: number): void {
    if (!this.#shapeIs('event', shapeAt)) return;
    let found = -1;
    const end = eachMember(source, from, 0, (keyAt, valueAt) => {
      const key = stringAt(source, keyAt);
      if (key === 'value') {
        found = valueAt;
        this.#value(source, valueAt);
      } else if (key !== 'date') {
        const shown = JSON.stringify(key.slice(0, 80));
        this.#refuse(
          new InsertError(2016, keyAt, `the event has the key ${shown}; only "value" and "date" are allowed`),
        );
      }
    });
    if (found < 0) this.#refuse(new InsertError(2018, end, 'the event has no "value"'));
  }

  #value(source: Source, at: number): void {
    const type = this.#typeAt(source, at);
    if (type === null) {
      const what = kindOfValue(source.bytes[at]);
      this.#refuse(
        new InsertError(
          2007,
          at,
          `a new column cannot contain ${what} in ${SHAPE_WORDS[this.shape ?? 'single']}`,
        ),
      );
    } else if (this.type === null || this.type === type) this.type = type;
    else if (isPair(this.type, type, 'integer', 'decimal')) this.type = 'decimal';
    else if (isPair(this.type, type, 'date', 'datetime')) {
      this.type = 'datetime';
      this.hasMidnights = true;
    } else
      this.#refuse(new InsertError(2007, at, `a new column cannot contain both ${this.type} and ${type}`));
  }

  #typeAt(source: Source, at: number): EvidenceType | null {
    const byte = source.bytes[at];
    if (byte === QUOTE) return this.shape === 'event' ? 'string' : stringType(source, at);
    if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) return this.#numberType(source, at);
    const isBoolean = byte === 0x74 || byte === 0x66;
    return isBoolean && this.shape !== 'event' ? 'boolean' : null;
  }

  #numberType(source: Source, at: number): EvidenceType {
    const end = skipNumber(source, at);
    let isInteger = true;
    for (let index = at; index < end; index++) {
      if (source.bytes[index] === DOT || (source.bytes[index] | 0x20) === 0x65) isInteger = false;
    }
    if (isInteger) return 'integer';
    const { scale } = readNumberText(source, at, end);
    if (scale > DECIMAL_PLACES_MAX) {
      this.#refuse(new InsertError(2004, at, `a decimal has more than ${DECIMAL_PLACES_MAX} decimal places`));
    }
    this.decimalPlaces = Math.max(this.decimalPlaces, Math.min(scale, DECIMAL_PLACES_MAX));
    return 'decimal';
  }
}

function stringType(source: Source, at: number): EvidenceType {
  const text = stringAt(source, at);
  if (text.length > DATE_BYTES_MAX) return 'string';
  if (parseDate(text) !== null) return 'date';
  return parseDateTime(text) !== null ? 'datetime' : 'string';
}

function isPair(a: EvidenceType, b: EvidenceType, one: EvidenceType, other: EvidenceType): boolean {
  return (a === one && b === other) || (a === other && b === one);
}
