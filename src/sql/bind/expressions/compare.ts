/**
 * Binds comparisons exactly, whatever the types: age > 1.5 compares integers (age > 1), admission = '2017-07-17T10:00'
 * compares days, so that the column is not converted and no digit is lost.
 */
import {
  BOOLEAN,
  type Comparison,
  type Constant,
  type Expression,
  FLIPPED,
  TEXT,
} from '../../../ir/index.js';
import type { SourcePosition, SqlNode } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf, Scope } from '../scope.js';
import { compareOf, constantOf, INTERVAL, isNull, isTextConstant, junctionOf } from './build.js';
import { castTo, readAs, unify } from './coerce.js';
import { exactBeside, floorDivide, stepBetween } from './convert.js';
import { isInterval, lengthOf } from './interval-arithmetic.js';
import { comparableTogether } from './text-case.js';

/** Binds a comparison, with a constant operand moved to the right side. */
export function bindCompare(node: NodeOf<'compare'>, binder: Binder): Expression {
  const { comparison, position } = node;
  const left = binder.value(node.left);
  const right = binder.value(node.right);
  if (comparison !== '=' && comparison !== '<>')
    return compared(comparison, left, right, position, binder.scope);
  return compared(
    comparison,
    digitsBeside(node.left, left, right),
    digitsBeside(node.right, right, left),
    position,
    binder.scope,
  );
}

/** Converts an unquoted whole number to text if the other operand is text, such as an entity ID. */
export function digitsBeside(node: SqlNode, bound: Expression, other: Expression): Expression {
  const digits = node.is === 'number' && /^\d+$/.test(node.text);
  const meant = other.type.type === 'text' && other.op !== 'constant';
  return digits && meant ? constantOf(TEXT, node.text) : bound;
}

export function compared(
  comparison: Comparison,
  left: Expression,
  right: Expression,
  position: SourcePosition,
  scope: Scope,
): Expression {
  if (isNull(left) || isNull(right)) return constantOf(BOOLEAN, null);
  if (isInterval(left) || isInterval(right)) {
    const [a, b] = [left, right].map((side) => lengthOf(castTo(side, INTERVAL, position)));
    return compared(comparison, a, b, position, scope);
  }
  if (left.op === 'constant' && right.op !== 'constant') {
    return compared(FLIPPED[comparison], right, left, position, scope);
  }
  if (left.op !== 'constant' && right.op === 'constant') {
    const read = isTextConstant(right) ? readAs(right, left.type, position) : right;
    const constant = exactBeside(read, left.type);
    const stepped = comparedInSteps(comparison, left, constant);
    return stepped ?? comparedAlike(comparison, left, constant, position, scope);
  }
  return comparedAlike(comparison, left, right, position, scope);
}

/** Compares both sides in their common type. */
function comparedAlike(
  comparison: Comparison,
  left: Expression,
  right: Expression,
  position: SourcePosition,
  scope: Scope,
): Expression {
  const [a, b] = unify([left, right], position).members;
  return compareOf(comparison, ...comparableTogether([a, b], scope));
}

/** Compares an operand that has coarser steps than the constant; null if the steps are not coarser. */
function comparedInSteps(
  comparison: Comparison,
  of: Expression,
  { type, value }: Constant,
): Expression | null {
  const step = stepBetween(type, of.type);
  if (step === null || typeof value !== 'bigint') return null;
  const { floor, exact } = floorDivide(value, step);
  const bound = constantOf(of.type, floor);
  if (exact) return compareOf(comparison, of, bound);
  switch (comparison) {
    case '<':
    case '<=':
      return compareOf('<=', of, bound);
    case '>':
    case '>=':
      return compareOf('>', of, bound);
    default:
      return noneOf(of, comparison === '<>');
  }
}

/** A comparison that never holds: false (`negated`: true), and missing where `of` is missing. */
export function noneOf(of: Expression, negated: boolean): Expression {
  return { op: 'in', type: BOOLEAN, of, values: [], negated };
}

/** Both ends are included, and each is compared separately. */
export function bindBetween(node: NodeOf<'between'>, binder: Binder): Expression {
  const { negated, position } = node;
  const of = binder.value(node.of);
  const low = compared(negated ? '<' : '>=', of, binder.value(node.low), position, binder.scope);
  const high = compared(negated ? '>' : '<=', of, binder.value(node.high), position, binder.scope);
  return junctionOf(negated ? 'or' : 'and', [low, high]);
}
