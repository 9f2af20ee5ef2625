/**
 * Evaluates conditions as early as possible: moves the conjuncts of filters and joins down to the relation whose
 * columns they read, and makes keys of equalities between the sides of joins.
 * Invariant: a conjunct that can fail is evaluated only for rows for which it was evaluated before, so it passes no
 * operator that drops rows.
 */
import {
  type Expression,
  type Relation,
  type RelationOf,
  type RelationPlan,
  readColumn,
} from '../../../ir/index.js';
import {
  allOf,
  conjunctsOf,
  folded,
  mayFail,
  readsAny,
  readsOnly,
  substitute,
  withoutRepeats,
} from '../../relations/expressions.js';
import { isPlainScan } from '../../relations/scans.js';
import { ColumnNumbers, overInputs } from '../../relations/tree.js';
import { filtered } from '../merge.js';
import { factored } from './factor.js';
import { pushIntoJoin } from './push-join.js';
import { conditionOf, conditionOfAll } from './scan-condition.js';

export function pushdown(plan: RelationPlan): RelationPlan {
  const numbers = new ColumnNumbers(plan);
  const push = (root: Relation): Relation => pushed(root, [], numbers);
  return { ...plan, tables: plan.tables.map(push), root: push(plan.root) };
}

/** The rows of `relation` for which all conjuncts are true. */
export function pushed(
  relation: Relation,
  conjuncts: readonly Expression[],
  numbers: ColumnNumbers,
): Relation {
  switch (relation.op) {
    case 'filter': {
      const own = conjunctsOf(folded(relation.condition)).flatMap(factored);
      return pushed(relation.input, withoutRepeats([...own, ...conjuncts]), numbers);
    }
    case 'project': {
      const definitions = new Map(relation.columns.map(({ column, of }) => [column, of]));
      const below = conjuncts.map((conjunct) => substitute(conjunct, (input) => definitions.get(input)));
      return { ...relation, input: pushed(relation.input, below, numbers) };
    }
    case 'series': {
      const ofValue = new Set([relation.value.column]);
      // A row without values drops out.
      const passes = (conjunct: Expression): boolean => !readsAny(conjunct, ofValue) && !mayFail(conjunct);
      const input = pushed(relation.input, conjuncts.filter(passes), numbers);
      return filtered(
        { ...relation, input },
        conjuncts.filter((conjunct) => !passes(conjunct)),
      );
    }
    case 'join':
      return pushIntoJoin(relation, conjuncts, (input, below) => pushed(input, below, numbers), numbers);
    case 'aggregate':
    case 'window': {
      // Each group or partition is kept or dropped as a whole.
      const keys = relation.op === 'aggregate' ? relation.keys : relation.partition;
      const columns = new Set(keys.map(({ column }) => column));
      const below: Expression[] = [];
      const above: Expression[] = [];
      for (const conjunct of conjuncts) {
        const isOfKeys = keys.length > 0 && readsOnly(conjunct, columns);
        const passes = isOfKeys && (above.length === 0 || !mayFail(conjunct));
        (passes ? below : above).push(conjunct);
      }
      return filtered({ ...relation, input: pushed(relation.input, below, numbers) }, above);
    }
    case 'sort': {
      if (relation.limit === null && relation.offset === 0) {
        return { ...relation, input: pushed(relation.input, conjuncts, numbers) };
      }
      return filtered({ ...relation, input: pushed(relation.input, [], numbers) }, conjuncts);
    }
    case 'set':
      return intoSet(relation, conjuncts, numbers);
    case 'scan':
      return intoScan(relation, conjuncts);
    default:
      return filtered(
        overInputs(relation, (input) => pushed(input, [], numbers)),
        conjuncts,
      );
  }
}

function intoSet(set: RelationOf<'set'>, conjuncts: readonly Expression[], numbers: ColumnNumbers): Relation {
  const passes = (conjunct: Expression): boolean => set.operator === 'union' || !mayFail(conjunct);
  const below = conjuncts.filter(passes);
  const side = (name: 'left' | 'right'): Relation => {
    const columns = new Map(
      set.columns.map((one) => [one.column, readColumn({ column: one[name], type: one.type })]),
    );
    const own = below.map((conjunct) => substitute(conjunct, (input) => columns.get(input)));
    return pushed(set[name], own, numbers);
  };
  return filtered(
    { ...set, left: side('left'), right: side('right') },
    conjuncts.filter((conjunct) => !passes(conjunct)),
  );
}

/** Adds the conjuncts to the condition of the SELECT where possible, and otherwise to its filter. */
function intoScan(scan: RelationOf<'scan'>, conjuncts: readonly Expression[]): Relation {
  const { plan, columns } = scan;
  if (conjuncts.length === 0) return scan;
  if (!isPlainScan(plan)) return filtered(scan, conjuncts);
  const outputs = new Map(columns.map(({ column }, index) => [column, plan.outputs[index].of]));
  const own = conjuncts.map((conjunct) => substitute(conjunct, (input) => outputs.get(input)));
  const conditions = plan.condition === null ? [] : [plan.condition];
  const filter = [...conjunctsOf(plan.filter)];
  for (const conjunct of own.map(folded)) {
    const condition = plan.dimensionId === null ? null : conditionOf(conjunct, plan.inputs);
    if (condition === null) filter.push(conjunct);
    else conditions.push(condition);
  }
  const all = allOf(withoutRepeats(filter));
  return { ...scan, plan: { ...plan, condition: conditionOfAll(conditions), filter: all } };
}
