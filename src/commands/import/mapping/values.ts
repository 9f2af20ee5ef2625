/**
 * Converts a value of the file to the JSON text of a column's value, or to the reason why it does not fit.
 * Rule: the text depends only on the value and on the column's form, never on the clock or the server, so that the same
 * file gives the same bodies again. No digit is lost unless `roundedTo` is set.
 */
import { ExactNumber } from '../../../api/index.js';
import { INT64_MAX, INT64_MIN, TEXT_POINTS_MAX } from '../../../base/index.js';
import {
  baseTypeOf,
  type ColumnType,
  codePointCount,
  dateIn,
  dateTimeIn,
  dateTimeOfUnixTime,
  isEventType,
  readDecimal,
  type Storage,
} from '../../../schema/index.js';
import { jsonValue } from '../formats/json-value.js';
import { remembered } from '../formats/remembered.js';
import type { SourceObject, SourceValue } from '../formats/row-block.js';
import { dateReader, numberIn, PLAIN_READING, type TextReading } from './text-reading.js';

export class ValueError {
  /** Follows 'column "x": ' in messages. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** null = missing. */
export type Written = string | null | ValueError;
export type ValueWriter = (value: SourceValue) => Written;

export interface ValueForm {
  readonly type: ColumnType;
  /** null for event columns. */
  readonly storage: Storage | null;
  /** Decimals are rounded to this number of places; null = all digits are written. */
  readonly roundedTo: number | null;
  /** Texts that mean a missing value, in addition to the empty text. */
  readonly nulls: ReadonlySet<string>;
  /** How texts are read as numbers and dates, by the formats before ISO 8601; absent = decimal points and ISO 8601. */
  readonly reading?: TextReading;
}

const SHOWN_CHARS = 60;
const shown = (value: SourceValue): string => {
  const text =
    value instanceof ExactNumber
      ? value.text
      : typeof value === 'bigint'
        ? String(value)
        : JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
};
const no = (value: SourceValue, what: string): ValueError =>
  new ValueError(`${shown(value)} is not a valid ${what}`);

export const isSourceList = (value: SourceValue): value is readonly SourceValue[] => Array.isArray(value);
export const isRecord = (value: SourceValue): value is SourceObject =>
  typeof value === 'object' && value !== null && !isSourceList(value) && !(value instanceof ExactNumber);

const LONE_SURROGATE = /\p{Surrogate}/u;

function writeString(value: SourceValue): Written {
  if (isSourceList(value) || isRecord(value)) return no(value, 'string');
  const text = value instanceof ExactNumber ? value.text : String(value);
  if (text.length > TEXT_POINTS_MAX && codePointCount(text) > TEXT_POINTS_MAX) {
    return new ValueError(`a string of ${codePointCount(text)} characters; at most ${TEXT_POINTS_MAX}`);
  }
  return LONE_SURROGATE.test(text)
    ? new ValueError('the text is not valid UTF-8 (in another encoding: --encoding latin-1)')
    : JSON.stringify(text);
}

const INTEGER = /^[+-]?\d{1,40}(?:\.0*)?$/;

/** Reads a text as the writers of numbers take it. */
const readingNumbers = (write: ValueWriter, reading: TextReading): ValueWriter =>
  reading.decimal === '.'
    ? write
    : (value) => {
        if (typeof value !== 'string') return write(value);
        const number = numberIn(value.trim(), reading);
        return number === null ? no(value, 'number with a decimal comma') : write(number);
      };

function writeInteger(sourceValue: SourceValue): Written {
  if (typeof sourceValue === 'number' && Number.isSafeInteger(sourceValue)) return String(sourceValue);
  let value: bigint;
  if (typeof sourceValue === 'bigint') value = sourceValue;
  else if (typeof sourceValue === 'number' && Number.isInteger(sourceValue)) value = BigInt(sourceValue);
  else {
    const text =
      sourceValue instanceof ExactNumber
        ? sourceValue.text
        : typeof sourceValue === 'string'
          ? sourceValue.trim()
          : '';
    if (!INTEGER.test(text)) return no(sourceValue, 'integer');
    value = BigInt(text.replace(/^\+/, '').replace(/\..*$/, ''));
  }
  return value < INT64_MIN || value > INT64_MAX ? no(sourceValue, '64-bit integer') : String(value);
}

const decimalWriter =
  (roundedTo: number | null): ValueWriter =>
  (value) => {
    const text = numberText(value);
    const read = text === null ? null : readDecimal(text);
    if (text === null || read === null) return no(value, 'number');
    return roundedTo !== null && read.scale > roundedTo ? rounded(Number(text), roundedTo) : text;
  };

/** The JSON text of a number; null when the value is not a number. */
function numberText(value: SourceValue): string | null {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  if (typeof value !== 'string') return null;
  const match = /^([+-]?)0*(\d*)(\.\d*)?([eE][+-]?\d{1,3})?$/.exec(value.trim());
  if (match === null || !/\d/.test(value.split(/[eE]/, 1)[0])) return null;
  const [, sign, whole, fraction = '', exponent = ''] = match;
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '.' ? '' : fraction}${exponent}`;
}

/** Rounds the double's exact value half away from zero; trailing zeros are removed. */
function rounded(value: number, places: number): string {
  const text = value.toFixed(places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const BOOLEANS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  t: 'true',
  f: 'false',
  yes: 'true',
  no: 'false',
  '1': 'true',
  '0': 'false',
};

function writeBoolean(value: SourceValue): Written {
  const word = isSourceList(value) || isRecord(value) ? '' : String(value).trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : no(value, 'boolean');
}

const orFormats = ({ dateFormats }: TextReading): string =>
  dateFormats.map((format) => ` or ${format}`).join('');

function dateWriter(reading: TextReading): ValueWriter {
  const read = dateReader(reading.dateFormats);
  return (value) => {
    const text = typeof value === 'string' ? value.trim() : null;
    const date = text === null ? null : (read(text)?.date ?? dateIn(text));
    return date === null ? no(value, `date YYYY-MM-DD${orFormats(reading)}`) : `"${date}"`;
  };
}

function dateTimeWriter(reading: TextReading): ValueWriter {
  const read = dateReader(reading.dateFormats);
  return (value) => {
    const timestamp = (typeof value === 'string' ? read(value.trim())?.dateTime : null) ?? dateTimeOf(value);
    return timestamp === null
      ? no(value, `date YYYY-MM-DD hh:mm:ss${orFormats(reading)} or Unix time`)
      : `"${timestamp}"`;
  };
}

/** "YYYY-MM-DDThh:mm:ssZ" of a date, a date with a time or a Unix time; null for other values. */
function dateTimeOf(value: SourceValue): string | null {
  if (typeof value === 'bigint') return dateTimeOfUnixTime(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? dateTimeOfUnixTime(BigInt(Math.floor(value))) : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const date = dateIn(text);
  if (date !== null) return `${date}T00:00:00Z`;
  return dateTimeIn(text) ?? (/^-?\d{1,19}$/.test(text) ? dateTimeOfUnixTime(BigInt(text)) : null);
}

const LONGITUDES = ['longitude', 'lon', 'lng'];
const LATITUDES = ['latitude', 'lat'];

/** Longitude and latitude; null when the value is not such a pair. */
export function pointIn(value: SourceValue): readonly [number, number] | null {
  const list = typeof value === 'string' ? listIn(value) : value;
  const pair = isRecord(list)
    ? [LONGITUDES, LATITUDES].map((names) => list[names.find((name) => name in list) ?? ''])
    : list;
  if (!isSourceList(pair) || pair.length !== 2) return null;
  const [longitude, latitude] = pair.map((part) => {
    const text = numberText(part);
    return text === null ? Number.NaN : Number(text);
  });
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? [longitude, latitude] : null;
}

function writePoint(value: SourceValue): Written {
  const point = pointIn(value);
  return point === null ? no(value, 'pair [longitude, latitude]') : JSON.stringify(point);
}

/** Parses a text that is a JSON list or object; null for other texts. */
export function listIn(text: string): SourceValue {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return jsonValue(text);
  } catch {
    return null;
  }
}

function scalarWriter({ type, roundedTo, reading = PLAIN_READING }: ValueForm): ValueWriter {
  switch (baseTypeOf(type)) {
    case 'integer':
    case 'enumerated':
      return readingNumbers(writeInteger, reading);
    case 'decimal':
      return readingNumbers(decimalWriter(roundedTo), reading);
    case 'boolean':
      return writeBoolean;
    case 'date':
      return dateWriter(reading);
    case 'datetime':
      return dateTimeWriter(reading);
    case 'geolocation':
      return writePoint;
    default:
      return writeString;
  }
}

/** Writes a value of a column: for a list column the whole list, for an event column its events without brackets. */
export function columnWriter(form: ValueForm): ValueWriter {
  const { nulls, storage, type } = form;
  const isMissing = (value: SourceValue): boolean =>
    value === null ||
    value === undefined ||
    (typeof value === 'string' && (value === '' || nulls.has(value)));
  const scalar = scalarWriter(form);
  const one: ValueWriter = (sourceValue) => (isMissing(sourceValue) ? null : scalar(sourceValue));
  if (isEventType(type)) return eventsWriter(one, dateTimeWriter(form.reading ?? PLAIN_READING));
  return rememberingTexts(storage === 'list-of-values' ? listWriter(one, type === 'geolocation') : one);
}

/** Writes the value of an event whose date is in another column. */
export const valueWriter = (form: ValueForm): ValueWriter =>
  columnWriter({ ...form, type: baseTypeOf(form.type), storage: 'latest-value' });

const listWriter =
  (one: ValueWriter, ofPoints: boolean): ValueWriter =>
  (value) => {
    const options = typeof value === 'string' ? (listIn(value) ?? value) : value;
    const items = isSourceList(options) && !(ofPoints && pointIn(options) !== null) ? options : [options];
    const texts: string[] = [];
    for (const item of items) {
      const text = one(item);
      if (text instanceof ValueError) return text;
      if (text !== null) texts.push(text);
    }
    return texts.length === 0 ? null : `[${texts.join(',')}]`;
  };

/** Writes events in the interface's form: an object {value, date}, or a list of them. */
const eventsWriter =
  (one: ValueWriter, timestamp: ValueWriter): ValueWriter =>
  (sourceValue) => {
    if (sourceValue === null || sourceValue === undefined || sourceValue === '') return null;
    const options = typeof sourceValue === 'string' ? listIn(sourceValue) : sourceValue;
    const texts: string[] = [];
    for (const event of isSourceList(options) ? options : [options]) {
      if (!isRecord(event) || Object.keys(event).some((key) => key !== 'value' && key !== 'date')) {
        return no(event, 'event {"value", "date"}');
      }
      const value = one(event.value);
      if (value === null) return no(event, 'event with a value');
      const date = event.date === undefined ? null : timestamp(event.date);
      if (value instanceof ValueError) return value;
      if (date instanceof ValueError) return date;
      texts.push(date === null ? `{"value":${value}}` : `{"value":${value},"date":${date}}`);
    }
    return texts.length === 0 ? null : texts.join(',');
  };

/** Caches the results for texts only: writing a number is faster than a lookup. */
function rememberingTexts(write: ValueWriter): ValueWriter {
  const remembering = remembered(write);
  return (value) => (typeof value === 'string' ? remembering(value) : write(value));
}
