/**
 * Conditions that follow from equal columns: a = b and b = 1 give a = 1, so that both tables are filtered before they
 * are joined.
 */
import { type Expression, inputsOf, type Relation, type RelationPlan } from '../../ir/index.js';
import { conjunctsOf, mayFail, renamedInputs, withoutRepeats } from '../relations/expressions.js';
import { innerJoins, isInnerJoin, overLeaves } from '../relations/inner-joins.js';
import { overInputs, overTrees } from '../relations/tree.js';
import { filtered } from './merge.js';

export const transitive = (plan: RelationPlan): RelationPlan => overTrees(plan, derived);

function derived(relation: Relation): Relation {
  if (relation.op === 'filter' && isInnerJoin(relation.input)) {
    return withDerived(relation.input, conjunctsOf(relation.condition));
  }
  if (isInnerJoin(relation)) return withDerived(relation, []);
  return overInputs(relation, derived);
}

/** The rows of inner joins for which all conjuncts are true. */
function withDerived(joins: Relation, conjuncts: readonly Expression[]): Relation {
  const { leaves, keys, conditions } = innerJoins(joins);
  const equal = new EqualColumns();
  for (const key of keys) if (!key.nullsEqual) equal.add(key.left, key.right);
  const known = [...conjuncts, ...conditions];
  for (const one of known) {
    if (one.op !== 'compare' || one.comparison !== '=') continue;
    if (one.left.op === 'input' && one.right.op === 'input') equal.add(one.left.input, one.right.input);
  }
  const ofLeaves = leaves.flatMap((leaf) => (leaf.op === 'filter' ? conjunctsOf(leaf.condition) : []));
  const all = withoutRepeats([...known, ...ofLeaves]);
  const more = all.flatMap((conjunct) => {
    const column = testedColumn(conjunct);
    if (column === null) return [];
    return equal.others(column).map((other) => renamedInputs(conjunct, new Map([[column, other]])));
  });
  const isNew = withoutRepeats([...all, ...more]).slice(all.length);
  return filtered(overLeaves(joins, derived), [...conjuncts, ...isNew]);
}

/** The column if the condition compares a column with constants. */
function testedColumn(condition: Expression): number | null {
  if (condition.op !== 'compare' && condition.op !== 'in') return null;
  const inputs = [...inputsOf(condition)];
  if (inputs.length !== 1 || mayFail(condition)) return null;
  const [a, b] = condition.op === 'compare' ? [condition.left, condition.right] : [condition.of, null];
  const isPlain =
    a.op === 'input' ? b === null || b.op === 'constant' : a.op === 'constant' && b?.op === 'input';
  return isPlain ? inputs[0] : null;
}

/** Classes of columns that are equal in every row. */
class EqualColumns {
  readonly #classes = new Map<number, Set<number>>();

  add(a: number, b: number): void {
    const both = new Set([...this.#classOf(a), ...this.#classOf(b)]);
    for (const column of both) this.#classes.set(column, both);
  }

  others(column: number): readonly number[] {
    return [...this.#classOf(column)].filter((other) => other !== column);
  }

  #classOf(column: number): ReadonlySet<number> {
    return this.#classes.get(column) ?? new Set([column]);
  }
}
