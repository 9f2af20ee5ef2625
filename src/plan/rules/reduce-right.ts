/**
 * Reduces the large right side of a join with a small left side to the rows whose keys occur on the left: the right side
 * is collected on every worker, while this test is made where its rows are stored. The left side is read twice, as a
 * table of the plan. Groups on the right are reduced before they are formed, if the join compares their keys.
 */
import {
  columnsOf,
  type Definition,
  type JoinKey,
  type JoinKind,
  type Relation,
  type RelationOf,
  type RelationPlan,
} from '../../ir/index.js';
import { isBareScan } from '../relations/scans.js';
import { ColumnNumbers, readsWorking, rewritten } from '../relations/tree.js';
import { Estimates } from './estimates.js';
import type { Statistics } from './statistics.js';

/** A right side with fewer rows is collected unchanged. */
const RIGHT_ROWS_MIN = 50_000;
/** The right side has at least this many times as many rows as the left side. */
const RATIO_MIN = 4;
/** All rows of a table that are as many as this share of the right side's keys reduce it too little. */
const KEYS_MAX = 0.5;
/** Joins of these kinds do not need right rows whose keys do not occur on the left. */
const KINDS: ReadonlySet<JoinKind> = new Set(['inner', 'left', 'single', 'semi', 'anti']);

type Join = RelationOf<'join'>;

export function reduceRight(plan: RelationPlan, statistics: Statistics): RelationPlan {
  const numbers = new ColumnNumbers(plan);
  const tables = [...plan.tables];
  const estimates = new Estimates(statistics, tables);
  const root = rewritten(plan.root, (relation) => {
    if (relation.op !== 'join' || !mayReduce(relation, estimates)) return relation;
    const columns = columnsOf(relation.left);
    const table = tables.push(relation.left) - 1;
    const from = columns.map((_column, index) => index);
    const keysOf = (right: Relation, keys: readonly JoinKey[]): Relation => {
      const own = keys.map((key) => {
        const index = columns.findIndex(({ column }) => column === key.left);
        return { index, column: numbers.next(), type: columns[index].type, right: key.right };
      });
      return {
        op: 'join',
        kind: 'semi',
        left: right,
        right: {
          op: 'shared',
          table,
          columns: own.map(({ column, type }) => ({ column, type })),
          from: own.map(({ index }) => index),
        },
        keys: own.map(({ column, right: left }) => ({ left, right: column, nullsEqual: false })),
        condition: null,
        mark: null,
      };
    };
    const left: Relation = { op: 'shared', table, columns, from };
    return { ...relation, left, right: reduced(relation.right, relation.keys, keysOf) };
  });
  return tables.length === plan.tables.length ? plan : { ...plan, root, tables };
}

function mayReduce({ kind, left, right, keys }: Join, estimates: Estimates): boolean {
  if (!KINDS.has(kind) || keys.length === 0 || keys.some(({ nullsEqual }) => nullsEqual)) return false;
  const stored = storedPart(right, keys);
  if (stored === null || left.op === 'shared' || readsWorking(left)) return false;
  const rows = estimates.rows(stored);
  if (isWhole(left) && estimates.haveMostKeys(left, right, keys, KEYS_MAX)) return false;
  return rows >= RIGHT_ROWS_MIN && rows >= estimates.rows(left) * RATIO_MIN;
}

/** Whether the relation has all rows of a dimension. */
const isWhole = (relation: Relation): boolean =>
  relation.op === 'scan' &&
  isBareScan(relation.plan) &&
  relation.plan.condition === null &&
  relation.plan.filter === null;

/** The relation below the groups of a right side whose rows are stored on the shards; null if it is of another form. */
function storedPart(right: Relation, keys: readonly JoinKey[]): Relation | null {
  if (right.op === 'project') {
    const inner = throughProject(right.columns, keys);
    return inner === null ? null : storedPart(right.input, inner);
  }
  if (right.op === 'aggregate') {
    const isByKeys = keys.every((key) => right.keys.some(({ column }) => column === key.right));
    return isByKeys && isOnShards(right.input) ? right.input : null;
  }
  return isOnShards(right) ? right : null;
}

/** The keys over the input of a projection; null if one of them is computed. */
function throughProject(columns: readonly Definition[], keys: readonly JoinKey[]): readonly JoinKey[] | null {
  const inner = keys.map((key) => {
    const of = columns.find(({ column }) => column === key.right)?.of;
    return of?.op === 'input' ? { ...key, right: of.input } : null;
  });
  return inner.every((key) => key !== null) ? inner : null;
}

function isOnShards(relation: Relation): boolean {
  switch (relation.op) {
    case 'scan':
      return isBareScan(relation.plan);
    case 'filter':
    case 'project':
      return isOnShards(relation.input);
    default:
      return false;
  }
}

function reduced(
  right: Relation,
  keys: readonly JoinKey[],
  keysOf: (relation: Relation, keys: readonly JoinKey[]) => Relation,
): Relation {
  if (right.op === 'project') {
    const inner = throughProject(right.columns, keys);
    if (inner !== null) return { ...right, input: reduced(right.input, inner, keysOf) };
  }
  if (right.op === 'aggregate') return { ...right, input: keysOf(right.input, keys) };
  return keysOf(right, keys);
}
