/** Binds IN: constants form a set of values of the operand's type; other members become comparisons. */
import { BOOLEAN, type Constant, type Expression, FLOAT } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import type { SourcePosition } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf, Scope } from '../scope.js';
import { constantOf, isNull, isTextConstant, junctionOf } from './build.js';
import { castTo, commonType, readAs, unify } from './coerce.js';
import { compared, digitsBeside } from './compare.js';
import { exactBeside, exactly, stepBetween } from './convert.js';
import { isInterval } from './interval-arithmetic.js';
import { comparableTogether } from './text-case.js';

export function bindIn(node: NodeOf<'in'>, binder: Binder): Expression {
  const { negated, position } = node;
  const of = binder.value(node.of);
  const constants: Constant[] = [];
  const others: Expression[] = [];
  for (const value of node.values) {
    const bound = digitsBeside(value, binder.value(value), of);
    if (bound.op === 'constant') constants.push(bound);
    else others.push(bound);
  }
  if (isNull(of)) return constantOf(BOOLEAN, null);
  // Intervals of different months and days can be equal.
  if (isInterval(of)) others.push(...constants.splice(0));
  const members = others.map((other) => compared(negated ? '<>' : '=', of, other, position, binder.scope));
  if (constants.length > 0) members.unshift(inConstants(of, constants, negated, position, binder.scope));
  return junctionOf(negated ? 'and' : 'or', members);
}

function inConstants(
  of: Expression,
  constants: readonly Constant[],
  negated: boolean,
  position: SourcePosition,
  scope: Scope,
): Expression {
  if (of.op === 'constant') {
    const [first, ...rest] = unify([of, ...constants], position).members;
    return inValues(first, rest, negated, scope);
  }
  const read = constants.map((constant) =>
    exactBeside(isTextConstant(constant) ? readAs(constant, of.type, position) : constant, of.type),
  );
  const type = typeOfSet(of, read, position);
  const operand = castTo(of, type, position);
  // A constant with finer steps than the operand equals none of its values.
  const values = read
    .map((constant) => (isFiner(constant, type) ? exactly(constant, type) : castTo(constant, type, position)))
    .filter((value) => value !== null);
  return inValues(operand, values, negated, scope);
}

function isFiner(constant: Constant, type: SqlType): boolean {
  return stepBetween(constant.type, type) !== null;
}

/** The operand's type, unless a constant is a float or has an incompatible type. */
function typeOfSet(of: Expression, constants: readonly Constant[], position: SourcePosition): SqlType {
  for (const constant of constants) {
    if (isNull(constant) || isFiner(constant, of.type)) continue;
    if (commonType(of, constant, position).type === 'float') return FLOAT;
  }
  return of.type;
}

function inValues(
  of: Expression,
  constants: readonly Expression[],
  negated: boolean,
  scope: Scope,
): Expression {
  const [subject, ...known] = comparableTogether([of, ...constants], scope);
  return {
    op: 'in',
    type: BOOLEAN,
    of: subject,
    values: known.map((constant) => (constant as Constant).value),
    negated,
  };
}
