/**
 * Determines the common type of operands and converts them to it. Constants are converted immediately: NULL takes any type, a
 * text constant is read as the type of the other operand. Integers convert to decimals and floats, decimals to floats and to
 * decimals of greater scale, dates to datetimes (their midnight). All other conversions need a CAST.
 */
import { quoted } from '../../../base/index.js';
import { BOOLEAN, type Constant, type Expression, FLOAT, TEXT } from '../../../ir/index.js';
import { DIGITS_MAX, type SqlType, scaleOf } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { castOf, DATETIME, isNull, isTextConstant } from './build.js';
import { exactly } from './convert.js';
import { readBeside } from './literals.js';
import { isDate, isExactNumber, isNumber, sameType, typeName } from './types.js';

/** The type to which both convert without a CAST. Throws 6000 if there is none. */
export function commonType(a: Expression, b: Expression, position: SourcePosition): SqlType {
  return commonTypeOf([a, b], position);
}

/** The common type of one or more operands. */
export function commonTypeOf(members: readonly Expression[], position: SourcePosition): SqlType {
  const firm = members.filter((member) => !isNull(member) && !isTextConstant(member));
  const truths = firm.some((member) => member.type.type === 'boolean');
  let type: SqlType | null = null;
  for (const member of firm) {
    if (truths && isZeroOrOne(member)) continue;
    type = type === null ? member.type : together(type, member.type, position);
  }
  if (type === null) return typeOfConstants(members);
  for (const member of members) {
    if (isTextConstant(member)) type = together(type, readAs(member, type, position).type, position);
  }
  return type;
}

/** The type of a list of NULLs and text constants. */
function typeOfConstants(members: readonly Expression[]): SqlType {
  if (members.some(isTextConstant)) return TEXT;
  return members.find(({ type }) => type.type !== 'text')?.type ?? TEXT;
}

/** Whether a constant 0 or 1 can be used as a boolean next to other booleans. */
function isZeroOrOne(member: Expression): boolean {
  return member.op === 'constant' && exactly(member, BOOLEAN) !== null && member.type.type === 'integer';
}

function together(a: SqlType, b: SqlType, position: SourcePosition): SqlType {
  if (sameType(a, b)) return a;
  if (isNumber(a) && isNumber(b)) {
    if (!isExactNumber(a) || !isExactNumber(b)) return FLOAT;
    return { type: 'decimal', scale: Math.max(scaleOf(a), scaleOf(b)) };
  }
  if (isDate(a) && isDate(b)) return DATETIME;
  throw mixed(a, b, position);
}

/** Reads a text constant as `type`. Throws 6000 if that is not possible. */
export function readAs(constant: Constant, type: SqlType, position: SourcePosition): Constant {
  const text = String(constant.value);
  const read = readBeside(text, type);
  if (read === null) throw sqlError(`${quoted(text)} cannot be read as ${typeName(type)}`, position);
  return read;
}

/** Converts `expression` to `type`, constants immediately. Throws 6000 if a CAST is needed or the constant cannot be read. */
export function castTo(expression: Expression, type: SqlType, position: SourcePosition): Expression {
  if (sameType(expression.type, type)) return expression;
  if (expression.op === 'constant') return constantTo(expression, type, position);
  const from = expression.type;
  const widens = isExactNumber(from) && isExactNumber(type) && scaleOf(type) >= scaleOf(from);
  const becomes = type.type === 'float' ? isExactNumber(from) : type.type === 'datetime' && isDate(from);
  if ((widens && type.type === 'decimal') || becomes) return castOf(expression, type);
  throw mixed(from, type, position);
}

function constantTo(constant: Constant, type: SqlType, position: SourcePosition): Constant {
  const converted = exactly(constant, type);
  if (converted !== null) return converted;
  if (isTextConstant(constant)) {
    const read = readAs(constant, type, position);
    return read.type.type === 'text' ? read : constantTo(read, type, position);
  }
  const { value } = constant;
  if (typeof value === 'bigint' && isExactNumber(constant.type) && isExactNumber(type)) {
    const tooMany = scaleOf(type) > scaleOf(constant.type);
    const why = tooMany ? `has more than ${DIGITS_MAX} digits` : 'loses digits';
    throw sqlError(`the number ${why} as ${typeName(type)}`, position);
  }
  throw mixed(constant.type, type, position);
}

/** Converts all members to their common type. */
export function unify(
  members: readonly Expression[],
  position: SourcePosition,
): { readonly type: SqlType; readonly members: readonly Expression[] } {
  const type = commonTypeOf(members, position);
  return { type, members: members.map((member) => castTo(member, type, position)) };
}

function mixed(a: SqlType, b: SqlType, position: SourcePosition): Error {
  const [left, right] = [typeName(a), typeName(b)];
  return sqlError(`${left} and ${right} have no common type; CAST one of them to the other's type`, position);
}
