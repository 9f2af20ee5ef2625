/**
 * The cheap way to remove reads of outer columns from the right side of a join: conditions that read them move up into
 * the join. They pass projections, sorts, inner joins, and groups and windows if they are equalities: grouping by the
 * equated column computes the groups for every outer value at once.
 */
import {
  columnsOf,
  type Expression,
  inputsOf,
  outerColumns,
  passedOn,
  type Relation,
  type RelationColumn,
  type RelationOf,
  readColumn,
} from '../../../ir/index.js';
import { allOf, conjunctsOf, readsAny, readsOnly } from '../../relations/expressions.js';
import { type ColumnNumbers, columnSet, narrowed } from '../../relations/tree.js';

export interface PulledUp {
  /** Reads no outer columns; has all columns of the original relation, and those that the conjuncts read. */
  readonly relation: Relation;
  readonly conjuncts: readonly Expression[];
}

/** An equality between an expression over a relation and an expression over outer columns. */
export interface OuterEquality {
  readonly inner: Expression;
  readonly outer: Expression;
}

export function outerEquality(conjunct: Expression, outer: ReadonlySet<number>): OuterEquality | null {
  if (conjunct.op !== 'compare' || conjunct.comparison !== '=') return null;
  const { left, right } = conjunct;
  if (!readsAny(left, outer) && inputsOf(left).size > 0 && readsOnly(right, outer)) {
    return { inner: left, outer: right };
  }
  if (!readsAny(right, outer) && inputsOf(right).size > 0 && readsOnly(left, outer)) {
    return { inner: right, outer: left };
  }
  return null;
}

/** Returns null if the reads of `outer` cannot be pulled up. With `exists`, only the existence of rows matters. */
export function pulledUp(
  relation: Relation,
  outer: ReadonlySet<number>,
  numbers: ColumnNumbers,
  exists: boolean,
): PulledUp | null {
  const read = outerColumns(relation);
  if (![...read].some((column) => outer.has(column))) return { relation, conjuncts: [] };
  const pull = (input: Relation, ofExistence = exists) => pulledUp(input, outer, numbers, ofExistence);
  switch (relation.op) {
    case 'filter': {
      const below = pull(relation.input);
      if (below === null) return null;
      const conjuncts = conjunctsOf(relation.condition);
      const own = allOf(conjuncts.filter((conjunct) => !readsAny(conjunct, outer)));
      const filter = own === null ? below.relation : { ...relation, input: below.relation, condition: own };
      const up = conjuncts.filter((conjunct) => readsAny(conjunct, outer));
      return { relation: filter, conjuncts: [...below.conjuncts, ...up] };
    }
    case 'project': {
      if (relation.columns.some(({ of }) => readsAny(of, outer))) return null;
      const below = pull(relation.input);
      return below === null ? null : throughProject(relation, below, outer);
    }
    case 'join':
      return throughJoin(relation, outer, pull);
    case 'aggregate':
    case 'window':
      return throughGroups(relation, outer, numbers, pull(relation.input, false));
    case 'sort': {
      const isWhole = relation.limit === null && relation.offset === 0;
      const isSome = exists && relation.offset === 0 && relation.limit !== null && relation.limit > 0;
      return isWhole || isSome ? pull(relation.input) : null;
    }
    default:
      return null;
  }
}

function throughProject(
  project: RelationOf<'project'>,
  below: PulledUp,
  outer: ReadonlySet<number>,
): PulledUp {
  const has = new Set(project.columns.map(({ column }) => column));
  const more = columnsOf(below.relation).filter(
    ({ column }) => !has.has(column) && isRead(column, below.conjuncts, outer),
  );
  const relation = {
    ...project,
    input: below.relation,
    columns: [...project.columns, ...more.map(passedOn)],
  };
  return { relation, conjuncts: below.conjuncts };
}

const isRead = (column: number, conjuncts: readonly Expression[], outer: ReadonlySet<number>): boolean =>
  !outer.has(column) && conjuncts.some((conjunct) => inputsOf(conjunct).has(column));

function throughJoin(
  join: RelationOf<'join'>,
  outer: ReadonlySet<number>,
  pull: (input: Relation) => PulledUp | null,
): PulledUp | null {
  const { kind, left, right, keys, condition } = join;
  if (kind === 'full') return null;
  const leftColumns = columnSet(left);
  // The inner join is correlated itself.
  if ([...outerColumns(right)].some((column) => leftColumns.has(column))) return null;
  if (keys.some((key) => outer.has(key.left) || outer.has(key.right))) return null;
  const isInner = kind === 'inner';
  const own = conjunctsOf(condition).filter((conjunct) => readsAny(conjunct, outer));
  if (own.length > 0 && !isInner) return null;
  const ofLeft = pull(left);
  const isRightOuter = [...outerColumns(right)].some((column) => outer.has(column));
  const ofRight = isRightOuter ? (isInner ? pull(right) : null) : { relation: right, conjuncts: [] };
  if (ofLeft === null || ofRight === null) return null;
  const rest = conjunctsOf(condition).filter((conjunct) => !readsAny(conjunct, outer));
  return {
    relation: { ...join, left: ofLeft.relation, right: ofRight.relation, condition: allOf(rest) },
    conjuncts: [...ofLeft.conjuncts, ...ofRight.conjuncts, ...own],
  };
}

/** Adds the columns that the conjuncts equate with outer columns to the keys. */
function throughGroups(
  relation: RelationOf<'aggregate'> | RelationOf<'window'>,
  outer: ReadonlySet<number>,
  numbers: ColumnNumbers,
  below: PulledUp | null,
): PulledUp | null {
  if (below === null) return null;
  // A single group exists even without rows; see scalarAggregate.
  if (relation.op === 'aggregate' && relation.keys.length === 0) return null;
  const grouped = groupedByEqualities(below, outer, numbers);
  if (grouped === null) return null;
  const { input, keys, conjuncts } = grouped;
  if (relation.op === 'window') {
    const partition = [...relation.partition, ...keys];
    return { relation: { ...relation, input, partition }, conjuncts };
  }
  const has = new Set(relation.keys.map(({ column }) => column));
  const more = keys.filter(({ column }) => !has.has(column));
  return { relation: { ...relation, input, keys: [...relation.keys, ...more] }, conjuncts };
}

/** Computes the inner sides of the equalities as columns; null if a conjunct is not an equality with outer columns. */
export function groupedByEqualities(
  { relation, conjuncts }: PulledUp,
  outer: ReadonlySet<number>,
  numbers: ColumnNumbers,
): {
  readonly input: Relation;
  readonly keys: readonly RelationColumn[];
  readonly conjuncts: readonly Expression[];
} | null {
  const keys: RelationColumn[] = [];
  const changed: Expression[] = [];
  const computed: { column: number; of: Expression }[] = [];
  for (const conjunct of conjuncts) {
    const equality = outerEquality(conjunct, outer);
    if (equality === null) return null;
    const { inner } = equality;
    const column = inner.op === 'input' ? inner.input : numbers.next();
    if (inner.op !== 'input') computed.push({ column, of: inner });
    const key = { column, type: inner.type };
    if (!keys.some((known) => known.column === column)) keys.push(key);
    changed.push({
      op: 'compare',
      type: conjunct.type,
      comparison: '=',
      left: readColumn(key),
      right: equality.outer,
    });
  }
  if (computed.length === 0)
    return { input: narrowed(relation, columnsOf(relation)), keys, conjuncts: changed };
  const columns = [...columnsOf(relation).map(passedOn), ...computed];
  return { input: { op: 'project', input: relation, columns }, keys, conjuncts: changed };
}
