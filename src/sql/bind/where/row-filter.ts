/** Splits WHERE for the plan into a condition of the interface and an expression over the rows. */
import { BOOLEAN, type Condition, type EventTest, type Expression, intersect } from '../../../ir/index.js';
import type { Dimension } from '../../../schema/index.js';
import { constantOf, junctionOf } from '../expressions/build.js';
import { keyOf } from '../expressions/expression-tree.js';
import {
  ALWAYS,
  expressionOf,
  joinConditions,
  type Predicate,
  type PredicateForms,
  splitPredicates,
} from './predicate.js';

export interface RowFilter {
  /** null = all entities. */
  readonly condition: Condition | null;
  readonly filter: Expression | null;
}

/**
 * `beside` are further conditions that must hold. If rows are events (`rowEvents`), no condition is needed for entities to have
 * one. If `dimension` is null there is no FROM, and everything becomes an expression.
 */
export function rowFilter(
  predicates: readonly Predicate[],
  beside: readonly Condition[],
  rowEvents: EventTest | null,
  dimension: Dimension | null,
  forms: PredicateForms,
): RowFilter {
  if (dimension === null) {
    return { condition: null, filter: allOf(predicates.map((member) => expressionOf(member, false, forms))) };
  }
  const { conditions, rest } = splitPredicates(predicates);
  const implied = rowEvents === null ? null : keyOf(rowEvents);
  const required = [...conditions, ...beside].filter(
    (condition) => condition.op !== 'event' || condition.minfreq !== 1 || keyOf(condition.event) !== implied,
  );
  const condition = joinConditions('and', mergeRanges(required, dimension));
  const filter = allOf(rest.map(({ predicate, negated }) => expressionOf(predicate, negated, forms)));
  return { condition: condition === ALWAYS ? null : condition, filter };
}

/** Joins members by AND, without members that are always true; null if none is left. */
function allOf(members: readonly Expression[]): Expression | null {
  const effective = members.filter((member) => member.op !== 'constant' || member.value !== true);
  if (effective.length === 0) return null;
  const never = effective.some((member) => member.op === 'constant');
  return never ? constantOf(BOOLEAN, false) : junctionOf('and', effective);
}

/** Merges range conditions on the same latest-value column, so that the column is scanned once. */
function mergeRanges(conditions: readonly Condition[], { columns }: Dimension): readonly Condition[] {
  const lists = new Set(
    [...columns.values()].filter(({ storage }) => storage !== 'latest-value').map(({ id }) => id),
  );
  const merged: Condition[] = [];
  const positions = new Map<number, number>();
  for (const condition of conditions) {
    const position = condition.op === 'attribute' ? positions.get(condition.columnId) : undefined;
    const both = position === undefined ? null : bothRanges(merged[position], condition);
    if (position !== undefined && both !== null) {
      merged[position] = both;
      continue;
    }
    if (isRange(condition) && !lists.has(condition.columnId))
      positions.set(condition.columnId, merged.length);
    merged.push(condition);
  }
  return merged;
}

type Attribute = Extract<Condition, { readonly op: 'attribute' }>;

function isRange(condition: Condition): condition is Attribute {
  if (condition.op !== 'attribute' || condition.tests.length !== 1) return false;
  const [test] = condition.tests;
  return test.kind === 'ranges' && !test.negated;
}

function bothRanges(a: Condition, b: Condition): Condition | null {
  if (!isRange(a) || !isRange(b)) return null;
  const [[one], [other]] = [a.tests, b.tests];
  if (one.kind !== 'ranges' || other.kind !== 'ranges') return null;
  return { ...a, tests: [{ ...one, ranges: intersect(one.ranges, other.ranges) }] };
}
