/** Builds nodes of bound expressions. */
import type { SqlType } from '../vector/index.js';
import {
  BOOLEAN,
  type Comparison,
  type Constant,
  type DateUnit,
  type Expression,
  INTEGER,
  type ScalarFunction,
} from './expression.js';

export function constantOf(type: SqlType, value: Constant['value']): Constant {
  return { op: 'constant', type, value };
}

export const integerOf = (value: number): Constant => constantOf(INTEGER, BigInt(value));

export function inputExpression(type: SqlType, input: number): Expression {
  return { op: 'input', type, input };
}

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
