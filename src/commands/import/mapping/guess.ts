/**
 * Guesses the type of a column from the first values of a file, or takes it from the file's schema.
 * Rules: every value must fit the type; numbers with leading zeros are strings (post codes); the result depends only on the
 * file, so that a second import of it gives the same types.
 */
import { ExactNumber } from '../../../api/index.js';
import { INT64_MAX, INT64_MIN } from '../../../base/index.js';
import { DECIMAL_PLACES_MAX } from '../../../interface/index.js';
import { dateIn, dateTimeIn, readDecimal, type Storage, scaleDecimal } from '../../../schema/index.js';
import type { SourceType, SourceValue } from '../formats/row-block.js';
import { dateReader, numberIn, PLAIN_READING, type TextReading } from './text-reading.js';
import { isRecord, isSourceList, listIn, pointIn } from './values.js';

export type BaseType = 'string' | 'integer' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'geolocation';

export interface Guess {
  readonly type: BaseType;
  /** For an attribute column. */
  readonly storage: Storage;
  /** Whether the values are events {value, date} of that type. */
  readonly isEvents: boolean;
  /** For decimals; otherwise null. */
  readonly decimalPlaces: number | null;
  /** Whether decimals are binary floating-point numbers, whose further digits have no meaning. */
  readonly isFloating: boolean;
  /** Whether the decimal places are two because enough values are texts with exactly two places. */
  readonly areAmounts: boolean;
  readonly cardinality: 'low' | 'high';
  /** The reason why no column can be made; null = one can. */
  readonly unfit: string | null;
  readonly examples: readonly string[];
  readonly valueCount: number;
  /** Texts that likely mean a missing value among values of another type, with their counts. */
  readonly likelyNulls: ReadonlyMap<string, number>;
}

/** Minimum decimal places: those of auto-create. */
const PLACES_MIN = 6;
/** Maximum decimal places for floating-point numbers. */
const PLACES_FLOATING_MAX = 9;
/** Every integer with at most this many digits fits in 64 bits. */
const DIGITS_MAX = 18;
/** Digits before the point in addition to those seen. */
const SPARE_DIGITS = 3;
/** Significant digits of a double. */
const DOUBLE_DIGITS = 15;
const EXAMPLES_MAX = 3;
const EXAMPLE_CHARS_MAX = 24;
const DISTINCT_MAX = 1_000;
/** A string column has low cardinality if it has fewer distinct strings than this share of its values. */
const LOW_SHARE = 0.1;
const LOW_ALWAYS = 50;

const NO_NULLS: ReadonlyMap<string, number> = new Map();

type Kind = BaseType | 'record';

const INTEGER_TEXT = /^-?(?:0|[1-9]\d{0,18})$/;
const DECIMAL_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;
const AMOUNT_PLACES = 2;
const AMOUNT = /^-?\d+\.\d\d$/;
/** Fewer values show no habit. */
const AMOUNTS_MIN = 200;
const BOOLEAN_TEXT = /^(?:true|false)$/i;

const isInt64 = (text: string): boolean => BigInt(text) >= INT64_MIN && BigInt(text) <= INT64_MAX;

/** Reads the kinds of texts. */
class Kinds {
  readonly #reading: TextReading;
  readonly #dateOf: ReturnType<typeof dateReader>;

  constructor(reading: TextReading) {
    this.#reading = reading;
    this.#dateOf = dateReader(reading.dateFormats);
  }

  /** The text of a number in the form that SQL has; null = it is none. */
  number(text: string): string | null {
    return numberIn(text, this.#reading);
  }

  ofText(text: string): Kind {
    const date = this.#dateKind(text);
    if (date !== null) return date;
    const number = this.number(text);
    if (number !== null && INTEGER_TEXT.test(number) && isInt64(number)) return 'integer';
    if (number !== null && DECIMAL_TEXT.test(number)) return 'decimal';
    if (BOOLEAN_TEXT.test(text)) return 'boolean';
    return this.ofString(text);
  }

  /** The kind of a value that its format gives as a string. */
  ofString(text: string): Kind {
    const date = this.#dateKind(text);
    if (date !== null) return date;
    if (dateIn(text) !== null) return 'date';
    return dateTimeIn(text) === null ? 'string' : 'datetime';
  }

  /** The kind of a date in one of the formats; null = it has none of them. */
  #dateKind(text: string): Kind | null {
    const read = this.#dateOf(text);
    return read === null ? null : read.date === null ? 'datetime' : 'date';
  }
}

function kindOf(value: SourceValue, isText: boolean, kinds: Kinds): Kind {
  if (typeof value === 'string') return isText ? kinds.ofText(value.trim()) : kinds.ofString(value);
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint') return isInt64(String(value)) ? 'integer' : 'decimal';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'decimal';
  if (value instanceof ExactNumber)
    return INTEGER_TEXT.test(value.text) && isInt64(value.text) ? 'integer' : 'decimal';
  return pointIn(value) === null ? 'record' : 'geolocation';
}

function joined(a: Kind | null, b: Kind): Kind {
  if (a === null || a === b) return b;
  const both = [a, b];
  if (both.every((kind) => kind === 'integer' || kind === 'decimal')) return 'decimal';
  if (both.every((kind) => kind === 'date' || kind === 'datetime')) return 'datetime';
  return both.includes('record') ? 'record' : 'string';
}

/** Accumulates the properties of a column's values. */
class Evidence {
  kind: Kind | null = null;
  valueCount = 0;
  places = 0;
  wholeDigits = 0;
  digits = 0;
  /** The number furthest from 0: its digits before the point (negative for small numbers), and all its digits. */
  #greatest = { text: '0', size: Number.NEGATIVE_INFINITY, leading: '' };
  readonly distinct = new Set<string>();
  readonly examples: string[] = [];
  /** Whether every value is a text with two digits after the sign before decimals, as amounts of money are written. */
  areAmounts = true;
  readonly #kinds: Kinds;

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
  }

  add(sourceValue: SourceValue, isText: boolean): void {
    this.valueCount++;
    this.kind = joined(this.kind, kindOf(sourceValue, isText, this.#kinds));
    const text =
      sourceValue instanceof ExactNumber
        ? sourceValue.text
        : typeof sourceValue === 'object'
          ? JSON.stringify(sourceValue)
          : String(sourceValue);
    if (this.distinct.size < DISTINCT_MAX && !this.distinct.has(text)) {
      if (this.examples.length < EXAMPLES_MAX) {
        this.examples.push(
          text.length > EXAMPLE_CHARS_MAX ? `${text.slice(0, EXAMPLE_CHARS_MAX - 1)}…` : text,
        );
      }
      this.distinct.add(text);
    }
    const number = typeof sourceValue === 'string' ? this.#kinds.number(text.trim()) : text;
    this.areAmounts &&= isText && number !== null && AMOUNT.test(number);
    const read = number === null ? null : readDecimal(number);
    if (number === null || read === null || read.digits === '') return;
    const { digits, scale } = read;
    const wholeDigits = digits.length - scale;
    const { size, leading } = this.#greatest;
    if (wholeDigits > size || (wholeDigits === size && digits > leading)) {
      this.#greatest = { text: number, size: wholeDigits, leading: digits };
    }
    this.places = Math.max(this.places, scale);
    this.wholeDigits = Math.max(this.wholeDigits, wholeDigits);
    this.digits = Math.max(this.digits, digits.length);
  }

  /** Whether a scaled 64-bit integer with that many places holds the greatest number. */
  fits(places: number): boolean {
    return places <= DECIMAL_PLACES_MAX && 'value' in scaleDecimal(this.#greatest.text, places);
  }
}

/** Whether the numbers have as many digits and places as printed doubles have. */
const looksFloating = (evidence: Evidence): boolean =>
  evidence.digits > DOUBLE_DIGITS &&
  (evidence.places > PLACES_FLOATING_MAX || !evidence.fits(evidence.places));

const isOfAmounts = (evidence: Evidence): boolean =>
  evidence.areAmounts && evidence.valueCount >= AMOUNTS_MIN && evidence.fits(AMOUNT_PLACES);

/** Decimal places for the numbers seen; null when a scaled 64-bit integer does not hold them. */
function placesFor(evidence: Evidence, isFloating: boolean): number | null {
  const { places, wholeDigits } = evidence;
  if (isOfAmounts(evidence)) return AMOUNT_PLACES;
  const spareDigits = DIGITS_MAX - wholeDigits;
  const least = isFloating ? 1 : Math.max(1, places);
  if (isFloating ? least > spareDigits : !evidence.fits(least)) return null;
  const wanted = Math.max(PLACES_MIN, isFloating ? Math.min(places, PLACES_FLOATING_MAX) : places);
  return Math.max(least, Math.min(wanted, spareDigits - SPARE_DIGITS));
}

/** Texts that programs write for a missing value, in lower case. */
const NULL_WORDS: ReadonlySet<string> = new Set([
  ...['n/a', '#n/a', 'na', 'n.a.', 'null', '(null)', 'none', 'nil', 'nan', 'missing', 'unknown'],
  ...['\\n', '-', '--', '?', '.', '#value!', '#ref!', '#div/0!', 'k.a.', 'n. v.', 's.o.'],
]);
/** Of the values of a column, at most this share may be likely NULLs. */
const LIKELY_NULL_SHARE = 0.5;

/** `values` are the first values, including missing ones; texts in `nulls` are missing values too. */
export function guessColumn(
  values: readonly SourceValue[],
  isText: boolean,
  schema: SourceType | null,
  nulls: ReadonlySet<string>,
  reading: TextReading = PLAIN_READING,
): Guess {
  if (schema === null) {
    const likely = likelyNullsIn(values);
    if (likely.size > 0) {
      const all = new Set([...nulls, ...likely.keys()]);
      const guess = guessedFrom(values, isText, schema, all, reading);
      const count = [...likely.values()].reduce((sum, one) => sum + one, 0);
      const isClear = guess.type !== 'string' && count <= guess.valueCount * LIKELY_NULL_SHARE;
      if (isClear && guess.storage === 'latest-value' && !guess.isEvents)
        return { ...guess, likelyNulls: likely };
    }
  }
  return guessedFrom(values, isText, schema, nulls, reading);
}

function likelyNullsIn(values: readonly SourceValue[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const value of values) {
    if (typeof value === 'string' && NULL_WORDS.has(value.trim().toLowerCase()))
      found.set(value, (found.get(value) ?? 0) + 1);
  }
  return found;
}

function guessedFrom(
  values: readonly SourceValue[],
  isText: boolean,
  schema: SourceType | null,
  nulls: ReadonlySet<string>,
  reading: TextReading,
): Guess {
  const kinds = new Kinds(reading);
  const single = new Evidence(kinds);
  const items = new Evidence(kinds);
  const events = new Evidence(kinds);
  for (const sourceValue of values) {
    if (sourceValue === null || sourceValue === undefined) continue;
    if (typeof sourceValue === 'string' && (sourceValue === '' || nulls.has(sourceValue))) continue;
    const value =
      isText && typeof sourceValue === 'string' ? (listIn(sourceValue) ?? sourceValue) : sourceValue;
    const isItem = isSourceList(value) && pointIn(value) === null;
    const all = isItem ? value : [value];
    const isEvent = all.length > 0 && all.every((item) => isRecord(item) && 'value' in item);
    for (const item of all) {
      if (item === null || item === undefined) continue;
      if (isEvent && isRecord(item)) events.add(item.value, false);
      else (isItem ? items : single).add(item, isText && value === sourceValue);
    }
  }
  return guessed({ single, items, events }, schema);
}

function guessed(
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
  // A number by the file's schema stays a number: values that do not fit are bad.
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
    areAmounts: type === 'decimal' && schema === null && isOfAmounts(evidence),
    cardinality: isLow ? 'low' : 'high',
    unfit: kind === 'record' || mixed ? 'objects' : null,
    examples: evidence.examples,
    valueCount: evidence.valueCount,
    likelyNulls: NO_NULLS,
  };
}
