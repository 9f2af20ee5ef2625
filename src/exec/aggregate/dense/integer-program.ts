/**
 * Integer expressions of stored columns that kernels compute: sums, differences and products of columns and constants,
 * in which no value can exceed the safe integers, as the ranges of the columns tell.
 */
import type { Constant, Expression, SelectPlan } from '../../../ir/index.js';
import type { DimensionShard } from '../../../storage/index.js';
import { type SqlType, scaleOf } from '../../../vector/index.js';
import { attributeOf } from '../groups/slot-aggregates.js';
import { type StoredIntegers, storedIntegers } from './stored-integers.js';

export type IntegerOperator = '+' | '-' | '*';

/** A step of a program, which leaves its result on a stack. */
export type IntegerStep =
  | { readonly step: 'column'; readonly columnId: number }
  | { readonly step: 'constant'; readonly value: bigint }
  /** Replaces the last two results. */
  | { readonly step: 'combine'; readonly operator: IntegerOperator };

/** The steps in order of execution, and the range of the result; `hasMissing`: some row may have none. */
export interface IntegerProgram extends Pick<StoredIntegers, 'min' | 'max' | 'hasMissing'> {
  readonly steps: readonly IntegerStep[];
}

/** The largest number of results that wait on the stack. */
export const PROGRAM_DEPTH_MAX = 8;

/** null if the expression is not of this kind, or could exceed the safe integers in a row that has a value. */
export function integerProgram(
  of: Expression,
  plan: SelectPlan,
  dimension: DimensionShard,
): IntegerProgram | null {
  const program = programOf(of, plan, dimension, 1);
  if (!program?.steps.some(({ step }) => step === 'column')) return null;
  // The last step of a program combines; a cast that keeps the scale only reads a column.
  return program.steps.length > 1 ? program : combined('+', program, constantOf(0n));
}

/** `depth`: the number of results on the stack after the program. */
function programOf(
  of: Expression,
  plan: SelectPlan,
  dimension: DimensionShard,
  depth: number,
): IntegerProgram | null {
  if (depth > PROGRAM_DEPTH_MAX || !isInteger(of.type)) return null;
  switch (of.op) {
    case 'constant':
      return constantProgram(of);
    case 'input': {
      const input = attributeOf(of, plan);
      if (input === null || (input.kind !== 'i64' && input.kind !== 'i32')) return null;
      const { min, max, hasMissing } = storedIntegers(dimension, input.columnId);
      // Without a value, any range will do.
      const range = min > max ? { min: 0, max: 0 } : { min, max };
      return safely({ ...range, hasMissing, steps: [{ step: 'column', columnId: input.columnId }] });
    }
    case 'arithmetic': {
      const { operator } = of;
      if (operator !== '+' && operator !== '-' && operator !== '*') return null;
      const left = programOf(of.left, plan, dimension, depth);
      const right = left && programOf(of.right, plan, dimension, depth + 1);
      return left && right && combined(operator, left, right);
    }
    case 'cast': {
      const places = scaleOf(of.type) - scaleOf(of.of.type);
      const operand = places < 0 ? null : programOf(of.of, plan, dimension, depth);
      const factor = constantOf(10n ** BigInt(Math.max(0, places)));
      return operand === null || places === 0 ? operand : combined('*', operand, factor);
    }
    default:
      return null;
  }
}

/** Dates are integers as well, but casts from and to them are not changes of scale. */
const isInteger = ({ type }: SqlType): boolean => type === 'integer' || type === 'decimal';

function constantProgram({ value }: Constant): IntegerProgram | null {
  return typeof value === 'bigint' ? safely(constantOf(value)) : null;
}

function constantOf(value: bigint): IntegerProgram {
  const number = Number(value);
  return { min: number, max: number, hasMissing: false, steps: [{ step: 'constant', value }] };
}

function combined(
  operator: IntegerOperator,
  left: IntegerProgram,
  right: IntegerProgram,
): IntegerProgram | null {
  const steps: IntegerStep[] = [...left.steps, ...right.steps, { step: 'combine', operator }];
  const hasMissing = left.hasMissing || right.hasMissing;
  const ends = COMBINE[operator](left, right);
  return safely({ min: Math.min(...ends), max: Math.max(...ends), hasMissing, steps });
}

type Range = Pick<IntegerProgram, 'min' | 'max'>;

/** Results of which two are the least and the greatest. */
const COMBINE: Readonly<Record<IntegerOperator, (a: Range, b: Range) => readonly number[]>> = {
  '+': (a, b) => [a.min + b.min, a.max + b.max],
  '-': (a, b) => [a.min - b.max, a.max - b.min],
  '*': (a, b) => [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max],
};

/** Rounding keeps order, so that a range whose rounded ends are safe integers is exact. */
const safely = (program: IntegerProgram): IntegerProgram | null =>
  Number.isSafeInteger(program.min) && Number.isSafeInteger(program.max) ? program : null;
