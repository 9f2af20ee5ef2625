/** The entries of the function table, and the conversion of arguments to their kinds. */
import { QuarryError, quoted } from '../../../base/index.js';
import { type DateUnit, type Expression, FLOAT, INTEGER, TEXT } from '../../../ir/index.js';
import { DIGITS_MAX, type SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition, SqlNode } from '../../tree.js';
import {
  castOf,
  constantOf,
  DATETIME,
  INTERVAL,
  isNull,
  isTextConstant,
  JSON_TYPE,
} from '../expressions/build.js';
import { castTo, readAs } from '../expressions/coerce.js';
import { UNIT_NAMES, unitNamed } from '../expressions/date-units.js';
import { isDate, isNumber, typeName } from '../expressions/types.js';
import type { Scope } from '../scope.js';
import { suggestion } from '../suggest.js';

/**
 *   text       a text                             words      a text; numbers, dates and booleans are converted to text
 *   number     integer, decimal or float          float      any number, as a float
 *   integer    a whole number                     digits     a whole number written out, -38 to 38
 *   date       a date or a datetime               unit       a unit of dates, in quotes or not: 'dd', month
 *   interval   an interval                        time       a date, a datetime or an interval
 *   condition  true or false                      value      anything but lists and points
 *   json       a list or other JSON               point      a point
 *   any        anything, also lists and points
 */
export type ArgumentKind =
  | 'text'
  | 'words'
  | 'number'
  | 'float'
  | 'integer'
  | 'digits'
  | 'date'
  | 'interval'
  | 'time'
  | 'unit'
  | 'condition'
  | 'json'
  | 'point'
  | 'value'
  | 'any';

export interface CallSite {
  readonly position: SourcePosition;
  readonly scope: Scope;
  /** The unit argument; null if the function has none. */
  readonly unit: DateUnit | null;
  /** See `ofPostgres` of calls in tree.ts. */
  readonly ofPostgres: boolean;
}

/** Calls `make`, whose error 6000 gets a source position. */
export function positioned<T>({ position }: Pick<CallSite, 'position'>, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof QuarryError ? sqlError(error.message, position) : error;
  }
}

export interface SqlFunction {
  /** In lower case. */
  readonly names: readonly string[];
  readonly parameters: readonly ArgumentKind[];
  /** Optional arguments, after the required ones. */
  readonly optional?: readonly ArgumentKind[];
  /** The kind of any number of further arguments. */
  readonly rest?: ArgumentKind;
  /** Builds the expression from the converted arguments, without the unit. */
  make(args: readonly Expression[], site: CallSite): Expression;
}

/** 'SUBSTRING(text, integer[, integer])' */
export function signatureOf(name: string, { parameters, optional = [], rest }: SqlFunction): string {
  const may = optional.map((kind, index) => (parameters.length + index === 0 ? `[${kind}]` : `[, ${kind}]`));
  const more = rest === undefined ? '' : `${parameters.length === 0 ? '' : ', '}${rest}...`;
  return `${name.toUpperCase()}(${parameters.join(', ')}${may.join('')}${more})`;
}

/** The kind of argument `index`, or null if the function takes fewer arguments. */
export function kindAt({ parameters, optional = [], rest }: SqlFunction, index: number): ArgumentKind | null {
  return parameters[index] ?? optional[index - parameters.length] ?? rest ?? null;
}

/** Reads a unit argument. Throws 6000. */
export function unitOf(node: SqlNode, signature: string): DateUnit {
  const name =
    node.is === 'string' ? node.text : node.is === 'column' && node.table === null ? node.name : null;
  if (name === null) throw sqlError(`${signature} takes a unit by its name, as 'day'`, node.position);
  const unit = unitNamed(name);
  if (unit !== null) return unit;
  const near = suggestion(name, UNIT_NAMES);
  throw sqlError(
    `there is no unit ${quoted(name)}`,
    node.position,
    near === null ? {} : { suggestion: near },
  );
}

/** Converts an argument to the kind that the function expects. Throws 6000 for other types. */
export function argumentAs(
  kind: Exclude<ArgumentKind, 'unit' | 'words'>,
  bound: Expression,
  signature: string,
  position: SourcePosition,
): Expression {
  if (kind === 'value' || kind === 'any') return bound;
  const fitting = isNull(bound) ? nullOf(kind) : readArgument(kind, bound, position);
  if (ACCEPTS[kind](fitting)) return kind === 'float' ? castTo(fitting, FLOAT, position) : fitting;
  const is = bound.op === 'constant' && kind === 'digits' ? '' : `, not ${typeName(bound.type)}`;
  throw sqlError(`${signature} takes ${EXPECTED[kind]} here${is}`, position);
}

type FirmKind = Exclude<ArgumentKind, 'unit' | 'value' | 'any' | 'words'>;

/** Reads a text constant as a number or date. */
function readArgument(kind: FirmKind, bound: Expression, position: SourcePosition): Expression {
  if (!isTextConstant(bound)) return bound;
  switch (kind) {
    case 'number':
    case 'float':
      return readAs(bound, INTEGER, position);
    case 'integer':
    case 'digits':
      return castTo(bound, INTEGER, position);
    case 'date':
    case 'time':
      return readAs(bound, DATETIME, position);
    case 'interval':
      return readAs(bound, INTERVAL, position);
    case 'json':
      return castOf(bound, JSON_TYPE);
    default:
      return bound;
  }
}

/** JSON has no constants. */
function nullOf(kind: FirmKind): Expression {
  const type = TYPE_OF_NULL[kind];
  return type.type === 'json' ? castOf(constantOf(TEXT, null), type) : constantOf(type, null);
}

const TYPE_OF_NULL: Readonly<Record<FirmKind, SqlType>> = {
  text: TEXT,
  number: INTEGER,
  float: FLOAT,
  integer: INTEGER,
  digits: INTEGER,
  date: DATETIME,
  time: DATETIME,
  interval: INTERVAL,
  condition: { type: 'boolean' },
  json: JSON_TYPE,
  point: JSON_TYPE,
};

const EXPECTED: Readonly<Record<FirmKind, string>> = {
  text: 'text',
  number: 'a number',
  float: 'a number',
  integer: 'a whole number',
  digits: `a literal whole number from -${DIGITS_MAX} to ${DIGITS_MAX}`,
  date: 'a date or datetime',
  time: 'a date, datetime or interval',
  interval: 'an interval',
  condition: 'a condition',
  json: 'a list or other JSON',
  point: 'a point, such as GEO_POINT(longitude, latitude)',
};

const ACCEPTS: Readonly<Record<FirmKind, (of: Expression) => boolean>> = {
  text: ({ type }) => type.type === 'text',
  number: ({ type }) => isNumber(type),
  float: ({ type }) => isNumber(type),
  integer: ({ type }) => type.type === 'integer',
  digits: (of) => of.op === 'constant' && typeof of.value === 'bigint' && fewDigits(of.type, of.value),
  date: ({ type }) => isDate(type),
  time: ({ type }) => isDate(type) || type.type === 'interval',
  interval: ({ type }) => type.type === 'interval',
  condition: ({ type }) => type.type === 'boolean',
  json: ({ type }) => type.type === 'json',
  point: ({ type }) => type.type === 'json',
};

function fewDigits({ type }: SqlType, value: bigint): boolean {
  return type === 'integer' && value >= -DIGITS_MAX && value <= DIGITS_MAX;
}
