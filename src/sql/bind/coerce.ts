/**
 * The type that operands have in common, and the way there. Constants are converted at once: NULL takes any type, a text
 * is read as what stands beside it; beyond these text stays text. Integers become decimals or floats, decimals floats or
 * decimals of more places, dates datetimes (their midnight). Nothing else is converted without a CAST.
 */
import { quoted } from '../../base/index.js';
import { BOOLEAN, type Constant, type Expression, FLOAT, TEXT } from '../../ir/index.js';
import { DIGITS_MAX, type SqlType } from '../../vector/index.js';
import { sqlError } from '../sql-error.js';
import type { Place } from '../tree.js';
import { castOf, DATETIME, isNull, isTextConstant } from './build.js';
import { exactly } from './convert.js';
import { readBeside } from './literals.js';
import { isDate, isExactNumber, isNumber, sameType, scaleOf, typeName } from './types.js';

/** The type to which both can be brought without a CAST. Throws 6000 where there is none. */
export function commonType(a: Expression, b: Expression, place: Place): SqlType {
  return commonTypeOf([a, b], place);
}

/** The same of any number of operands, of one at least. */
export function commonTypeOf(members: readonly Expression[], place: Place): SqlType {
  const firm = members.filter((member) => !isNull(member) && !isTextConstant(member));
  const truths = firm.some((member) => member.type.type === 'boolean');
  let type: SqlType | null = null;
  for (const member of firm) {
    if (truths && isZeroOrOne(member)) continue;
    type = type === null ? member.type : together(type, member.type, place);
  }
  if (type === null) return typeOfConstants(members);
  for (const member of members) {
    if (isTextConstant(member)) type = together(type, readAs(member, type, place).type, place);
  }
  return type;
}

/** NULLs and texts only. */
function typeOfConstants(members: readonly Expression[]): SqlType {
  if (members.some(isTextConstant)) return TEXT;
  return members.find(({ type }) => type.type !== 'text')?.type ?? TEXT;
}

/** What may stand for a truth value beside others. */
function isZeroOrOne(member: Expression): boolean {
  return member.op === 'constant' && exactly(member, BOOLEAN) !== null && member.type.type === 'integer';
}

function together(a: SqlType, b: SqlType, place: Place): SqlType {
  if (sameType(a, b)) return a;
  if (isNumber(a) && isNumber(b)) {
    if (!isExactNumber(a) || !isExactNumber(b)) return FLOAT;
    return { type: 'decimal', scale: Math.max(scaleOf(a), scaleOf(b)) };
  }
  if (isDate(a) && isDate(b)) return DATETIME;
  throw mixed(a, b, place);
}

/** What a text constant says beside a value of `type`. Throws 6000 where it says nothing of the kind. */
export function readAs(constant: Constant, type: SqlType, place: Place): Constant {
  const text = String(constant.value);
  const read = readBeside(text, type);
  if (read === null) throw sqlError(`${quoted(text)} cannot be read as ${typeName(type)}`, place);
  return read;
}

/** `expression` as `type`; a constant at once. Throws 6000 where that takes a CAST, or the constant cannot be read. */
export function castTo(expression: Expression, type: SqlType, place: Place): Expression {
  if (sameType(expression.type, type)) return expression;
  if (expression.op === 'constant') return constantTo(expression, type, place);
  const from = expression.type;
  const widens = isExactNumber(from) && isExactNumber(type) && scaleOf(type) >= scaleOf(from);
  const becomes = type.type === 'float' ? isExactNumber(from) : type.type === 'datetime' && isDate(from);
  if ((widens && type.type === 'decimal') || becomes) return castOf(expression, type);
  throw mixed(from, type, place);
}

function constantTo(constant: Constant, type: SqlType, place: Place): Constant {
  const converted = exactly(constant, type);
  if (converted !== null) return converted;
  if (isTextConstant(constant)) {
    const read = readAs(constant, type, place);
    return read.type.type === 'text' ? read : constantTo(read, type, place);
  }
  const { value } = constant;
  if (typeof value === 'bigint' && isExactNumber(constant.type) && isExactNumber(type)) {
    const tooMany = scaleOf(type) > scaleOf(constant.type);
    const why = tooMany ? `has more than ${DIGITS_MAX} digits` : 'loses digits';
    throw sqlError(`the number ${why} as ${typeName(type)}`, place);
  }
  throw mixed(constant.type, type, place);
}

/** All of them as the type that they have in common. */
export function unify(
  members: readonly Expression[],
  place: Place,
): { readonly type: SqlType; readonly members: readonly Expression[] } {
  const type = commonTypeOf(members, place);
  return { type, members: members.map((member) => castTo(member, type, place)) };
}

function mixed(a: SqlType, b: SqlType, place: Place): Error {
  const [left, right] = [typeName(a), typeName(b)];
  return sqlError(`${left} and ${right} do not go together; CAST one of them as the other's type`, place);
}
