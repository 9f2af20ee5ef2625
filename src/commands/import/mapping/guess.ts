/**
 * The type of a column, told from the first values of a file, or taken from the file's schema.
 * Rules: a type is told only when every value fits it; numbers with zeros in front are strings (post codes); nothing but
 * the file decides, so that a second import of it tells the same.
 */
import { ExactNumber } from '../../../api/index.js';
import { INT64_MAX, INT64_MIN } from '../../../base/index.js';
import { DECIMAL_PLACES_MAX } from '../../../interface/index.js';
import { readDecimal, type Storage, scaleDecimal } from '../../../schema/index.js';
import { dateIn, momentIn } from '../formats/dates-in-text.js';
import type { Cell, SourceType } from '../formats/row-block.js';
import { isList, isRecord, listIn, pointIn } from './values.js';

export type BaseType = 'string' | 'integer' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'geolocation';

export interface Guess {
  readonly type: BaseType;
  /** Of an attribute column. */
  readonly storage: Storage;
  /** The values are events {value, date} of that type. */
  readonly isEvents: boolean;
  /** Of decimals; else null. */
  readonly decimalPlaces: number | null;
  /** Decimals are binary floating-point numbers, of which more digits mean nothing. */
  readonly isFloating: boolean;
  readonly cardinality: 'low' | 'high';
  /** Why no column can be made; null = one can. */
  readonly unfit: string | null;
  readonly examples: readonly string[];
  readonly valueCount: number;
}

/** As auto-create makes them, at least. */
const PLACES_MIN = 6;
/** Of floating-point numbers, at most. */
const PLACES_FLOATING_MAX = 9;
/** Digits of a 64-bit integer that any digit may stand in. */
const DIGITS_MAX = 18;
/** Digits in front of the point beyond those seen. */
const SPARE_DIGITS = 3;
/** Digits that a double tells apart. */
const DOUBLE_DIGITS = 15;
const EXAMPLES_MAX = 3;
const EXAMPLE_CHARS_MAX = 24;
const DISTINCT_MAX = 1_000;
/** A column of fewer different strings than a tenth of its values has a low cardinality. */
const LOW_SHARE = 0.1;
const LOW_ALWAYS = 50;

type Kind = BaseType | 'record';

const INTEGER_TEXT = /^-?(?:0|[1-9]\d{0,18})$/;
const DECIMAL_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;
const BOOLEAN_TEXT = /^(?:true|false)$/i;

const isInt64 = (text: string): boolean => BigInt(text) >= INT64_MIN && BigInt(text) <= INT64_MAX;

function kindOfText(text: string): Kind {
  if (INTEGER_TEXT.test(text) && isInt64(text)) return 'integer';
  if (DECIMAL_TEXT.test(text)) return 'decimal';
  if (BOOLEAN_TEXT.test(text)) return 'boolean';
  return kindOfString(text);
}

/** Of a string that is known to be one. */
function kindOfString(text: string): Kind {
  if (dateIn(text) !== null) return 'date';
  return momentIn(text) === null ? 'string' : 'datetime';
}

function kindOf(cell: Cell, isText: boolean): Kind {
  if (typeof cell === 'string') return isText ? kindOfText(cell.trim()) : kindOfString(cell);
  if (typeof cell === 'boolean') return 'boolean';
  if (typeof cell === 'bigint') return isInt64(String(cell)) ? 'integer' : 'decimal';
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? 'integer' : 'decimal';
  if (cell instanceof ExactNumber)
    return INTEGER_TEXT.test(cell.text) && isInt64(cell.text) ? 'integer' : 'decimal';
  return pointIn(cell) === null ? 'record' : 'geolocation';
}

function joined(a: Kind | null, b: Kind): Kind {
  if (a === null || a === b) return b;
  const both = [a, b];
  if (both.every((kind) => kind === 'integer' || kind === 'decimal')) return 'decimal';
  if (both.every((kind) => kind === 'date' || kind === 'datetime')) return 'datetime';
  return both.includes('record') ? 'record' : 'string';
}

/** What the values of a column say, taken one by one. */
class Evidence {
  kind: Kind | null = null;
  valueCount = 0;
  places = 0;
  wholeDigits = 0;
  digits = 0;
  /** The number that is furthest from 0: digits in front of its point, fewer than none of small ones, and all digits. */
  #greatest = { text: '0', size: Number.NEGATIVE_INFINITY, leading: '' };
  readonly distinct = new Set<string>();
  readonly examples: string[] = [];

  add(cell: Cell, isText: boolean): void {
    this.valueCount++;
    this.kind = joined(this.kind, kindOf(cell, isText));
    const text =
      cell instanceof ExactNumber
        ? cell.text
        : typeof cell === 'object'
          ? JSON.stringify(cell)
          : String(cell);
    if (this.distinct.size < DISTINCT_MAX && !this.distinct.has(text)) {
      if (this.examples.length < EXAMPLES_MAX) {
        this.examples.push(
          text.length > EXAMPLE_CHARS_MAX ? `${text.slice(0, EXAMPLE_CHARS_MAX - 1)}…` : text,
        );
      }
      this.distinct.add(text);
    }
    const read = readDecimal(text.trim());
    if (read === null || read.digits === '') return;
    const { digits, scale } = read;
    const wholeDigits = digits.length - scale;
    const { size, leading } = this.#greatest;
    if (wholeDigits > size || (wholeDigits === size && digits > leading)) {
      this.#greatest = { text: text.trim(), size: wholeDigits, leading: digits };
    }
    this.places = Math.max(this.places, scale);
    this.wholeDigits = Math.max(this.wholeDigits, wholeDigits);
    this.digits = Math.max(this.digits, digits.length);
  }

  /** Whether a scaled 64-bit integer with so many places holds the greatest of the numbers. */
  fits(places: number): boolean {
    return places <= DECIMAL_PLACES_MAX && 'value' in scaleDecimal(this.#greatest.text, places);
  }
}

/** More digits than a double tells apart, and too many places to be meant. */
const looksFloating = (evidence: Evidence): boolean =>
  evidence.digits > DOUBLE_DIGITS &&
  (evidence.places > PLACES_FLOATING_MAX || !evidence.fits(evidence.places));

/** Decimal places for the numbers seen, or null when a scaled 64-bit integer does not hold them. */
function placesFor(evidence: Evidence, isFloating: boolean): number | null {
  const { places, wholeDigits } = evidence;
  const room = DIGITS_MAX - wholeDigits;
  const least = isFloating ? 1 : Math.max(1, places);
  if (isFloating ? least > room : !evidence.fits(least)) return null;
  const wanted = Math.max(PLACES_MIN, isFloating ? Math.min(places, PLACES_FLOATING_MAX) : places);
  return Math.max(least, Math.min(wanted, room - SPARE_DIGITS));
}

/** `cells`: the first values, missing ones included; those in `nulls` are missing, too. */
export function guessColumn(
  cells: readonly Cell[],
  isText: boolean,
  schema: SourceType | null,
  nulls: ReadonlySet<string>,
): Guess {
  const single = new Evidence();
  const items = new Evidence();
  const events = new Evidence();
  for (const cell of cells) {
    if (cell === null || cell === undefined) continue;
    if (typeof cell === 'string' && (cell === '' || nulls.has(cell))) continue;
    const given = isText && typeof cell === 'string' ? (listIn(cell) ?? cell) : cell;
    const isItem = isList(given) && pointIn(given) === null;
    const all = isItem ? given : [given];
    const isEvent = all.length > 0 && all.every((item) => isRecord(item) && 'value' in item);
    for (const item of all) {
      if (item === null || item === undefined) continue;
      if (isEvent && isRecord(item)) events.add(item.value, false);
      else (isItem ? items : single).add(item, isText && given === cell);
    }
  }
  return told({ single, items, events }, schema);
}

function told(
  { single, items, events }: { single: Evidence; items: Evidence; events: Evidence },
  schema: SourceType | null,
): Guess {
  const isEvents = events.valueCount > 0 && items.valueCount + single.valueCount === 0;
  const isListed = schema === null ? items.valueCount > 0 : schema.storage === 'list-of-values';
  const evidence = isEvents ? events : isListed ? (items.valueCount > 0 ? items : single) : single;
  const mixed = !isEvents && events.valueCount > 0;
  const both =
    isListed && single.kind !== null && items.kind !== null ? joined(single.kind, items.kind) : evidence.kind;
  const kind: Kind = (schema?.type as BaseType | undefined) ?? both ?? 'string';
  const isFloating = schema === null ? looksFloating(evidence) : schema.decimalPlaces === null;
  // What a file's schema calls a number stays one: values that do not fit are bad.
  const leastPlaces = schema === null ? null : 1;
  const places =
    kind === 'decimal' ? (schema?.decimalPlaces ?? placesFor(evidence, isFloating) ?? leastPlaces) : null;
  const type: BaseType = kind === 'record' || (kind === 'decimal' && places === null) ? 'string' : kind;
  const isLow =
    evidence.distinct.size <= LOW_ALWAYS ||
    (evidence.distinct.size < DISTINCT_MAX && evidence.distinct.size <= evidence.valueCount * LOW_SHARE);
  return {
    type,
    storage: isListed ? 'list-of-values' : 'latest-value',
    isEvents,
    decimalPlaces: type === 'decimal' ? places : null,
    isFloating,
    cardinality: isLow ? 'low' : 'high',
    unfit: kind === 'record' || mixed ? 'objects' : null,
    examples: evidence.examples,
    valueCount: evidence.valueCount,
  };
}
