/**
 * Groups the large right side of a left join by its keys before the join, if the groups above the join only count its
 * values or ask for their extremes and exact sums: COUNT(r.x) by columns of the left side is the sum of the counts by key,
 * 0 for left rows without a match. The groups are formed where the rows are stored, and only they are joined.
 * Source  Yan and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995.
 */
import {
  type Definition,
  type Expression,
  INTEGER,
  passedOn,
  type Relation,
  type RelationAggregate,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  readColumn,
} from '../../ir/index.js';
import { vectorKindOf } from '../../vector/index.js';
import { isBareScan } from '../relations/scans.js';
import { ColumnNumbers, columnOf, columnSet, overTrees, rewritten } from '../relations/tree.js';
import { Estimates } from './estimates.js';
import type { Statistics } from './statistics.js';

/** A right side with fewer rows is joined unchanged. */
const RIGHT_ROWS_MIN = 50_000;
/** The right side has at least this many times as many rows as the left side. */
const RATIO_MIN = 2;

type Groups = RelationOf<'aggregate'>;
type Join = RelationOf<'join'>;

export function groupRight(plan: RelationPlan, statistics: Statistics): RelationPlan {
  const numbers = new ColumnNumbers(plan);
  const estimates = new Estimates(statistics, plan.tables);
  return overTrees(plan, (root) =>
    rewritten(root, (relation) => {
      // Without keys and rows, a count is 0, while a sum of counts is missing.
      if (relation.op !== 'aggregate' || relation.keys.length === 0) return relation;
      const { input } = relation;
      const join = input.op === 'project' ? input.input : input;
      if (join.op !== 'join' || !mayGroup(join, estimates)) return relation;
      const read = sourcesOf(relation, input.op === 'project' ? input.columns : null, join);
      return read === null ? relation : grouped(relation, join, read, numbers);
    }),
  );
}

function mayGroup({ kind, left, right, keys, condition }: Join, estimates: Estimates): boolean {
  if (kind !== 'left' || condition !== null || keys.length === 0) return false;
  if (right.op !== 'scan' || !isBareScan(right.plan)) return false;
  const rows = estimates.rows(right);
  return rows >= RIGHT_ROWS_MIN && rows >= estimates.rows(left) * RATIO_MIN;
}

interface Sources {
  /** By key of the groups, a column of the left side. */
  readonly keys: readonly RelationColumn[];
  /** By aggregate, the column of the right side whose values it reads. */
  readonly values: readonly RelationColumn[];
}

/** null if a key is not of the left side, or an aggregate is not one of values of the right side. */
function sourcesOf({ keys, aggregates }: Groups, definitions: readonly Definition[] | null, join: Join) {
  const sourceOf = ({ column, type }: RelationColumn): RelationColumn | null => {
    if (definitions === null) return { column, type };
    const of = definitions.find((one) => one.column === column)?.of;
    return of?.op === 'input' ? { column: of.input, type: of.type } : null;
  };
  const [left, right] = [columnSet(join.left), columnSet(join.right)];
  const ofKeys = keys.map(sourceOf).filter((source) => source !== null && left.has(source.column));
  const values = aggregates
    .map((one) => {
      const source = one.of === null ? null : sourceOf(one.of);
      return source !== null && right.has(source.column) && isSplit(one, source, join.right) ? source : null;
    })
    .filter((source) => source !== null);
  const isAll = ofKeys.length === keys.length && values.length === aggregates.length && values.length > 0;
  return isAll ? ({ keys: ofKeys, values } as Sources) : null;
}

/**
 * Whether the aggregate of all rows follows from the aggregates of parts. Float sums of parts are rounded, and sums of
 * computed values may have too many digits only in parts.
 */
function isSplit(
  { function: name, distinct }: RelationAggregate,
  of: RelationColumn,
  right: Relation,
): boolean {
  if (name === 'min' || name === 'max') return true;
  if (distinct) return false;
  return name === 'count' || (name === 'sum' && vectorKindOf(of.type) === 'exact' && isStored(of, right));
}

function isStored({ column }: RelationColumn, right: Relation): boolean {
  if (right.op !== 'scan') return false;
  const output = right.plan.outputs[right.columns.findIndex((one) => one.column === column)];
  return output.of.op === 'input';
}

const ZERO: Expression = { op: 'constant', type: INTEGER, value: 0n };

function grouped(groups: Groups, join: Join, { keys, values }: Sources, numbers: ColumnNumbers): Groups {
  const parts = groups.aggregates.map((one, index): RelationAggregate => {
    return { ...one, column: numbers.next(), of: values[index], distinct: false };
  });
  const rightKeys = [...new Set(join.keys.map(({ right }) => right))];
  const right: Groups = {
    op: 'aggregate',
    input: join.right,
    keys: rightKeys.map((column) => columnOf(join.right, column)),
    aggregates: parts,
  };
  const ofKeys = groups.keys.map(
    (key, index): Definition => ({ column: key.column, of: readColumn(keys[index]) }),
  );
  const ofParts = parts.map((part): Definition => {
    if (part.function !== 'count') return passedOn(part);
    return {
      column: numbers.next(),
      of: { op: 'coalesce', type: INTEGER, members: [readColumn(part), ZERO] },
    };
  });
  return {
    ...groups,
    input: { op: 'project', input: { ...join, right }, columns: [...ofKeys, ...ofParts] },
    aggregates: groups.aggregates.map((one, index): RelationAggregate => {
      const name = one.function === 'count' ? 'sum' : one.function;
      const of = { column: ofParts[index].column, type: parts[index].type };
      return { ...one, function: name, of, distinct: false };
    }),
  };
}
