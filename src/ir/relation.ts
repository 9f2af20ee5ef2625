/**
 * Queries as a tree of relational operators, as plain data. A relation is a list of rows; operators read relations and
 * return one, so that they nest in any order.
 * Columns: every column has a number that is unique in its tree, and an input of an expression is such a number
 * ({op: 'input', input: n} reads column n). Rules can therefore move operators without renumbering expressions. A
 * relation returns exactly the columns of `columnsOf`, in that order.
 * A join's right side may read columns of its left side (a correlated subquery); `decorrelate` removes such reads
 * before execution.
 */
import { invariant } from '../base/index.js';
import type { Field, SqlType } from '../vector/index.js';
import type { TableQuestion } from './behaviour.js';
import { inputExpression } from './build.js';
import { BOOLEAN, type Constant, type Expression, inputsOf } from './expression.js';
import type { AggregateFunction, SelectPlan } from './select.js';

export interface RelationColumn {
  readonly column: number;
  readonly type: SqlType;
}

/** RelationColumn `column` is computed by `of`. */
export interface Definition {
  readonly column: number;
  readonly of: Expression;
}

/** Two columns that a join compares. */
export interface JoinKey {
  /** A column of the left side. */
  readonly left: number;
  /** A column of the right side, of the same type. */
  readonly right: number;
  /** Whether two missing values are equal; otherwise a missing value equals nothing. */
  readonly nullsEqual: boolean;
}

/**
 *   inner   pairs of rows that match                           columns: left, right
 *   left    the same, and left rows without a match            columns: left, right (missing without a match)
 *   full    the same, and right rows without a match           columns: left, right
 *   single  like left, but a second match of a row throws 6000 columns: left, right
 *   semi    left rows with a match                             columns: left
 *   anti    left rows without a match                          columns: left
 *   mark    every left row, with the truth of "some right row  columns: left, mark
 *           matches": true, false, or missing if no row matches
 *           but for some row it is unknown
 * A pair matches if all keys are equal and `condition` is true.
 */
export type JoinKind = 'inner' | 'left' | 'full' | 'single' | 'semi' | 'anti' | 'mark';

export interface RelationSortKey extends RelationColumn {
  readonly descending: boolean;
  /** Whether missing values are first; otherwise they are last, ascending or descending. */
  readonly missingFirst: boolean;
}

export interface RelationAggregate extends RelationColumn {
  readonly function: AggregateFunction;
  /** The column of its values; null = COUNT(*). Missing values are ignored. */
  readonly of: RelationColumn | null;
  /** Equal values count once. */
  readonly distinct: boolean;
  /** For a percentile, 0 to 1. */
  readonly fraction: number | null;
}

export type WindowFunctionName =
  | 'row-number'
  | 'rank'
  | 'dense-rank'
  | 'percent-rank'
  | 'cume-dist'
  | 'ntile' // args: the number of buckets
  | 'lag' // args: value, offset, default; the last two may be absent
  | 'lead'
  | 'first-value' // args: value
  | 'last-value'
  | 'nth-value' // args: value, n
  | 'count' // args: value, or none for COUNT(*)
  | 'sum'
  | 'avg'
  | 'mean'
  | 'min'
  | 'max';

/**
 * A bound of a frame. `offset`: rows (rows), distance of the sort key (range) or peer groups (groups), at least 0. In a range over
 * dates, the distance is `months` calendar months and then `offset`, days of a date and seconds of a datetime.
 */
export type FrameBound =
  | { readonly at: 'first' | 'current' | 'last' }
  | {
      readonly at: 'preceding' | 'following';
      readonly offset: Constant;
      readonly months?: { readonly count: number; readonly of: 'date' | 'datetime' };
    };

export interface WindowFrame {
  readonly mode: 'rows' | 'range' | 'groups';
  readonly start: FrameBound;
  readonly end: FrameBound;
  /** Omitted from the frame: the row, the row and its peers, or its peers alone. */
  readonly exclude?: FrameExclusion;
}

export type FrameExclusion = 'current-row' | 'group' | 'ties';

export interface WindowFunction extends RelationColumn {
  readonly function: WindowFunctionName;
  /** Columns of the input. */
  readonly args: readonly RelationColumn[];
  /** Read by first-value, last-value, nth-value and the aggregates. */
  readonly frame: WindowFrame;
}

/**
 * For each input row, its columns and each value from `first` on that is not beyond `last`: none if one of the three
 * expressions is missing. The value after v is v + `months` calendar months + `step`. A step of 0 without months throws 6000.
 */
export interface Series {
  readonly op: 'series';
  readonly input: Relation;
  /** The type is that of `first` and `last`: exact, a date or a datetime. */
  readonly value: RelationColumn;
  readonly first: Expression;
  readonly last: Expression;
  /** In the stored form of the values: a decimal of their scale, or an integer of days or seconds. */
  readonly step: Expression;
  /** 0 except for dates. */
  readonly months: number;
}

/**
 * WITH RECURSIVE: the rows of `left`, then the rows of `right`, which is evaluated in rounds until a round adds none. In `right`,
 * `working` is the rows that the previous round added. Column i is left[i] or right[i].
 */
export interface Recursive {
  readonly op: 'recursive';
  /** A number that differs from those of surrounding recursive relations. */
  readonly recursion: number;
  /** UNION ALL; otherwise a row that was returned before is not added again. Missing values are equal. */
  readonly all: boolean;
  readonly left: Relation;
  readonly right: Relation;
  readonly columns: readonly (RelationColumn & { readonly left: number; readonly right: number })[];
}

export type Relation =
  /** The rows of a SELECT over one dimension; output i is columns[i]. It reads no other relation. */
  | { readonly op: 'scan'; readonly plan: SelectPlan; readonly columns: readonly RelationColumn[] }
  /** Table `table` of the plan, which is computed once; column i is the table's column at position from[i]. */
  | {
      readonly op: 'shared';
      readonly table: number;
      readonly columns: readonly RelationColumn[];
      readonly from: readonly number[];
    }
  /** The rows of an earlier stage of execution; see stage.ts. Only stages contain it. */
  | { readonly op: 'received'; readonly stage: number; readonly columns: readonly RelationColumn[] }
  | {
      readonly op: 'values';
      readonly columns: readonly RelationColumn[];
      readonly rows: readonly (readonly Constant['value'][])[];
    }
  | Series
  | Recursive
  /** The rows of the answer to a question about behaviour; value i of a row is columns[i]. */
  | { readonly op: 'question'; readonly question: TableQuestion; readonly columns: readonly RelationColumn[] }
  /** In the right side of the recursive relation `recursion`: the rows of the previous round, with all of its columns. */
  | { readonly op: 'working'; readonly recursion: number; readonly columns: readonly RelationColumn[] }
  /** Rows for which the condition is true. */
  | { readonly op: 'filter'; readonly input: Relation; readonly condition: Expression }
  /** Returns `columns` only, in this order; those that the input has are passed on by an expression that reads them. */
  | { readonly op: 'project'; readonly input: Relation; readonly columns: readonly Definition[] }
  | {
      readonly op: 'join';
      readonly kind: JoinKind;
      readonly left: Relation;
      readonly right: Relation;
      readonly keys: readonly JoinKey[];
      /** Reads columns of both sides; null = true. */
      readonly condition: Expression | null;
      /** The column of a mark join; null for other kinds. */
      readonly mark: number | null;
    }
  /**
   * One row per different values of the keys, or a single row without keys. Missing values are equal. Without
   * aggregates it is DISTINCT. Returns the keys, then the aggregates.
   */
  | {
      readonly op: 'aggregate';
      readonly input: Relation;
      readonly keys: readonly RelationColumn[];
      readonly aggregates: readonly RelationAggregate[];
    }
  /** The input's columns and one per function; the functions see the rows of their partition in the order of `order`. */
  | {
      readonly op: 'window';
      readonly input: Relation;
      readonly partition: readonly RelationColumn[];
      readonly order: readonly RelationSortKey[];
      readonly functions: readonly WindowFunction[];
    }
  /** The rows in order, from row `offset` on, at most `limit` (null = all). Without keys it is LIMIT. */
  | {
      readonly op: 'sort';
      readonly input: Relation;
      readonly keys: readonly RelationSortKey[];
      readonly offset: number;
      readonly limit: number | null;
    }
  /**
   * union: all rows of both. intersect, except: with `all`, a row that occurs m times left and n times right occurs
   * min(m, n) or max(m - n, 0) times; otherwise once. Missing values are equal. RelationColumn i is left[i] or right[i].
   */
  | {
      readonly op: 'set';
      readonly operator: 'union' | 'intersect' | 'except';
      /** Always true for a union; a union without duplicates is an aggregate over it. */
      readonly all: boolean;
      readonly left: Relation;
      readonly right: Relation;
      readonly columns: readonly (RelationColumn & { readonly left: number; readonly right: number })[];
    };

export type RelationOf<Op extends Relation['op']> = Extract<Relation, { readonly op: Op }>;

/** A bound query. Its outputs are the columns of `root`. */
export interface RelationPlan {
  readonly databaseId: number;
  readonly root: Relation;
  /** One field per column of the root. */
  readonly outputs: readonly Field[];
  /** Relations that are computed once and read by `shared`; each reads only those before it. Numbers are per table. */
  readonly tables: readonly Relation[];
}

/** The columns that a relation returns. */
export function columnsOf(relation: Relation): readonly RelationColumn[] {
  switch (relation.op) {
    case 'scan':
    case 'shared':
    case 'received':
    case 'working':
    case 'values':
    case 'question':
    case 'set':
    case 'recursive':
      return relation.columns;
    case 'filter':
    case 'sort':
      return columnsOf(relation.input);
    case 'project':
      return relation.columns.map(({ column, of }) => ({ column, type: of.type }));
    case 'aggregate':
      return [...relation.keys, ...relation.aggregates];
    case 'window':
      return [...columnsOf(relation.input), ...relation.functions];
    case 'series':
      return [...columnsOf(relation.input), relation.value];
    case 'join':
      return joinColumns(relation);
  }
}

function joinColumns({ kind, left, right, mark }: RelationOf<'join'>): readonly RelationColumn[] {
  switch (kind) {
    case 'semi':
    case 'anti':
      return columnsOf(left);
    case 'mark':
      invariant(mark !== null, 'a mark join has a column for its result');
      return [...columnsOf(left), { column: mark, type: BOOLEAN }];
    default:
      return [...columnsOf(left), ...columnsOf(right)];
  }
}

/** The relations that a relation reads, left first. */
export function relationInputs(relation: Relation): readonly Relation[] {
  switch (relation.op) {
    case 'scan':
    case 'shared':
    case 'received':
    case 'working':
    case 'values':
    case 'question':
      return [];
    case 'join':
    case 'set':
    case 'recursive':
      return [relation.left, relation.right];
    default:
      return [relation.input];
  }
}

/** The same relation over other inputs, in the order of `relationInputs`. */
export function withInputs(relation: Relation, inputs: readonly Relation[]): Relation {
  switch (relation.op) {
    case 'scan':
    case 'shared':
    case 'received':
    case 'working':
    case 'values':
    case 'question':
      return relation;
    case 'join':
    case 'set':
    case 'recursive':
      return { ...relation, left: inputs[0], right: inputs[1] };
    default:
      return { ...relation, input: inputs[0] };
  }
}

/** An expression that reads the column. */
export const readColumn = ({ column, type }: RelationColumn): Expression => inputExpression(type, column);

/** The column as it is in the input of a projection. */
export const passedOn = (column: RelationColumn): Definition => ({
  column: column.column,
  of: readColumn(column),
});

/** The columns that the operator itself reads. */
export function readsOf(relation: Relation): ReadonlySet<number> {
  const reads = new Set<number>();
  const read = (columns: readonly RelationColumn[]): void => {
    for (const { column } of columns) reads.add(column);
  };
  const evaluate = (expression: Expression | null): void => {
    if (expression !== null) for (const input of inputsOf(expression)) reads.add(input);
  };
  switch (relation.op) {
    case 'filter':
      evaluate(relation.condition);
      break;
    case 'project':
      for (const { of } of relation.columns) evaluate(of);
      break;
    case 'series':
      for (const of of [relation.first, relation.last, relation.step]) evaluate(of);
      break;
    case 'join':
      for (const { left, right } of relation.keys) reads.add(left).add(right);
      evaluate(relation.condition);
      break;
    case 'aggregate':
      read(relation.keys);
      for (const { of } of relation.aggregates) if (of !== null) reads.add(of.column);
      break;
    case 'window':
      read(relation.partition);
      read(relation.order);
      for (const { args } of relation.functions) read(args);
      break;
    case 'sort':
      read(relation.keys);
      break;
    case 'set':
    case 'recursive':
      for (const { left, right } of relation.columns) reads.add(left).add(right);
  }
  return reads;
}

/** The columns of an outer relation that the tree reads. */
export function outerColumns(relation: Relation): ReadonlySet<number> {
  const outer = new Set(readsOf(relation));
  const inputs = relationInputs(relation);
  for (const input of inputs) for (const column of outerColumns(input)) outer.add(column);
  for (const input of inputs) for (const { column } of columnsOf(input)) outer.delete(column);
  return outer;
}
