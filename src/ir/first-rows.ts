/** Filters that let only the first rows of each partition of a window pass. */
import type { Expression } from './expression.js';
import type { RelationOf } from './relation.js';

/**
 * The greatest row number or rank that passes a filter over a window whose only function is ROW_NUMBER or RANK; null = the filter
 * has another form. A row with at least this many rows of its partition before it never passes.
 */
export function firstRowsOf({ condition, input }: RelationOf<'filter'>): number | null {
  if (input.op !== 'window' || input.functions.length !== 1) return null;
  const [{ function: name, column }] = input.functions;
  if (name !== 'row-number' && name !== 'rank') return null;
  const members = condition.op === 'and' ? condition.members : [condition];
  const limit = Math.min(...members.map((member) => upperBound(member, column)));
  return Number.isSafeInteger(limit) ? Math.max(0, limit) : null;
}

/** The greatest integer that the column may be for the condition to be true; infinite = it is not bounded. */
function upperBound(condition: Expression, column: number): number {
  if (condition.op !== 'compare') return Number.POSITIVE_INFINITY;
  const { comparison, left, right } = condition;
  if (left.op !== 'input' || left.input !== column || right.op !== 'constant') {
    return Number.POSITIVE_INFINITY;
  }
  if (right.type.type !== 'integer' || typeof right.value !== 'bigint') return Number.POSITIVE_INFINITY;
  if (comparison === '<') return Number(right.value) - 1;
  return comparison === '<=' || comparison === '=' ? Number(right.value) : Number.POSITIVE_INFINITY;
}
