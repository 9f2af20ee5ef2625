/** Factors common conjuncts out of ORs, and derives what ORs imply for one side of a join. */
import { BOOLEAN, type Expression, junctionOf, keyOf } from '../../../ir/index.js';
import { allOf, conjunctsOf, mayFail, readsAny, readsOnly } from '../../relations/expressions.js';

/** Conjuncts with the same truth: (a AND b) OR (a AND c) is a AND (b OR c). */
export function factored(condition: Expression): readonly Expression[] {
  if (condition.op !== 'or' || mayFail(condition)) return [condition];
  const branches = condition.members.map((member) => conjunctsOf(member));
  const keys = branches.map((branch) => new Set(branch.map(keyOf)));
  const common = branches[0].filter((conjunct) => keys.every((set) => set.has(keyOf(conjunct))));
  if (common.length === 0) return [condition];
  const isCommon = new Set(common.map(keyOf));
  const rests = branches.map((branch) => allOf(branch.filter((conjunct) => !isCommon.has(keyOf(conjunct)))));
  // A branch without a rest is implied by the common part.
  const left = rests.filter((rest) => rest !== null);
  return left.length < rests.length ? common : [...common, junctionOf('or', left)];
}

/** The condition on `columns` alone that is true where an OR is: (a1 AND b1) OR (a2 AND b2) implies a1 OR a2. */
export function impliedBy(condition: Expression, columns: ReadonlySet<number>): Expression | null {
  if (condition.op !== 'or' || mayFail(condition)) return null;
  const members: Expression[] = [];
  for (const member of condition.members) {
    const own = allOf(conjunctsOf(member).filter((one) => readsOnly(one, columns) && readsAny(one, columns)));
    if (own === null) return null;
    members.push(own);
  }
  return { op: 'or', type: BOOLEAN, members };
}
