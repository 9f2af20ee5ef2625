/**
 * Binds arithmetic. Exact numbers stay exact; / and any operation with a float yield floats. Adding to a date adds days.
 * || concatenates texts, and so does + if both operands are texts.
 */
import { type Expression, FLOAT, INTEGER, TEXT } from '../../../ir/index.js';
import { DIGITS_MAX, MEAN_SCALE, type SqlType, scaleOf } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf } from '../scope.js';
import { callOf, castOf, constantOf, isNull, isTextConstant } from './build.js';
import { castTo, readAs, unify } from './coerce.js';
import { exactly } from './convert.js';
import { elapsed, intervalArithmetic, isInterval, negatedInterval } from './interval-arithmetic.js';
import { isDate, isExactNumber, isNumber, typeName } from './types.js';

type Operator = NodeOf<'arithmetic'>['operator'];
export type NumberOperator = '+' | '-' | '*' | '/' | '%';

/** Operators that are other names of functions. */
const FUNCTIONS: Partial<Readonly<Record<Operator, string>>> = {
  '^': 'power',
  '&': 'bitand',
  '|': 'bitor',
  '#': 'bitxor',
  '<<': 'bitshiftleft',
  '>>': 'bitshiftright',
};

const isOfNumbers = (operator: Operator): operator is NumberOperator => '+-*/%'.includes(operator);

type StrictDivision = 'divide' | 'modulo';

export function bindArithmetic(node: NodeOf<'arithmetic'>, binder: Binder): Expression {
  const { operator, position } = node;
  const name = FUNCTIONS[operator];
  if (name !== undefined) {
    const args = [node.left, node.right];
    return binder.value({ is: 'call', name, args, distinct: false, position, parenthesized: false });
  }
  const left = binder.value(node.left);
  const right = binder.value(node.right);
  const ofIntervals = intervalArithmetic(operator, [left, right], [node.left, node.right], position);
  if (ofIntervals !== null) return ofIntervals;
  if (operator === 'divide' || operator === 'modulo') return divided(operator, left, right, position);
  const texts = left.type.type === 'text' && right.type.type === 'text' && !(isNull(left) && isNull(right));
  const ofPostgres = node.ofPostgres === true;
  if (!isOfNumbers(operator) || (operator === '+' && texts)) return joined(left, right, ofPostgres);
  const dates = isDate(left.type) || isDate(right.type);
  if (dates && (operator === '+' || operator === '-')) return moved(operator, left, right, position);
  if (ofPostgres && isLongProduct(left, right)) return floatProduct(left, right, position);
  return calculated(operator, left, right, position);
}

/** Most decimal places of a product in PostgreSQL's dialect; products with more are floats. */
const PRODUCT_SCALE_MAX = 20;

const isLongProduct = ({ type: a }: Expression, { type: b }: Expression): boolean =>
  isExactNumber(a) && isExactNumber(b) && scaleOf(a) + scaleOf(b) > PRODUCT_SCALE_MAX;

const floatProduct = (left: Expression, right: Expression, position: SourcePosition): Expression =>
  arithmetic('*', FLOAT, castTo(left, FLOAT, position), castTo(right, FLOAT, position));

/** The quotient or remainder of PostgreSQL. The quotient of decimals has MEAN_SCALE or more decimal places. */
export function divided(
  operator: StrictDivision,
  left: Expression,
  right: Expression,
  position: SourcePosition,
): Expression {
  const sign = operator === 'divide' ? '/' : '%';
  const [a, b] = [asNumber(left, sign, position), asNumber(right, sign, position)];
  const isWhole = a.type.type === 'integer' && b.type.type === 'integer';
  if (operator === 'divide' && !isWhole) {
    const isExact = isExactNumber(a.type) && isExactNumber(b.type);
    const scale = Math.max(MEAN_SCALE, scaleOf(a.type), scaleOf(b.type));
    const type: SqlType = isExact ? { type: 'decimal', scale } : FLOAT;
    return callOf('divide', type, [castTo(a, type, position), castTo(b, type, position)]);
  }
  const { type, members } = unify([a, b], position);
  return callOf(operator, type, members);
}

/** Concatenates; nested concatenations become one list. */
function joined(left: Expression, right: Expression, ofPostgres: boolean): Expression {
  const isList = left.op === 'call' && left.name === 'concat-strict';
  const before = isList ? left.args : [asText(left, ofPostgres)];
  return callOf('concat-strict', TEXT, [...before, asText(right, ofPostgres)]);
}

/** Converts to text: numbers by their digits or as PostgreSQL prints them, dates as in answers. */
export function asText(expression: Expression, ofPostgres = false): Expression {
  const { type } = expression.type;
  if (type === 'text') return expression;
  if (ofPostgres && (type === 'decimal' || type === 'float') && !isNull(expression)) {
    return callOf('numeric-text', TEXT, [expression]);
  }
  if (isNull(expression)) return constantOf(TEXT, null);
  return ofPostgres && type === 'datetime' ? datetimeText(expression) : castOf(expression, TEXT);
}

/** A datetime as PostgreSQL prints it: with a blank, and in UTC with +00 if it is an instant. */
function datetimeText(expression: Expression): Expression {
  const { type } = expression;
  const zone = type.type === 'datetime' && type.local === true ? '' : '+00';
  return [
    ['T', ' '],
    ['Z', zone],
  ].reduce<Expression>(
    (text, [what, by]) => callOf('replace', TEXT, [text, constantOf(TEXT, what), constantOf(TEXT, by)]),
    castOf(expression, TEXT),
  );
}

/** A date plus or minus days, the number of days between two dates, or the interval between two datetimes. */
function moved(
  operator: '+' | '-',
  left: Expression,
  right: Expression,
  position: SourcePosition,
): Expression {
  const [a, b] = [readDay(left, right, position), readDay(right, left, position)];
  if (isDate(a.type) && isDate(b.type)) {
    if (operator === '+') throw sqlError('two dates cannot be added', position);
    if (a.type.type === 'datetime' || b.type.type === 'datetime') return elapsed(a, b, position);
    return callOf('date-diff', INTEGER, [b, a], 'day');
  }
  const [date, days] = isDate(a.type) ? [a, b] : [b, a];
  if (!isDate(a.type) && operator === '-')
    throw sqlError('a date cannot be subtracted from a number', position);
  if (days.type.type !== 'integer' && !isNull(days)) {
    throw sqlError(
      `only whole days can be added to a date, not ${typeName(days.type)}; see DATEADD`,
      position,
    );
  }
  const step = castTo(days, INTEGER, position);
  return callOf('date-add', date.type, [operator === '-' ? negated(step) : step, date], 'day');
}

/** Interprets a text operand of date arithmetic as a number of days if it is a number, otherwise as a date. */
function readDay(expression: Expression, other: Expression, position: SourcePosition): Expression {
  if (!isTextConstant(expression)) return expression;
  return exactly(expression, INTEGER) ?? readAs(expression, other.type, position);
}

/** Arithmetic on numbers and on constants that can be read as numbers. Throws 6000 for other operands. */
export function calculated(
  operator: NumberOperator,
  left: Expression,
  right: Expression,
  position: SourcePosition,
): Expression {
  const [a, b] = [asNumber(left, operator, position), asNumber(right, operator, position)];
  if (operator === '/')
    return arithmetic(operator, FLOAT, castTo(a, FLOAT, position), castTo(b, FLOAT, position));
  if (operator === '*' && isExactNumber(a.type) && isExactNumber(b.type)) return multiplied(a, b, position);
  const { type, members } = unify([a, b], position);
  return arithmetic(operator, type, members[0], members[1]);
}

function multiplied(a: Expression, b: Expression, position: SourcePosition): Expression {
  const scale = scaleOf(a.type) + scaleOf(b.type);
  if (scale > DIGITS_MAX) {
    throw sqlError(
      `the product has ${scale} decimal places, more than ${DIGITS_MAX}; CAST to fewer`,
      position,
    );
  }
  const decimal = a.type.type === 'decimal' || b.type.type === 'decimal';
  return arithmetic('*', decimal ? { type: 'decimal', scale } : INTEGER, a, b);
}

function arithmetic(
  operator: NumberOperator,
  type: SqlType,
  left: Expression,
  right: Expression,
): Expression {
  return { op: 'arithmetic', type, operator, left, right };
}

function asNumber(expression: Expression, operator: string, position: SourcePosition): Expression {
  if (isNull(expression)) return isNumber(expression.type) ? expression : constantOf(INTEGER, null);
  if (isTextConstant(expression)) return readAs(expression, INTEGER, position);
  if (isNumber(expression.type)) return expression;
  throw sqlError(`${operator} takes numbers, not ${typeName(expression.type)}`, position);
}

export function bindNegative(node: NodeOf<'negative'>, binder: Binder): Expression {
  const of = binder.value(node.of);
  return isInterval(of) ? negatedInterval(of) : negated(asNumber(of, '-', node.position));
}

/** Negates; a constant stays a constant. */
function negated(of: Expression): Expression {
  if (of.op !== 'constant') return callOf('negate', of.type, [of]);
  const { type, value } = of;
  if (typeof value === 'bigint') return constantOf(type, -value);
  // 0 - value, because -value would turn 0 into -0.
  return typeof value === 'number' ? constantOf(type, 0 - value) : of;
}
