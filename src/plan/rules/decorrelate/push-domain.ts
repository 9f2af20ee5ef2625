/**
 * The general way to remove reads of outer columns (Neumann and Kemper, "Unnesting Arbitrary Queries", 2015): the
 * relation is computed for all values of the outer columns at once. The domain, the distinct combinations of these
 * values, moves down to where no outer column is read and is joined there; every operator above keeps its columns.
 */
import { invariant } from '../../../base/index.js';
import {
  columnsOf,
  constantOf,
  type Definition,
  type Expression,
  INTEGER,
  integerOf,
  type JoinKey,
  outerColumns,
  passedOn,
  type Relation,
  type RelationColumn,
  type RelationOf,
  readColumn,
  type Series,
} from '../../../ir/index.js';
import { allOf, renamedInputs } from '../../relations/expressions.js';
import { type ColumnNumbers, columnSet, renamed } from '../../relations/tree.js';

/** The distinct values of outer columns. */
export interface Domain {
  /** The outer columns. */
  readonly columns: readonly RelationColumn[];
  /** Returns a relation with new columns, and the column for each outer column. */
  create(): OverDomain;
}

export interface OverDomain {
  readonly relation: Relation;
  /** By outer column: the column of the relation with its value. */
  readonly names: ReadonlyMap<number, number>;
}

/** The rows of `relation` for each row of the domain. */
export function overDomain(relation: Relation, domain: Domain, numbers: ColumnNumbers): OverDomain {
  const push = (input: Relation): OverDomain => overDomain(input, domain, numbers);
  if (!readsDomain(relation, domain)) return crossed(relation, domain);
  switch (relation.op) {
    case 'filter':
    case 'project':
      return overRows(relation, push(relation.input), domain);
    case 'join':
      return overJoin(relation, domain, push, numbers);
    case 'aggregate':
      return overAggregate(relation, domain, push(relation.input), numbers);
    case 'window': {
      const { relation: input, names } = push(relation.input);
      const window = renamed(relation, names) as RelationOf<'window'>;
      const partition = withMore(window.partition, valuesIn(domain, names));
      return { relation: { ...window, input, partition }, names };
    }
    case 'series': {
      const { relation: input, names } = push(relation.input);
      return { relation: { ...(renamed(relation, names) as Series), input }, names };
    }
    case 'sort':
      return overSort(relation, domain, push(relation.input), numbers);
    case 'set':
      return overSet(relation, domain, push, numbers);
    default:
      invariant(false, `${relation.op} reads no outer columns`);
  }
}

const readsDomain = (relation: Relation, { columns }: Domain): boolean => {
  const read = outerColumns(relation);
  return columns.some(({ column }) => read.has(column));
};

/** Whether the expression or operator itself reads outer columns is not known: the domain is joined in any case. */
function crossed(relation: Relation, domain: Domain): OverDomain {
  const { relation: left, names } = domain.create();
  return { relation: joined('inner', left, relation, [], null), names };
}

export function joined(
  kind: RelationOf<'join'>['kind'],
  left: Relation,
  right: Relation,
  keys: readonly JoinKey[],
  condition: Expression | null,
): Relation {
  return { op: 'join', kind, left, right, keys, condition, mark: null };
}

/** The columns with the values of the domain. */
const valuesIn = ({ columns }: Domain, names: ReadonlyMap<number, number>): RelationColumn[] =>
  columns.map(({ column, type }) => ({ column: nameOf(names, column), type }));

function nameOf(names: ReadonlyMap<number, number>, column: number): number {
  const name = names.get(column);
  invariant(name !== undefined, 'the domain has every outer column');
  return name;
}

function withMore(columns: readonly RelationColumn[], more: readonly RelationColumn[]): RelationColumn[] {
  const has = new Set(columns.map(({ column }) => column));
  return [...columns, ...more.filter(({ column }) => !has.has(column))];
}

export const keysBetween = (
  { columns }: Domain,
  left: ReadonlyMap<number, number>,
  right: ReadonlyMap<number, number>,
): JoinKey[] =>
  columns.map(({ column }) => {
    return { left: left.get(column) ?? column, right: nameOf(right, column), nullsEqual: true };
  });

function overRows(
  relation: RelationOf<'filter'> | RelationOf<'project'>,
  { relation: input, names }: OverDomain,
  domain: Domain,
): OverDomain {
  if (relation.op === 'filter') {
    return { relation: { ...relation, input, condition: renamedInputs(relation.condition, names) }, names };
  }
  const own = relation.columns.map(({ column, of }) => ({ column, of: renamedInputs(of, names) }));
  const columns = [...own, ...valuesIn(domain, names).map(passedOn)];
  return { relation: { ...relation, input, columns }, names };
}

function overJoin(
  join: RelationOf<'join'>,
  domain: Domain,
  push: (input: Relation) => OverDomain,
  numbers: ColumnNumbers,
): OverDomain {
  const leftColumns = columnSet(join.left);
  const isDependent = [...outerColumns(join.right)].some((column) => leftColumns.has(column));
  if (isDependent || (join.kind !== 'full' && !readsDomain(join.right, domain))) {
    const { relation: left, names } = push(join.left);
    const right = isDependent ? renamedOuter(join.right, names) : join.right;
    return { relation: { ...renamedJoin(join, names), left, right }, names };
  }
  if (join.kind === 'inner' && !readsDomain(join.left, domain)) {
    const { relation: right, names } = push(join.right);
    return { relation: { ...renamedJoin(join, names), right }, names };
  }
  const [left, right] = [push(join.left), push(join.right)];
  const both = renamedJoin(join, left.names);
  const keys = [...both.keys, ...keysBetween(domain, left.names, right.names)];
  const relation = { ...both, left: left.relation, right: right.relation, keys };
  return join.kind === 'full'
    ? eitherSide(relation, domain, [left, right], numbers)
    : { relation, names: left.names };
}

const renamedJoin = (join: RelationOf<'join'>, names: ReadonlyMap<number, number>): RelationOf<'join'> =>
  renamed(join, names) as RelationOf<'join'>;

/** Renames the outer columns that a tree reads. */
function renamedOuter(relation: Relation, names: ReadonlyMap<number, number>): Relation {
  const own = renamed(relation, names);
  switch (own.op) {
    case 'join':
    case 'set':
    case 'recursive':
      return { ...own, left: renamedOuter(own.left, names), right: renamedOuter(own.right, names) };
    case 'scan':
    case 'shared':
    case 'received':
    case 'working':
    case 'values':
    case 'question':
      return own;
    default:
      return { ...own, input: renamedOuter(own.input, names) };
  }
}

/** A full join has the values of the domain on one of its sides or on both. */
function eitherSide(
  join: RelationOf<'join'>,
  domain: Domain,
  [left, right]: readonly OverDomain[],
  numbers: ColumnNumbers,
): OverDomain {
  const names = new Map<number, number>();
  const values = domain.columns.map(({ column, type }): Definition => {
    const name = numbers.next();
    names.set(column, name);
    const members = [left, right].map((side) => readColumn({ column: nameOf(side.names, column), type }));
    return { column: name, of: { op: 'coalesce', type, members } };
  });
  const columns = [...columnsOf(join).map(passedOn), ...values];
  return { relation: { op: 'project', input: join, columns }, names };
}

function overAggregate(
  aggregate: RelationOf<'aggregate'>,
  domain: Domain,
  { relation: input, names }: OverDomain,
  numbers: ColumnNumbers,
): OverDomain {
  const own = renamed(aggregate, names) as RelationOf<'aggregate'>;
  const values = valuesIn(domain, names);
  if (own.keys.length > 0) {
    return { relation: { ...own, input, keys: withMore(own.keys, values) }, names };
  }
  const groups: Relation = { ...own, input, keys: values };
  const { relation: left, names: all } = domain.create();
  return {
    relation: withEmptyGroups(own, left, groups, keysBetween(domain, all, names), numbers),
    names: all,
  };
}

/**
 * A row with the aggregates of its group for each row of `left`; rows without a group have the aggregates of an empty group.
 * The columns of the aggregates remain, `groups` is changed instead.
 */
export function withEmptyGroups(
  { aggregates }: RelationOf<'aggregate'>,
  left: Relation,
  groups: Relation,
  keys: readonly JoinKey[],
  numbers: ColumnNumbers,
): Relation {
  const counts = new Map<number, number>();
  for (const { function: name, column } of aggregates) {
    if (name === 'count') counts.set(column, numbers.next());
  }
  const right: Relation =
    groups.op === 'aggregate'
      ? {
          ...groups,
          aggregates: groups.aggregates.map((one) => ({
            ...one,
            column: counts.get(one.column) ?? one.column,
          })),
        }
      : groups;
  const input = joined('left', left, right, keys, null);
  if (counts.size === 0) return input;
  const values = aggregates.map(({ column, type }): Definition => {
    const count = counts.get(column);
    if (count === undefined) return passedOn({ column, type });
    const members = [readColumn({ column: count, type }), constantOf(type, 0n)];
    return { column, of: { op: 'coalesce', type, members } };
  });
  const of = new Set([...aggregates.map(({ column }) => column), ...counts.values()]);
  const others = columnsOf(input).filter(({ column }) => !of.has(column));
  return { op: 'project', input, columns: [...others.map(passedOn), ...values] };
}

/** A limit applies to the rows of each value of the domain. */
function overSort(
  sort: RelationOf<'sort'>,
  domain: Domain,
  { relation: input, names }: OverDomain,
  numbers: ColumnNumbers,
): OverDomain {
  const { keys, offset, limit } = renamed(sort, names) as RelationOf<'sort'>;
  if (limit === null && offset === 0) return { relation: input, names };
  const number = { column: numbers.next(), type: INTEGER };
  const window: Relation = {
    op: 'window',
    input,
    partition: valuesIn(domain, names),
    order: keys,
    functions: [{ ...number, function: 'row-number', args: [], frame: WHOLE }],
  };
  const bound = (comparison: '>' | '<=', value: number): Expression => {
    return {
      op: 'compare',
      type: { type: 'boolean' },
      comparison,
      left: readColumn(number),
      right: integerOf(value),
    };
  };
  const bounds = [bound('>', offset), ...(limit === null ? [] : [bound('<=', offset + limit)])];
  const condition = allOf(bounds);
  invariant(condition !== null, 'there is a bound');
  const filter: Relation = { op: 'filter', input: window, condition };
  return { relation: { op: 'project', input: filter, columns: columnsOf(input).map(passedOn) }, names };
}

const WHOLE = { mode: 'rows', start: { at: 'first' }, end: { at: 'last' } } as const;

function overSet(
  set: RelationOf<'set'>,
  domain: Domain,
  push: (input: Relation) => OverDomain,
  numbers: ColumnNumbers,
): OverDomain {
  const [left, right] = [push(set.left), push(set.right)];
  const names = new Map<number, number>();
  const values = domain.columns.map(({ column, type }) => {
    const name = numbers.next();
    names.set(column, name);
    return { column: name, type, left: nameOf(left.names, column), right: nameOf(right.names, column) };
  });
  // Columns of a side may be outer columns themselves.
  const own = set.columns.map((one) => {
    return {
      ...one,
      left: left.names.get(one.left) ?? one.left,
      right: right.names.get(one.right) ?? one.right,
    };
  });
  const columns = [...own, ...values];
  return { relation: { ...set, left: left.relation, right: right.relation, columns }, names };
}
