/** Binds CAST and TRY_CAST. Constants are converted immediately unless that would round a float. */
import { quoted } from '../../../base/index.js';
import { type Constant, type Expression, INTEGER, TEXT } from '../../../ir/index.js';
import { DIGITS_MAX, type SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf } from '../scope.js';
import { suggestion } from '../suggest.js';
import { asText } from './arithmetic.js';
import {
  callOf,
  castOf,
  compareOf,
  constantOf,
  integerOf,
  isNull,
  isTextConstant,
  JSON_TYPE,
  junctionOf,
} from './build.js';
import { exactly, fitsDigits, floorDivide, stepBetween } from './convert.js';
import { readBeside, readNumber } from './literals.js';
import { castToTime, isTime } from './time-cast.js';
import { CAST_TYPE_NAMES, castTarget, isDate, isExactNumber, isNumber, sameType, typeName } from './types.js';

export function bindCast(node: NodeOf<'cast'>, binder: Binder): Expression {
  if (isTime(node.typeName)) return castToTime(binder.value(node.of), node.lenient, node.position);
  const type = targetOf(node);
  const { lenient, precision, position } = node;
  const bound = binder.bind(node.of);
  if (type.type === 'json') return asJson(bound, lenient, position);
  if (type.type === 'text' && isPlainJson(bound.type) && !isPoint(bound, binder)) return castOf(bound, type);
  const operand = bound.type.type === 'json' ? binder.value(node.of) : bound;
  const of = type.type === 'text' && node.limitsDigits === true ? asText(operand, true) : operand;
  if (type.type === 'text' && precision !== null) {
    const whole = explicitCast(of, type, lenient, position);
    return isNull(whole) ? whole : callOf('left', TEXT, [whole, integerOf(precision)]);
  }
  if (node.limitsDigits !== true) return explicitCast(of, type, lenient, position);
  if (type.type === 'integer') return inRange(explicitCast(of, type, lenient, position), node.typeName);
  if (type.type !== 'decimal') return explicitCast(of, type, lenient, position);
  if (precision === null) return asNumeric(of, lenient, position);
  const cast = explicitCast(of, type, lenient, position);
  return isNull(cast) ? cast : callOf('limit-digits', type, [cast, integerOf(precision)]);
}

/** PostgreSQL's integer types of less than 64 bits. */
const RANGES: Readonly<Record<string, readonly [name: string, limit: number]>> = {
  ...{ int: ['integer', 2 ** 31], integer: ['integer', 2 ** 31], int4: ['integer', 2 ** 31] },
  ...{ smallint: ['smallint', 2 ** 15], int2: ['smallint', 2 ** 15] },
};

/** The integer, which must be in the range of the type. Throws 6000 for a constant that is not. */
function inRange(of: Expression, type: string): Expression {
  const range = RANGES[type.toLowerCase()];
  if (range === undefined || isNull(of) || isDatePart(of)) return of;
  const [name, limit] = range;
  if (of.op === 'constant' && Number(of.value) >= -limit && Number(of.value) < limit) return of;
  const above = compareOf('>=', of, integerOf(-limit));
  const below = compareOf('<', of, integerOf(limit));
  const message = constantOf(TEXT, `${name} out of range`);
  return callOf('checked', INTEGER, [of, junctionOf('and', [above, below]), message]);
}

const isDatePart = (of: Expression): boolean =>
  of.op === 'call' && of.name === 'date-part' && of.unit !== 'epoch';

/** JSON that is not a list, whose text in PostgreSQL is another. */
const isPlainJson = (type: SqlType): boolean => type.type === 'json' && type.items === undefined;

const isPoint = (of: Expression, { scope }: Binder): boolean =>
  of.op === 'input' && scope.traits(of.input).points;

function asJson(of: Expression, lenient: boolean, position: SourcePosition): Expression {
  if (of.type.type === 'json') return isPlainJson(of.type) ? of : castOf(castOf(of, TEXT), JSON_TYPE);
  if (of.type.type === 'text') return castOf(of, JSON_TYPE, lenient);
  throw sqlError(`${typeName(of.type)} cannot be CAST as json; use TO_JSON`, position);
}

/** Fractional digits of a text that is cast to NUMERIC. */
const TEXT_SCALE = 15;

/** PostgreSQL's NUMERIC without digits. A float stays a float, because a decimal has the same scale in all rows. */
function asNumeric(of: Expression, lenient: boolean, position: SourcePosition): Expression {
  if (of.type.type === 'float' || of.type.type === 'decimal') return of;
  if (isTextConstant(of)) {
    const read = readBeside(String(of.value), { type: 'decimal', scale: 0 });
    if (read !== null) return asNumeric(read, lenient, position);
  }
  const scale = of.type.type === 'text' ? TEXT_SCALE : 0;
  return explicitCast(of, { type: 'decimal', scale }, lenient, position);
}

function targetOf({ typeName: name, precision, scale, position }: NodeOf<'cast'>): SqlType {
  const type = castTarget(name, precision, scale);
  if (type !== null) return type;
  if (CAST_TYPE_NAMES.includes(name.toLowerCase())) {
    const bound = `precision 1 to ${DIGITS_MAX}, scale 0 to the precision`;
    throw sqlError(`a decimal has digits (precision, scale): ${bound}`, position);
  }
  const near = suggestion(name, CAST_TYPE_NAMES);
  throw sqlError(`there is no type ${quoted(name)}`, position, near === null ? {} : { suggestion: near });
}

/** Casts to `type`. A constant that cannot be converted throws 6000, or is missing with `lenient`. */
export function explicitCast(
  of: Expression,
  type: SqlType,
  lenient: boolean,
  position: SourcePosition,
): Expression {
  if (sameType(of.type, type)) return of;
  if (isNull(of)) return constantOf(type, null);
  if (isTextConstant(of)) return textAs(of, type, lenient, position);
  if (!convertible(of.type, type)) {
    throw sqlError(`${typeName(of.type)} cannot be CAST as ${typeName(type)}`, position);
  }
  if (of.op === 'constant') return constantAs(of, type, lenient);
  return castExpression(of, type, lenient);
}

function textAs(of: Constant, type: SqlType, lenient: boolean, position: SourcePosition): Expression {
  const text = String(of.value);
  const read = readBeside(text, type);
  // 1e3 as an integer, or more digits than constants support: converted during evaluation, like the texts of a column.
  const rounded = isExactNumber(type) && (read === null ? isLongNumber(text) : !isExactNumber(read.type));
  if (rounded) return castOf(of, type, lenient);
  if (read !== null) return explicitCast(read, type, lenient, position);
  if (lenient) return constantOf(type, null);
  throw sqlError(`${quoted(text)} cannot be read as ${typeName(type)}`, position);
}

const isLongNumber = (text: string): boolean => readNumber(text.trim()) === 'too many digits';

/** Text converts to and from every type; numbers and booleans, and date types, convert among each other. */
function convertible(from: SqlType, to: SqlType): boolean {
  if (from.type === 'text' || to.type === 'text') return from.type !== 'json';
  if (from.type === 'interval' || to.type === 'interval') return false;
  if (isDate(from) || isDate(to)) return isDate(from) && isDate(to);
  const counts = (type: SqlType): boolean => isNumber(type) || type.type === 'boolean';
  return counts(from) && counts(to);
}

function constantAs(of: Constant, type: SqlType, lenient: boolean): Expression {
  const exact = exactly(of, type);
  if (exact !== null) return exact;
  const step = stepBetween(of.type, type);
  if (step === null || typeof of.value !== 'bigint') return castExpression(of, type, lenient);
  const { floor } = floorDivide(of.value, step);
  if (isDate(type)) return constantOf(type, floor);
  const rounded = roundedHalfAway(of.value, step);
  return fitsDigits(rounded) ? constantOf(type, rounded) : castExpression(of, type, lenient);
}

function roundedHalfAway(value: bigint, step: bigint): bigint {
  const magnitude = value < 0n ? -value : value;
  const rounded = (2n * magnitude + step) / (2n * step);
  return value < 0n ? -rounded : rounded;
}

/** Booleans convert to the integers 1 and 0; every number except 0 converts to true. */
function castExpression(of: Expression, type: SqlType, lenient: boolean): Expression {
  if (type.type === 'boolean' && isNumber(of.type)) {
    return compareOf('<>', of, of.type.type === 'float' ? constantOf(of.type, 0) : constantOf(of.type, 0n));
  }
  if (of.type.type === 'boolean' && isNumber(type) && type.type !== 'integer') {
    return castOf(castOf(of, INTEGER), type, lenient);
  }
  return castOf(of, type, lenient);
}
