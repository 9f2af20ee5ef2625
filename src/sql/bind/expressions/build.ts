/** Builds nodes of bound expressions. */
import {
  BOOLEAN,
  type Comparison,
  type Constant,
  type DateUnit,
  type Expression,
  INTEGER,
  type ScalarFunction,
  TEXT,
} from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';

export const DATE: SqlType = { type: 'date' };
export const DATETIME: SqlType = { type: 'datetime' };

export function constantOf(type: SqlType, value: Constant['value']): Constant {
  return { op: 'constant', type, value };
}

/** The literal NULL; it takes the type of the other operand. */
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

/** Joins members by AND or OR; a single member is returned as it is. */
export function junctionOf(op: 'and' | 'or', members: readonly Expression[]): Expression {
  return members.length === 1 ? members[0] : { op, type: BOOLEAN, members };
}

/** Builds a cast. It may fail at run time unless `lenient` or unless the type holds all values of the operand's type. */
export function castOf(of: Expression, type: SqlType, lenient = false): Expression {
  return { op: 'cast', type, of, lenient };
}

/** Builds a CASE from pairs of condition and value. */
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
