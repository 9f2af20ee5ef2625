/**
 * Removes reads of left columns by the right side of joins (correlated subqueries), from the outermost join inwards, so
 * that the left side of a correlated join reads no outer columns itself. This rule is required, because execution does not
 * support such reads.
 */
import {
  columnsOf,
  type Definition,
  type Expression,
  type JoinKey,
  outerColumns,
  passedOn,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  readColumn,
  readsOf,
} from '../../../ir/index.js';
import { allOf, conjunctsOf, readsAny, substitute } from '../../relations/expressions.js';
import { isBareScan } from '../../relations/scans.js';
import {
  ColumnNumbers,
  columnSet,
  copied,
  narrowed,
  overInputs,
  readsWorking,
  relationsIn,
  rewritten,
} from '../../relations/tree.js';
import { withoutCorrelatedTables } from './correlated-tables.js';
import { groupedByEqualities, outerEquality, pulledUp } from './pull-up.js';
import { type Domain, keysBetween, overDomain, withEmptyGroups } from './push-domain.js';

export function decorrelate(plan: RelationPlan): RelationPlan {
  const whole = withoutCorrelatedTables(plan);
  if (![whole.root, ...whole.tables].some(hasCorrelation)) return whole;
  return new Decorrelation(whole).plan();
}

function hasCorrelation(relation: Relation): boolean {
  for (const part of relationsIn(relation)) if (part.op === 'join' && outerOf(part).length > 0) return true;
  return false;
}

/** The columns of the left side that the right side reads. */
function outerOf({ left, right }: RelationOf<'join'>): readonly RelationColumn[] {
  const read = outerColumns(right);
  return columnsOf(left).filter(({ column }) => read.has(column));
}

class Decorrelation {
  readonly #plan: RelationPlan;
  readonly #numbers: ColumnNumbers;
  readonly #tables: Relation[] = [];
  /** The new number of each table. */
  readonly #moved = new Map<number, number>();

  constructor(plan: RelationPlan) {
    this.#plan = plan;
    this.#numbers = new ColumnNumbers(plan);
  }

  plan(): RelationPlan {
    this.#plan.tables.forEach((table, index) => {
      const done = this.#whole(table);
      this.#moved.set(index, this.#tables.push(done) - 1);
    });
    const root = this.#whole(this.#plan.root);
    return { ...this.#plan, root, tables: this.#tables };
  }

  #whole(root: Relation): Relation {
    const moved = rewritten(root, (part) =>
      part.op === 'shared' ? { ...part, table: this.#moved.get(part.table) ?? part.table } : part,
    );
    return narrowed(this.#closed(moved), columnsOf(root));
  }

  /** `relation` reads no outer columns. */
  #closed(relation: Relation): Relation {
    if (relation.op !== 'join') return overInputs(relation, (input) => this.#closed(input));
    const outer = outerOf(relation);
    if (outer.length === 0) return overInputs(relation, (input) => this.#closed(input));
    const columns = columnsOf(relation);
    const join = { ...relation, left: this.#closed(relation.left) };
    const series = overLeft(join);
    if (series !== null) return narrowed(series, columns);
    const scalar = this.#scalar(join, outer);
    const done = scalar ?? this.#pulled(join, outer) ?? this.#pushed(join, outer);
    const { right } = done.join;
    return narrowed(done.over({ ...done.join, right: this.#closed(right) }), columns);
  }

  /** Moves conditions of the right side into the join; null if that is not possible. */
  #pulled(join: RelationOf<'join'>, outer: readonly RelationColumn[]): Uncorrelated | null {
    const columns = new Set(outer.map(({ column }) => column));
    const right = withoutOuterDefinitions(join, columns);
    if (right === null) return null;
    const exists = right.keys.length === 0 && right.condition === null && isExistence(join.kind);
    const pulled = pulledUp(right.right, columns, this.#numbers, exists);
    if (pulled === null) return null;
    if (join.kind !== 'mark') {
      const condition = allOf([...conjunctsOf(right.condition), ...pulled.conjuncts]);
      return { join: { ...join, keys: right.keys, condition, right: pulled.relation }, over: itself };
    }
    return this.#marked({ ...join, ...right, right: pulled.relation }, pulled.conjuncts, columns);
  }

  /** In a mark join, a row that the right side omitted is not a match, while an unknown condition is an unknown match. */
  #marked(
    join: RelationOf<'join'>,
    conjuncts: readonly Expression[],
    outer: ReadonlySet<number>,
  ): Uncorrelated {
    const keys: JoinKey[] = [...join.keys];
    const conditions: Expression[] = join.condition === null ? [] : [join.condition];
    const present: Expression[] = [];
    const type = { type: 'boolean' } as const;
    for (const conjunct of conjuncts) {
      const equality = outerEquality(conjunct, outer);
      if (equality?.inner.op === 'input' && equality.outer.op === 'input') {
        keys.push({ left: equality.outer.input, right: equality.inner.input, nullsEqual: true });
        present.push({ op: 'is-null', type, of: equality.inner, negated: true });
      } else {
        const no: Expression = { op: 'constant', type, value: false };
        conditions.push({ op: 'coalesce', type, members: [conjunct, no] });
      }
    }
    const condition: Expression | null =
      conditions.length < 2 ? (conditions[0] ?? null) : { op: 'and', type, members: conditions };
    const known = allOf(present);
    const right: Relation =
      known === null ? join.right : { op: 'filter', input: join.right, condition: known };
    return { join: { ...join, keys, condition, right }, over: itself };
  }

  /** A subquery that is an aggregate without keys: becomes groups by the columns equated with outer columns. */
  #scalar(join: RelationOf<'join'>, outer: readonly RelationColumn[]): Uncorrelated | null {
    const { kind, left, right, keys, condition } = join;
    const isAlone = keys.length === 0 && condition === null;
    if (!isAlone || (kind !== 'single' && kind !== 'left' && kind !== 'inner')) return null;
    const projects: (readonly Definition[])[] = [];
    let below = right;
    while (below.op === 'project') {
      projects.unshift(below.columns);
      below = below.input;
    }
    if (below.op !== 'aggregate' || below.keys.length > 0) return null;
    const columns = new Set(outer.map(({ column }) => column));
    if ([...readsOf(below)].some((column) => columns.has(column))) return null;
    const pulled = pulledUp(below.input, columns, this.#numbers, false);
    const grouped = pulled === null ? null : groupedByEqualities(pulled, columns, this.#numbers);
    if (grouped === null || grouped.conjuncts.length === 0) return null;
    const aggregate = below;
    const groups: Relation = { ...aggregate, input: grouped.input, keys: grouped.keys };
    const computed = this.#withOuterKeys(left, grouped.conjuncts, columns);
    const over = (done: RelationOf<'join'>): Relation => {
      const whole = withEmptyGroups(aggregate, done.left, done.right, done.keys, this.#numbers);
      return projects.reduce<Relation>((input, definitions) => {
        const own = new Set(definitions.map(({ column }) => column));
        const passed = columnsOf(left).filter(({ column }) => !own.has(column));
        return { op: 'project', input, columns: [...passed.map(passedOn), ...definitions] };
      }, whole);
    };
    return { join: { ...join, kind: 'left', left: computed.left, right: groups, keys: computed.keys }, over };
  }

  /** Makes keys of equalities with expressions over outer columns. */
  #withOuterKeys(
    left: Relation,
    conjuncts: readonly Expression[],
    outer: ReadonlySet<number>,
  ): { readonly left: Relation; readonly keys: readonly JoinKey[] } {
    const computed: Definition[] = [];
    const keys = conjuncts.map((conjunct): JoinKey => {
      const equality = outerEquality(conjunct, outer);
      if (equality?.inner.op !== 'input') throw new TypeError('the inner side is a column');
      const { inner, outer: of } = equality;
      if (of.op === 'input') return { left: of.input, right: inner.input, nullsEqual: false };
      const column = this.#numbers.next();
      computed.push({ column, of });
      return { left: column, right: inner.input, nullsEqual: false };
    });
    if (computed.length === 0) return { left, keys };
    const columns = [...columnsOf(left).map(passedOn), ...computed];
    return { left: { op: 'project', input: left, columns }, keys };
  }

  /** Computes the right side for all values of the outer columns, and joins by them. */
  #pushed(join: RelationOf<'join'>, outer: readonly RelationColumn[]): Uncorrelated {
    const { left, create } = this.#readTwice(join.left, outer);
    const domain: Domain = { columns: outer, create };
    const { relation: right, names } = overDomain(join.right, domain, this.#numbers);
    const keys = join.keys.map((key) => ({ ...key, right: names.get(key.right) ?? key.right }));
    const own = new Map(outer.map(({ column }) => [column, column]));
    return {
      join: { ...join, left, right, keys: [...keys, ...keysBetween(domain, own, names)] },
      over: itself,
    };
  }

  /** The left side, and its distinct values: both read a table of the plan, or each is a scan of its own. */
  #readTwice(
    relation: Relation,
    outer: readonly RelationColumn[],
  ): Pick<Domain, 'create'> & { left: Relation } {
    const distinct = (input: Relation, names: ReadonlyMap<number, number>) => {
      const keys = outer.map(({ column, type }) => ({ column: names.get(column) ?? column, type }));
      const domain: Relation = { op: 'aggregate', input, keys, aggregates: [] };
      return {
        relation: domain,
        names: new Map(outer.map(({ column }, index) => [column, keys[index].column])),
      };
    };
    if (isCheap(relation) || readsWorking(relation)) {
      const create = () => {
        const names = new Map<number, number>();
        const copy = copied(relation, this.#numbers, names);
        return distinct(copy, names);
      };
      return { left: relation, create };
    }
    const table = this.#tables.push(relation) - 1;
    const columns = columnsOf(relation);
    const from = columns.map((_, index) => index);
    const create = () => {
      const names = new Map(outer.map(({ column }) => [column, this.#numbers.next()]));
      const own = outer.map(({ column, type }) => ({ column: names.get(column) ?? column, type }));
      const at = outer.map(({ column }) => columns.findIndex((one) => one.column === column));
      return distinct({ op: 'shared', table, columns: own, from: at }, names);
    };
    return { left: { op: 'shared', table, columns, from }, create };
  }
}

/** A series of each left row is computed over the left side itself; null if the right side is another relation. */
function overLeft({ kind, left, right, keys, condition }: RelationOf<'join'>): Relation | null {
  if (kind !== 'inner' || keys.length > 0 || right.op !== 'series') return null;
  const { input } = right;
  if (input.op !== 'values' || input.columns.length > 0 || input.rows.length !== 1) return null;
  const series: Relation = { ...right, input: left };
  return condition === null ? series : { op: 'filter', input: series, condition };
}

interface Uncorrelated {
  /** A join whose right side reads no columns of the left side. */
  readonly join: RelationOf<'join'>;
  /** The relation that replaces the join before. */
  over(join: RelationOf<'join'>): Relation;
}

const itself = (join: RelationOf<'join'>): Relation => join;

const isExistence = (kind: RelationOf<'join'>['kind']): boolean =>
  kind === 'semi' || kind === 'anti' || kind === 'mark';

function isCheap(relation: Relation): boolean {
  if (relation.op === 'filter' || relation.op === 'project') return isCheap(relation.input);
  return relation.op === 'scan' && isBareScan(relation.plan);
}

/**
 * For a join that returns no columns of its right side, moves definitions that read outer columns from the top of the right
 * side into the join's condition. Returns null if the join needs such a definition elsewhere.
 */
function withoutOuterDefinitions(
  join: RelationOf<'join'>,
  outer: ReadonlySet<number>,
): Pick<RelationOf<'join'>, 'right' | 'keys' | 'condition'> | null {
  const { right, keys, condition, kind, left } = join;
  if (right.op !== 'project' || !right.columns.some(({ of }) => readsAny(of, outer))) {
    return { right, keys, condition };
  }
  if (!isExistence(kind)) return null;
  const definitions = new Map(right.columns.map(({ column, of }) => [column, of]));
  const isOuter = (column: number): boolean => {
    const of = definitions.get(column);
    return of !== undefined && readsAny(of, outer);
  };
  const conditions: Expression[] = condition === null ? [] : [condition];
  for (const key of keys.filter((one) => isOuter(one.right))) {
    if (key.nullsEqual) return null;
    const type = definitions.get(key.right)?.type ?? { type: 'boolean' };
    const sides = [key.left, key.right].map((column) => readColumn({ column, type }));
    conditions.push({
      op: 'compare',
      type: { type: 'boolean' },
      comparison: '=',
      left: sides[0],
      right: sides[1],
    });
  }
  const by = (column: number): Expression | undefined =>
    isOuter(column) ? definitions.get(column) : undefined;
  const over = conditions.map((one) => substitute(one, by));
  const retained = right.columns.filter(({ column }) => !isOuter(column));
  const has = new Set(retained.map(({ column }) => column));
  const available = columnSet(left);
  const more = columnsOf(right.input).filter(({ column }) => !has.has(column) && !available.has(column));
  const all: Expression | null =
    over.length < 2 ? (over[0] ?? null) : { op: 'and', type: { type: 'boolean' }, members: over };
  return {
    right: { ...right, columns: [...retained, ...more.map(passedOn)] },
    keys: keys.filter((one) => !isOuter(one.right)),
    condition: all,
  };
}
