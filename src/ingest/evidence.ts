/**
 * What the values of one request say about the type of a column that does not exist yet.
 * Rules: integer and decimal together are decimal, date and datetime together are datetime; every other mixture of
 * types, and every mixture of single values, lists and events, is refused at the value that makes it one.
 * Needs a body that is valid JSON, so that depth does not count here.
 * After a fault the evidence keeps what it had, so that a walk over the same body meets no earlier, false fault.
 */
import { parseDate, parseDateTime } from '../schema/index.js';
import { InsertFault } from './fault.js';
import { eachItem, eachMember, skipNumber, stringAt } from './json.js';
import { kindOfValue, readNumberText } from './numbers.js';
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
} from './source.js';

export type Shape = 'single' | 'list' | 'event';
export type EvidenceType = 'integer' | 'decimal' | 'date' | 'datetime' | 'boolean' | 'string';

const PLACES_MAX = 20;
/** A datetime with its offset, and room for escapes: longer strings are no dates. */
const DATE_BYTES_MAX = 256;
const SHAPE_WORDS: Record<Shape, string> = { single: 'single values', list: 'lists', event: 'events' };

export class Evidence {
  shape: Shape | null = null;
  type: EvidenceType | null = null;
  /** Decimal places of the value that has most. */
  places = 0;
  /** Dates were seen in what became a datetime column. */
  hasMidnights = false;
  fault: InsertFault | null = null;
  /** An empty list was seen, which may be one of events. */
  #emptyListAt = -1;

  /** Takes the value at `at` into account. */
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
      // A list that does not fit is refused at its bracket, a single item at its own place.
      let shapeAt = at;
      eachItem(source, at, 0, (itemAt) => {
        if (source.bytes[itemAt] === OPEN_OBJECT) this.#event(source, itemAt, shapeAt);
        else if (this.#shapeIs('list', shapeAt)) this.#value(source, itemAt);
        shapeAt = itemAt;
      });
    }
  }

  /** Whether the column is known well enough to be made. */
  get isComplete(): boolean {
    return this.shape !== null && (this.type !== null || this.fault !== null);
  }

  #refuse(fault: InsertFault): void {
    this.fault ??= fault;
  }

  #shapeIs(shape: Shape, at: number): boolean {
    const mixed = this.shape !== null && this.shape !== shape;
    if (mixed || (shape === 'single' && this.#emptyListAt >= 0)) {
      const other = SHAPE_WORDS[this.shape ?? 'list'];
      this.#refuse(new InsertFault(2007, at, `a new column cannot hold ${other} and ${SHAPE_WORDS[shape]}`));
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
          new InsertFault(2016, keyAt, `the event has the key ${shown} beside "value" and "date"`),
        );
      }
    });
    if (found < 0) this.#refuse(new InsertFault(2018, end, 'the event has no "value"'));
  }

  #value(source: Source, at: number): void {
    const type = this.#typeAt(source, at);
    if (type === null) {
      const what = kindOfValue(source.bytes[at]);
      this.#refuse(
        new InsertFault(
          2007,
          at,
          `a new column cannot hold ${what} in ${SHAPE_WORDS[this.shape ?? 'single']}`,
        ),
      );
    } else if (this.type === null || this.type === type) this.type = type;
    else if (isPair(this.type, type, 'integer', 'decimal')) this.type = 'decimal';
    else if (isPair(this.type, type, 'date', 'datetime')) {
      this.type = 'datetime';
      this.hasMidnights = true;
    } else this.#refuse(new InsertFault(2007, at, `a new column cannot hold both ${this.type} and ${type}`));
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
    for (let place = at; place < end; place++) {
      if (source.bytes[place] === DOT || (source.bytes[place] | 0x20) === 0x65) isInteger = false;
    }
    if (isInteger) return 'integer';
    const { scale } = readNumberText(source, at, end);
    if (scale > PLACES_MAX) {
      this.#refuse(new InsertFault(2004, at, `a decimal has more than ${PLACES_MAX} decimal places`));
    }
    this.places = Math.max(this.places, Math.min(scale, PLACES_MAX));
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
