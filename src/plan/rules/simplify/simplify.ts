/** Replaces relations by simpler ones with the same rows, from the inputs upwards. */
import {
  columnsOf,
  type Definition,
  type Expression,
  inputsOf,
  passedOn,
  type Relation,
  type RelationOf,
  type RelationPlan,
  readsOf,
} from '../../../ir/index.js';
import {
  allOf,
  conjunctsOf,
  FALSE,
  folded,
  isConstant,
  isPresent,
  TRUE,
} from '../../relations/expressions.js';
import { presentColumns, uniqueSets } from '../../relations/properties.js';
import { narrowed, overTrees, relationsIn, rewritten } from '../../relations/tree.js';
import { filtered, mergedFilter } from '../merge.js';
import { withInlineTables } from './inline-tables.js';
import { withoutUnusedOrders } from './unused-orders.js';

export function simplify(plan: RelationPlan): RelationPlan {
  return overTrees(withInlineTables(plan), (root) => {
    const reads = readCounts(root);
    return withoutUnusedOrders(rewritten(root, (part) => simplified(part, reads)));
  });
}

/** By column: the number of operators that read it; the answer counts as one. */
type ReadCounts = ReadonlyMap<number, number>;

function readCounts(root: Relation): ReadCounts {
  const counts = new Map<number, number>();
  const read = (column: number): unknown => counts.set(column, (counts.get(column) ?? 0) + 1);
  for (const { column } of columnsOf(root)) read(column);
  for (const part of relationsIn(root)) for (const column of readsOf(part)) read(column);
  return counts;
}

function simplified(relation: Relation, reads: ReadCounts): Relation {
  switch (relation.op) {
    case 'scan':
      return simplifiedScan(relation);
    case 'filter':
      return simplifiedFilter(mergedFilter(relation), reads);
    case 'project':
      return {
        ...relation,
        columns: relation.columns.map(({ column, of }) => ({ column, of: folded(of) })),
      };
    case 'join':
      return simplifiedJoin(relation);
    case 'aggregate':
      return simplifiedAggregate(relation);
    case 'sort':
      return relation.limit === 0 || isEmpty(relation.input) ? emptyOf(relation) : mergedLimit(relation);
    case 'window':
      return isEmpty(relation.input) ? emptyOf(relation) : relation;
    case 'set':
      return simplifiedSet(relation);
    default:
      return relation;
  }
}

const isEmpty = (relation: Relation): boolean => relation.op === 'values' && relation.rows.length === 0;

function emptyOf(relation: Relation): Relation {
  const columns = columnsOf(relation).map(({ column, type }) => ({ column, type }));
  return { op: 'values', columns, rows: [] };
}

function simplifiedScan(scan: RelationOf<'scan'>): Relation {
  const { plan } = scan;
  const filter = plan.filter === null ? null : allOf(conjunctsOf(folded(plan.filter)));
  const isNever = filter !== null && isNeverTrue(filter);
  if (isNever && (plan.grouping === null || plan.grouping.keys.length > 0)) return emptyOf(scan);
  return { ...scan, plan: { ...plan, filter } };
}

const isNeverTrue = (condition: Expression): boolean =>
  condition.op === 'constant' && condition.value !== true;

function simplifiedFilter(filter: Relation, reads: ReadCounts): Relation {
  if (filter.op !== 'filter') return filter;
  const conjuncts = conjunctsOf(folded(filter.condition));
  if (conjuncts.some(isNeverTrue) || isEmpty(filter.input)) return emptyOf(filter);
  if (filter.input.op !== 'join' || filter.input.kind !== 'mark') return filtered(filter.input, conjuncts);
  return withoutMark(filter.input, conjuncts, reads);
}

/** A filter by the mark of a join is a semi join; by its negation an anti join, if the mark is never missing. */
function withoutMark(
  join: RelationOf<'join'>,
  conjuncts: readonly Expression[],
  reads: ReadCounts,
): Relation {
  const { mark } = join;
  if (mark === null) return filtered(join, conjuncts);
  const own = conjuncts.filter((conjunct) => inputsOf(conjunct).has(mark));
  const hasOneReader = reads.get(mark) === 1 && own.length === 1;
  const decisive = conjuncts.findIndex((conjunct) => kindFor(conjunct, join, hasOneReader) !== null);
  const kind = decisive === -1 ? null : kindFor(conjuncts[decisive], join, hasOneReader);
  if (kind === null) return filtered(join, conjuncts);
  const columns: Definition[] = [
    ...columnsOf(join.left).map(passedOn),
    { column: mark, of: kind === 'semi' ? TRUE : FALSE },
  ];
  const input: Relation = { ...join, kind, mark: null, condition: allOf(conjunctsOf(join.condition)) };
  const rest = conjuncts.filter((_, index) => index !== decisive);
  return filtered({ op: 'project', input, columns }, rest);
}

/** The kind of join whose rows are those for which a conjunct about the mark is true. */
function kindFor(
  conjunct: Expression,
  join: RelationOf<'join'>,
  hasOneReader: boolean,
): 'semi' | 'anti' | null {
  const isMark = (of: Expression): boolean => of.op === 'input' && of.input === join.mark;
  if (isMark(conjunct)) return 'semi';
  if (conjunct.op !== 'not') return null;
  const { member } = conjunct;
  const isKnown = isNeverUnknown(join);
  if (isMark(member)) return isKnown ? 'anti' : null;
  // NOT COALESCE(mark, FALSE): unknown is not a match either, but the mark itself is missing there.
  if (member.op !== 'coalesce' || !isMark(member.members[0]) || !isConstant(member.members[1], false))
    return null;
  return isKnown || hasOneReader ? 'anti' : null;
}

function isNeverUnknown({ left, right, keys, condition }: RelationOf<'join'>): boolean {
  const present = new Set([...presentColumns(left), ...presentColumns(right)]);
  const areKnown = keys.every((key) => key.nullsEqual || (present.has(key.left) && present.has(key.right)));
  return areKnown && (condition === null || isPresent(condition, present));
}

function simplifiedJoin(join: RelationOf<'join'>): Relation {
  const { kind, left, right } = join;
  const condition = join.condition === null ? null : folded(join.condition);
  const never =
    condition !== null && isNeverTrue(condition) && (kind !== 'mark' || condition.op === 'constant');
  const isUnknown = condition !== null && isConstant(condition, null);
  const noRight = isEmpty(right) || (never && !(kind === 'mark' && isUnknown));
  if (isEmpty(left) && kind !== 'full') return emptyOf(join);
  if (noRight && (kind === 'inner' || kind === 'semi')) return emptyOf(join);
  if (noRight && kind === 'anti') return left;
  if (noRight && (kind === 'left' || kind === 'single' || kind === 'mark')) return withoutMatches(join);
  const all = condition !== null && isConstant(condition, true) ? null : condition;
  return { ...join, condition: all };
}

/** Every left row, without a match. */
function withoutMatches({ kind, left, right, mark }: RelationOf<'join'>): Relation {
  const added: Definition[] =
    kind === 'mark' && mark !== null
      ? [{ column: mark, of: FALSE }]
      : columnsOf(right).map(({ column, type }) => ({ column, of: { op: 'constant', type, value: null } }));
  return { op: 'project', input: left, columns: [...columnsOf(left).map(passedOn), ...added] };
}

/** DISTINCT over rows that are distinct changes nothing. */
function simplifiedAggregate(aggregate: RelationOf<'aggregate'>): Relation {
  const { input, keys, aggregates } = aggregate;
  if (keys.length > 0 && isEmpty(input)) return emptyOf(aggregate);
  if (aggregates.length > 0 || keys.length === 0) return aggregate;
  const all = new Set(keys.map(({ column }) => column));
  const isUnique = uniqueSets(input).some((set) => [...set].every((column) => all.has(column)));
  return isUnique ? narrowed(input, keys) : aggregate;
}

/** LIMIT over ORDER BY becomes one sort. */
function mergedLimit(sort: RelationOf<'sort'>): Relation {
  const { input } = sort;
  if (sort.keys.length > 0 || input.op !== 'sort' || input.limit !== null || input.offset > 0) return sort;
  return { ...input, offset: sort.offset, limit: sort.limit };
}

function simplifiedSet(set: RelationOf<'set'>): Relation {
  const { operator, all, left, right, columns } = set;
  if (isEmpty(left) && (operator !== 'union' || isEmpty(right))) return emptyOf(set);
  if (operator === 'intersect' && isEmpty(right)) return emptyOf(set);
  const isLeft = isEmpty(right) && (operator === 'union' || all);
  if (!isLeft && !(operator === 'union' && isEmpty(left))) return set;
  const definitions = columns.map((one) =>
    isLeft
      ? { column: one.column, of: passedOn({ column: one.left, type: one.type }).of }
      : { column: one.column, of: passedOn({ column: one.right, type: one.type }).of },
  );
  return { op: 'project', input: isLeft ? left : right, columns: definitions };
}
