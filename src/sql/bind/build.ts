/** Nodes of bound expressions, put together. */
import {
  BOOLEAN,
  type Comparison,
  type Constant,
  type DateUnit,
  type Expression,
  INTEGER,
  type ScalarFunction,
  TEXT,
} from '../../ir/index.js';
import type { SqlType } from '../../vector/index.js';

export const DATE: SqlType = { type: 'date' };
export const DATETIME: SqlType = { type: 'datetime' };

export function constantOf(type: SqlType, value: Constant['value']): Constant {
  return { op: 'constant', type, value };
}

/** NULL as it is written; it takes the type of whatever it meets. */
export const NULL = constantOf(TEXT, null);

export const integerOf = (value: number): Constant => constantOf(INTEGER, BigInt(value));

export const isNull = (expression: Expression): boolean =>
  expression.op === 'constant' && expression.value === null;

export const isTextConstant = (expression: Expression): expression is Constant & { readonly value: string } =>
  expression.op === 'constant' && expression.type.type === 'text' && expression.value !== null;

export function callOf(
  name: ScalarFunction,
  type: SqlType,
  args: readonly Expression[],
  unit: DateUnit | null = null,
): Expression {
  return { op: 'call', type, name, args, unit };
}

export function compareOf(comparison: Comparison, left: Expression, right: Expression): Expression {
  return { op: 'compare', type: BOOLEAN, comparison, left, right };
}

/** A list of one member is that member. */
export function junctionOf(op: 'and' | 'or', members: readonly Expression[]): Expression {
  return members.length === 1 ? members[0] : { op, type: BOOLEAN, members };
}

/** A cast that cannot fail on a value of its operand's type, or one that may refuse it. */
export function castOf(of: Expression, type: SqlType, lenient = false): Expression {
  return { op: 'cast', type, of, lenient };
}

/** Branches as pairs of condition and value. */
export function caseOf(
  type: SqlType,
  branches: readonly (readonly [when: Expression, then: Expression])[],
  otherwise: Expression | null,
): Expression {
  return {
    op: 'case',
    type,
    branches: branches.map(([when, then]) => ({ when, then })),
    otherwise,
  };
}
