/**
 * One cell -> the JSON text of one value of a column, or why it is none.
 * Rule: what is written depends on the cell and on the column's form alone, never on the clock or the server, so that the
 * same file gives the same bodies again. No digit is lost, but where `roundedTo` says so.
 */
import { ExactNumber } from '../../../api/index.js';
import { INT64_MAX, INT64_MIN, TEXT_POINTS_MAX } from '../../../base/index.js';
import {
  baseTypeOf,
  type ColumnType,
  codePointCount,
  isEventType,
  readDecimal,
  type Storage,
} from '../../../schema/index.js';
import { dateIn, momentIn, momentOfUnixTime } from '../formats/dates-in-text.js';
import { jsonCell } from '../formats/json-cell.js';
import { remembered } from '../formats/remembered.js';
import type { Cell, CellObject } from '../formats/row-block.js';

export class ValueFault {
  /** Goes behind 'column "x": '. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** null: there is no value. */
export type Written = string | null | ValueFault;
export type CellWriter = (cell: Cell) => Written;

export interface ValueForm {
  readonly type: ColumnType;
  /** null of event columns. */
  readonly storage: Storage | null;
  /** Decimals are rounded to so many places; null = they are written with all. */
  readonly roundedTo: number | null;
  /** Texts that stand for no value, beside the empty one. */
  readonly nulls: ReadonlySet<string>;
}

const SHOWN_CHARS = 60;
const shown = (cell: Cell): string => {
  const text =
    cell instanceof ExactNumber ? cell.text : typeof cell === 'bigint' ? String(cell) : JSON.stringify(cell);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
};
const no = (cell: Cell, what: string): ValueFault => new ValueFault(`${shown(cell)} is no ${what}`);

export const isList = (cell: Cell): cell is readonly Cell[] => Array.isArray(cell);
export const isRecord = (cell: Cell): cell is CellObject =>
  typeof cell === 'object' && cell !== null && !isList(cell) && !(cell instanceof ExactNumber);

const LONE_SURROGATE = /\p{Surrogate}/u;

function writeString(cell: Cell): Written {
  if (isList(cell) || isRecord(cell)) return no(cell, 'string');
  const text = cell instanceof ExactNumber ? cell.text : String(cell);
  if (text.length > TEXT_POINTS_MAX && codePointCount(text) > TEXT_POINTS_MAX) {
    return new ValueFault(`a string of ${codePointCount(text)} characters; at most ${TEXT_POINTS_MAX}`);
  }
  return LONE_SURROGATE.test(text) ? new ValueFault('the text is no UTF-8') : JSON.stringify(text);
}

const INTEGER = /^[+-]?\d{1,40}(?:\.0*)?$/;

function writeInteger(cell: Cell): Written {
  if (typeof cell === 'number' && Number.isSafeInteger(cell)) return String(cell);
  let value: bigint;
  if (typeof cell === 'bigint') value = cell;
  else if (typeof cell === 'number' && Number.isInteger(cell)) value = BigInt(cell);
  else {
    const text = cell instanceof ExactNumber ? cell.text : typeof cell === 'string' ? cell.trim() : '';
    if (!INTEGER.test(text)) return no(cell, 'integer');
    value = BigInt(text.replace(/^\+/, '').replace(/\..*$/, ''));
  }
  return value < INT64_MIN || value > INT64_MAX ? no(cell, 'integer of 64 bits') : String(value);
}

const decimalWriter =
  (roundedTo: number | null): CellWriter =>
  (cell) => {
    const text = numberText(cell);
    const read = text === null ? null : readDecimal(text);
    if (text === null || read === null) return no(cell, 'number');
    return roundedTo !== null && read.scale > roundedTo ? rounded(Number(text), roundedTo) : text;
  };

/** As JSON has it; null when the cell is no number. */
function numberText(cell: Cell): string | null {
  if (cell instanceof ExactNumber) return cell.text;
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : null;
  if (typeof cell !== 'string') return null;
  const match = /^([+-]?)0*(\d*)(\.\d*)?([eE][+-]?\d{1,3})?$/.exec(cell.trim());
  if (match === null || !/\d/.test(cell.split(/[eE]/, 1)[0])) return null;
  const [, sign, whole, fraction = '', exponent = ''] = match;
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '.' ? '' : fraction}${exponent}`;
}

/** Half away from zero, of the double's exact value; zeros at the end go. */
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

function writeBoolean(cell: Cell): Written {
  const word = isList(cell) || isRecord(cell) ? '' : String(cell).trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : no(cell, 'boolean');
}

function writeDate(cell: Cell): Written {
  const date = typeof cell === 'string' ? dateIn(cell.trim()) : null;
  return date === null ? no(cell, 'date YYYY-MM-DD') : `"${date}"`;
}

function writeMoment(cell: Cell): Written {
  const moment = momentOf(cell);
  return moment === null ? no(cell, 'date YYYY-MM-DD hh:mm:ss or Unix time') : `"${moment}"`;
}

/** The "YYYY-MM-DDThh:mm:ssZ" of a date, a date with a time or a Unix time; null when the cell is none. */
function momentOf(cell: Cell): string | null {
  if (typeof cell === 'bigint') return momentOfUnixTime(cell);
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? momentOfUnixTime(BigInt(Math.floor(cell))) : null;
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  const date = dateIn(text);
  if (date !== null) return `${date}T00:00:00Z`;
  return momentIn(text) ?? (/^-?\d{1,19}$/.test(text) ? momentOfUnixTime(BigInt(text)) : null);
}

const LONGITUDES = ['longitude', 'lon', 'lng'];
const LATITUDES = ['latitude', 'lat'];

/** Longitude and latitude; null when the cell is no such pair. */
export function pointIn(cell: Cell): readonly [number, number] | null {
  const list = typeof cell === 'string' ? listIn(cell) : cell;
  const pair = isRecord(list)
    ? [LONGITUDES, LATITUDES].map((names) => list[names.find((name) => name in list) ?? ''])
    : list;
  if (!isList(pair) || pair.length !== 2) return null;
  const [longitude, latitude] = pair.map((part) => {
    const text = numberText(part);
    return text === null ? Number.NaN : Number(text);
  });
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? [longitude, latitude] : null;
}

function writePoint(cell: Cell): Written {
  const point = pointIn(cell);
  return point === null ? no(cell, 'pair [longitude, latitude]') : JSON.stringify(point);
}

/** The JSON list or object that a text is; null when it is none. */
export function listIn(text: string): Cell {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return jsonCell(text);
  } catch {
    return null;
  }
}

function scalarWriter({ type, roundedTo }: ValueForm): CellWriter {
  switch (baseTypeOf(type)) {
    case 'integer':
    case 'enumerated':
      return writeInteger;
    case 'decimal':
      return decimalWriter(roundedTo);
    case 'boolean':
      return writeBoolean;
    case 'date':
      return writeDate;
    case 'datetime':
      return writeMoment;
    case 'geolocation':
      return writePoint;
    default:
      return writeString;
  }
}

/** Writes a value of a column: of a list column the whole list, of an event column its events without the list's brackets. */
export function cellWriter(form: ValueForm): CellWriter {
  const { nulls, storage, type } = form;
  const isMissing = (cell: Cell): boolean =>
    cell === null || cell === undefined || (typeof cell === 'string' && (cell === '' || nulls.has(cell)));
  const scalar = scalarWriter(form);
  const one: CellWriter = (cell) => (isMissing(cell) ? null : scalar(cell));
  if (isEventType(type)) return eventsWriter(one);
  return rememberingTexts(storage === 'list-of-values' ? listWriter(one, type === 'geolocation') : one);
}

/** Writes the value of an event whose date stands in a column of its own. */
export const valueWriter = (form: ValueForm): CellWriter =>
  cellWriter({ ...form, type: baseTypeOf(form.type), storage: 'latest-value' });

const listWriter =
  (one: CellWriter, ofPoints: boolean): CellWriter =>
  (cell) => {
    const given = typeof cell === 'string' ? (listIn(cell) ?? cell) : cell;
    const items = isList(given) && !(ofPoints && pointIn(given) !== null) ? given : [given];
    const texts: string[] = [];
    for (const item of items) {
      const text = one(item);
      if (text instanceof ValueFault) return text;
      if (text !== null) texts.push(text);
    }
    return texts.length === 0 ? null : `[${texts.join(',')}]`;
  };

/** Events as the interface has them: an object {value, date}, or a list of such. */
const eventsWriter =
  (one: CellWriter): CellWriter =>
  (cell) => {
    if (cell === null || cell === undefined || cell === '') return null;
    const given = typeof cell === 'string' ? listIn(cell) : cell;
    const texts: string[] = [];
    for (const event of isList(given) ? given : [given]) {
      if (!isRecord(event) || Object.keys(event).some((key) => key !== 'value' && key !== 'date')) {
        return no(event, 'event {"value", "date"}');
      }
      const value = one(event.value);
      if (value === null) return no(event, 'event with a value');
      const date = event.date === undefined ? null : writeMoment(event.date);
      if (value instanceof ValueFault) return value;
      if (date instanceof ValueFault) return date;
      texts.push(date === null ? `{"value":${value}}` : `{"value":${value},"date":${date}}`);
    }
    return texts.length === 0 ? null : texts.join(',');
  };

/** Numbers are written faster than they are looked up. */
function rememberingTexts(write: CellWriter): CellWriter {
  const remembering = remembered(write);
  return (cell) => (typeof cell === 'string' ? remembering(cell) : write(cell));
}
