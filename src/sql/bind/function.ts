/** What an entry of the table of functions says, and how arguments become what it takes. */
import { quoted } from '../../base/index.js';
import { type DateUnit, type Expression, FLOAT, INTEGER, TEXT } from '../../ir/index.js';
import { DIGITS_MAX, type SqlType } from '../../vector/index.js';
import { sqlError } from '../sql-error.js';
import type { Place, SqlNode } from '../tree.js';
import { asText } from './arithmetic.js';
import { constantOf, DATETIME, isNull, isTextConstant } from './build.js';
import { castTo, readAs } from './coerce.js';
import { UNIT_NAMES, unitNamed } from './date-units.js';
import type { Scope } from './scope.js';
import { suggestion } from './suggest.js';
import { isDate, isNumber, typeName } from './types.js';

/**
 *   text       a text                             words      a text; numbers, dates and truth values by what they write
 *   number     integer, decimal or float          float      any number, as a float
 *   integer    a whole number                     digits     a whole number written out, -38 to 38
 *   date       a date or a datetime               unit       a unit of dates, in quotes or not: 'dd', month
 *   condition  true or false                      value      anything but lists and points
 */
export type ArgumentKind =
  | 'text'
  | 'words'
  | 'number'
  | 'float'
  | 'integer'
  | 'digits'
  | 'date'
  | 'unit'
  | 'condition'
  | 'value';

export interface CallSite {
  readonly place: Place;
  readonly scope: Scope;
  /** Of the argument that is a unit; null where the function takes none. */
  readonly unit: DateUnit | null;
}

export interface SqlFunction {
  /** In lower case. */
  readonly names: readonly string[];
  readonly takes: readonly ArgumentKind[];
  /** Behind those that it takes. */
  readonly optional?: readonly ArgumentKind[];
  /** Any number behind these. */
  readonly rest?: ArgumentKind;
  /** Of the arguments as they are taken, without the unit. */
  make(args: readonly Expression[], site: CallSite): Expression;
}

/** 'SUBSTRING(text, integer[, integer])' */
export function signatureOf(name: string, { takes, optional = [], rest }: SqlFunction): string {
  const may = optional.map((kind, index) => (takes.length + index === 0 ? `[${kind}]` : `[, ${kind}]`));
  const more = rest === undefined ? '' : `, ${rest}...`;
  return `${name.toUpperCase()}(${takes.join(', ')}${may.join('')}${more})`;
}

/** The kind of argument `index`, null where the function takes no so many. */
export function kindAt({ takes, optional = [], rest }: SqlFunction, index: number): ArgumentKind | null {
  return takes[index] ?? optional[index - takes.length] ?? rest ?? null;
}

/** The unit that a node names. */
export function unitOf(node: SqlNode, signature: string): DateUnit {
  const name =
    node.is === 'string' ? node.text : node.is === 'column' && node.table === null ? node.name : null;
  if (name === null) throw sqlError(`${signature} takes a unit by its name, as 'day'`, node.place);
  const unit = unitNamed(name);
  if (unit !== null) return unit;
  const near = suggestion(name, UNIT_NAMES);
  throw sqlError(`there is no unit ${quoted(name)}`, node.place, near === null ? {} : { suggestion: near });
}

/** An argument as the function takes it. Throws 6000 where it is of another type. */
export function argumentAs(
  kind: Exclude<ArgumentKind, 'unit'>,
  bound: Expression,
  signature: string,
  place: Place,
): Expression {
  if (kind === 'value') return bound;
  if (kind === 'words') return asText(bound);
  const fitting = isNull(bound) ? constantOf(TYPE_OF_NULL[kind], null) : readArgument(kind, bound, place);
  if (ACCEPTS[kind](fitting)) return kind === 'float' ? castTo(fitting, FLOAT, place) : fitting;
  const is = bound.op === 'constant' && kind === 'digits' ? '' : `, not ${typeName(bound.type)}`;
  throw sqlError(`${signature} takes ${EXPECTED[kind]} here${is}`, place);
}

type FirmKind = Exclude<ArgumentKind, 'unit' | 'value' | 'words'>;

/** A text constant as the number or date that it writes. */
function readArgument(kind: FirmKind, bound: Expression, place: Place): Expression {
  if (!isTextConstant(bound)) return bound;
  switch (kind) {
    case 'number':
    case 'float':
      return readAs(bound, INTEGER, place);
    case 'integer':
    case 'digits':
      return castTo(bound, INTEGER, place);
    case 'date':
      return readAs(bound, DATETIME, place);
    default:
      return bound;
  }
}

const TYPE_OF_NULL: Readonly<Record<FirmKind, SqlType>> = {
  text: TEXT,
  number: INTEGER,
  float: FLOAT,
  integer: INTEGER,
  digits: INTEGER,
  date: DATETIME,
  condition: { type: 'boolean' },
};

const EXPECTED: Readonly<Record<FirmKind, string>> = {
  text: 'text',
  number: 'a number',
  float: 'a number',
  integer: 'a whole number',
  digits: `a whole number written out, -${DIGITS_MAX} to ${DIGITS_MAX},`,
  date: 'a date or datetime',
  condition: 'a condition',
};

const ACCEPTS: Readonly<Record<FirmKind, (of: Expression) => boolean>> = {
  text: ({ type }) => type.type === 'text',
  number: ({ type }) => isNumber(type),
  float: ({ type }) => isNumber(type),
  integer: ({ type }) => type.type === 'integer',
  digits: (of) => of.op === 'constant' && typeof of.value === 'bigint' && fewDigits(of.type, of.value),
  date: ({ type }) => isDate(type),
  condition: ({ type }) => type.type === 'boolean',
};

function fewDigits({ type }: SqlType, value: bigint): boolean {
  return type === 'integer' && value >= -DIGITS_MAX && value <= DIGITS_MAX;
}
