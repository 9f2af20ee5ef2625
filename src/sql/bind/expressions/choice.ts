/** Binds CASE, COALESCE and NULLIF, converting the values to their common type. */
import type { Expression } from '../../../ir/index.js';
import type { SourcePosition } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf, Scope } from '../scope.js';
import { caseOf, compareOf, constantOf, isNull, isTextConstant, NULL } from './build.js';
import { readAs, unify } from './coerce.js';
import { compared, digitsBeside } from './compare.js';
import { exactBeside, exactly, stepBetween } from './convert.js';
import { comparableTogether } from './text-case.js';

export function bindCase(node: NodeOf<'case'>, binder: Binder): Expression {
  const of = node.of === null ? null : binder.value(node.of);
  const whens = node.branches.map(({ when }) => {
    if (of === null) return binder.condition(when);
    const value = digitsBeside(when, binder.value(when), of);
    return compared('=', of, value, when.position, binder.scope);
  });
  const thens = node.branches.map(({ then }) => binder.value(then));
  const otherwise = node.otherwise === null ? NULL : binder.value(node.otherwise);
  return boundChoice(whens, [...thens, otherwise], node.position);
}

/** `values[i]` for the first `whens[i]` that is true, otherwise the last value. */
export function boundChoice(
  whens: readonly Expression[],
  values: readonly Expression[],
  position: SourcePosition,
): Expression {
  const { type, members } = unify(values, position);
  const otherwise = members[whens.length];
  const branches = whens.map((when, index) => [when, members[index]] as const);
  return caseOf(type, branches, isNull(otherwise) ? null : otherwise);
}

export function firstPresent(values: readonly Expression[], position: SourcePosition): Expression {
  const { type, members } = unify(values, position);
  return members.length === 1 ? members[0] : { op: 'coalesce', type, members };
}

/** Keeps the type of `of` if possible: NULLIF(age, 1.5) is an integer, and the two are never equal. */
export function boundNullIf(
  of: Expression,
  equals: Expression,
  position: SourcePosition,
  scope: Scope,
): Expression {
  if (isNull(of) || isNull(equals)) return of;
  if (of.op !== 'constant' && equals.op === 'constant') {
    const read = exactBeside(isTextConstant(equals) ? readAs(equals, of.type, position) : equals, of.type);
    const same = exactly(read, of.type);
    if (same !== null) return nullIfEqual(of, same, scope);
    if (stepBetween(read.type, of.type) !== null) return of;
  }
  const [left, right] = unify([of, equals], position).members;
  return nullIfEqual(left, right, scope);
}

function nullIfEqual(of: Expression, equals: Expression, scope: Scope): Expression {
  const [subject, against] = comparableTogether([of, equals], scope);
  if (subject === of) {
    return { op: 'null-if', type: of.type, of, equals: against };
  }
  // The comparison ignores case, but the result keeps it.
  const when = compareOf('=', subject, against);
  return caseOf(of.type, [[when, constantOf(of.type, null)]], of);
}
