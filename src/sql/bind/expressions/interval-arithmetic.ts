/**
 * Binds intervals and their arithmetic: interval +- interval, interval * number, interval / number, date +- interval, and the difference
 * of two datetimes.
 */
import { type Constant, type DateUnit, type Expression, FLOAT, INTEGER } from '../../../ir/index.js';
import {
  type IntervalParts,
  intervalLength,
  intervalMonths,
  intervalSeconds,
  intervalUnit,
  isIntervalInRange,
  packInterval,
  SECONDS_PER_DAY,
} from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition, Span, SqlNode } from '../../tree.js';
import type { NodeOf } from '../scope.js';
import { callOf, constantOf, DATETIME, INTERVAL, integerOf, isNull, isTextConstant } from './build.js';
import { castTo, readAs } from './coerce.js';
import { unitNamed } from './date-units.js';
import { isDate, isNumber, typeName } from './types.js';

export const isInterval = ({ type }: Expression): boolean => type.type === 'interval';

/** The unit of a span, which the reader has checked. */
const lengthOfUnit = ({ unit }: Span): IntervalParts => intervalUnit(unit) as IntervalParts;

export function bindInterval({ spans, position }: NodeOf<'interval'>): Constant {
  let [months, seconds] = [0, 0];
  for (const span of spans) {
    const unit = lengthOfUnit(span);
    months += span.count * unit.months;
    seconds += span.count * unit.seconds;
  }
  if (!isIntervalInRange(months, seconds))
    throw sqlError('the interval is longer than 10,922 years', position);
  return constantOf(INTERVAL, BigInt(packInterval(months, seconds)));
}

/** The months and seconds of a constant interval; null for any other expression. */
export function intervalParts(of: Expression): IntervalParts | null {
  if (of.op !== 'constant' || !isInterval(of) || typeof of.value !== 'bigint') return null;
  return { months: intervalMonths(of.value), seconds: intervalSeconds(of.value) };
}

/** The length of an interval in seconds with months of 30 days, by which intervals are compared. */
export function lengthOf(interval: Expression): Expression {
  if (interval.op !== 'constant') return callOf('interval-length', INTEGER, [interval]);
  const { value } = interval;
  return constantOf(INTEGER, typeof value === 'bigint' ? BigInt(intervalLength(value)) : null);
}

const ONE = constantOf(FLOAT, 1);

/** The interval times `factor`. */
export const multipliedInterval = (interval: Expression, factor: Expression): Expression =>
  callOf('interval-product', INTERVAL, [interval, factor, ONE]);

/** Negates; a constant stays a constant. */
export function negatedInterval(of: Expression): Expression {
  if (of.op === 'constant') return constantOf(INTERVAL, typeof of.value === 'bigint' ? -of.value : null);
  return multipliedInterval(of, constantOf(FLOAT, -1));
}

/** `nodes`: the operands as they are written. null if neither operand is an interval. */
export function intervalArithmetic(
  operator: string,
  [left, right]: readonly [Expression, Expression],
  nodes: readonly [SqlNode, SqlNode],
  position: SourcePosition,
): Expression | null {
  if (!isInterval(left) && !isInterval(right)) return null;
  if (operator === '*' || operator === '/' || operator === 'divide')
    return scaled(operator, left, right, position);
  if (operator !== '+' && operator !== '-') return null;
  if (
    isInterval(left) &&
    operator === '-' &&
    !isInterval(right) &&
    !isTextConstant(right) &&
    !isNull(right)
  ) {
    throw sqlError(`${typeName(right.type)} cannot be subtracted from an interval`, position);
  }
  const leads = isInterval(left);
  const [interval, other] = leads && !isInterval(right) ? [left, right] : [right, left];
  const written = nodes[leads && !isInterval(right) ? 0 : 1];
  if (isDate(other.type) || (isTextConstant(other) && !readsAsInterval(other, position))) {
    return movedBy(other, interval, written, operator, position);
  }
  return sumOf(operator, castTo(left, INTERVAL, position), castTo(right, INTERVAL, position));
}

function readsAsInterval(text: Constant, position: SourcePosition): boolean {
  try {
    readAs(text, INTERVAL, position);
    return true;
  } catch {
    return false;
  }
}

function sumOf(operator: '+' | '-', left: Expression, right: Expression): Expression {
  return callOf('interval-sum', INTERVAL, [left, operator === '-' ? negatedInterval(right) : right]);
}

function scaled(
  operator: '*' | '/' | 'divide',
  left: Expression,
  right: Expression,
  position: SourcePosition,
): Expression {
  const [interval, number] = isInterval(left) ? [left, right] : [right, left];
  if (operator !== '*' && interval !== left)
    throw sqlError('a number cannot be divided by an interval', position);
  if (!isNumber(number.type) && !isNull(number) && !isTextConstant(number)) {
    const what = `an interval is multiplied or divided by a number, not by ${typeName(number.type)}`;
    throw sqlError(what, position);
  }
  const float = castTo(number, FLOAT, position);
  if (operator === '*') return multipliedInterval(interval, float);
  // x / 0 is missing, except by the rules of PostgreSQL.
  const divisor: Expression =
    operator === 'divide' ? float : { op: 'null-if', type: FLOAT, of: float, equals: constantOf(FLOAT, 0) };
  return callOf('interval-product', INTERVAL, [interval, ONE, divisor]);
}

/**
 * A date plus or minus an interval. A literal is added unit by unit, so that a date stays a date if the units are at least days. Other
 * intervals give a datetime.
 */
function movedBy(
  date: Expression,
  interval: Expression,
  written: SqlNode,
  operator: '+' | '-',
  position: SourcePosition,
): Expression {
  const dated = isTextConstant(date) ? readAs(date, DATETIME, position) : date;
  const spans = written.is === 'interval' ? written.spans : constantSpans(interval);
  if (spans !== null) return addedSpans(dated, spans, operator, position);
  const moved = operator === '-' ? negatedInterval(interval) : interval;
  const datetime = castTo(dated, DATETIME, position);
  return callOf('add-interval', datetime.type, [datetime, moved]);
}

function constantSpans(interval: Expression): readonly Span[] | null {
  const parts = intervalParts(interval);
  if (parts === null) return null;
  const { months, seconds } = parts;
  const ofDays = seconds % SECONDS_PER_DAY === 0;
  return [
    { count: months, unit: 'MONTH' },
    ofDays ? { count: seconds / SECONDS_PER_DAY, unit: 'DAY' } : { count: seconds, unit: 'SECOND' },
  ].filter(({ count }) => count !== 0);
}

function addedSpans(
  date: Expression,
  spans: readonly Span[],
  operator: '+' | '-',
  position: SourcePosition,
): Expression {
  return spans.reduce((moved, span) => {
    const { count, unit } = span;
    const named = unitNamed(unit) as DateUnit;
    const { seconds } = lengthOfUnit(span);
    const ofDay = seconds > 0 && seconds < SECONDS_PER_DAY;
    const base = ofDay ? castTo(moved, DATETIME, position) : moved;
    return callOf('date-add', base.type, [integerOf(operator === '-' ? 0 - count : count), base], named);
  }, date);
}

/** The interval from `earlier` to `later`. */
export function elapsed(later: Expression, earlier: Expression, position: SourcePosition): Expression {
  const instants = [earlier, later].map((date) => castTo(date, DATETIME, position));
  return callOf('interval', INTERVAL, [integerOf(0), callOf('date-diff', INTEGER, instants, 'second')]);
}
