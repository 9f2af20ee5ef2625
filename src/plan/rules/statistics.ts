/** Statistics of the stored data that rules use. */
import { type Condition, childrenOf, type Expression, type SelectPlan } from '../../ir/index.js';

export interface Statistics {
  /** The number of entities of a dimension. */
  rows(dimensionId: number): number;
  /** The number of distinct values of a column in which values repeat; null = unique, or not known. */
  distinctValues(dimensionId: number, columnId: number): number | null;
}

/** For tests and plans whose data is not known. */
export const NO_STATISTICS: Statistics = { rows: () => 1_000, distinctValues: () => null };

/** The usual rules of thumb, since Selinger et al., "Access Path Selection", 1979. */
const EQUAL = 0.1;
const RANGE = 1 / 3;
const LIKE = 0.1;
const OTHER = 1 / 3;
const MISSING = 0.1;

/** The estimated fraction of rows for which a condition is true. */
export function fractionOf(condition: Expression | null): number {
  if (condition === null) return 1;
  switch (condition.op) {
    case 'constant':
      return condition.value === true ? 1 : 0;
    case 'and':
      return condition.members.reduce((fraction, member) => fraction * fractionOf(member), 1);
    case 'or':
      return 1 - condition.members.reduce((rest, member) => rest * (1 - fractionOf(member)), 1);
    case 'not':
      return 1 - fractionOf(condition.member);
    case 'compare':
      return condition.comparison === '=' ? EQUAL : condition.comparison === '<>' ? 1 - EQUAL : RANGE;
    case 'in':
      return negatedFraction(Math.min(0.5, EQUAL * condition.values.length), condition.negated);
    case 'like':
      return negatedFraction(LIKE, condition.negated);
    case 'is-null':
      return negatedFraction(MISSING, condition.negated);
    case 'case':
      return childrenOf(condition)
        .slice(0, 2)
        .reduce((fraction, part) => fraction * fractionOf(part), 1);
    default:
      return OTHER;
  }
}

const negatedFraction = (fraction: number, negated: boolean): number => (negated ? 1 - fraction : fraction);

function conditionFraction(condition: Condition | null): number {
  if (condition === null) return 1;
  switch (condition.op) {
    case 'and':
      return condition.members.reduce((fraction, member) => fraction * conditionFraction(member), 1);
    case 'or':
      return 1 - condition.members.reduce((rest, member) => rest * (1 - conditionFraction(member)), 1);
    case 'not':
      return 1 - conditionFraction(condition.member);
    case 'missing':
      return MISSING;
    case 'attribute':
    case 'entity-id':
      return condition.tests.reduce((fraction, test) => {
        if (test.kind === 'text') {
          return fraction * negatedFraction(Math.min(0.5, EQUAL * test.texts.length), test.negated);
        }
        if (test.kind !== 'ranges') return fraction * OTHER;
        const isPoint = test.ranges.every(({ low, high }) => low === high);
        return fraction * (isPoint ? Math.min(0.5, EQUAL * test.ranges.length) : RANGE);
      }, 1);
    default:
      return OTHER;
  }
}

/** The estimated rows of a SELECT over one dimension. */
export function scanRows(plan: SelectPlan, statistics: Statistics): number {
  const { dimensionId, condition, filter, grouping, limit } = plan;
  const all = dimensionId === null ? 1 : statistics.rows(dimensionId);
  let rows = all * conditionFraction(condition) * fractionOf(filter);
  if (grouping !== null) rows = grouping.keys.length === 0 ? 1 : Math.min(rows, rows ** 0.75 + 1);
  return Math.max(1, limit === null ? rows : Math.min(rows, limit));
}
