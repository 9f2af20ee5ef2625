/** Binds JOIN: each row of the first table matches at most one entity of each joined dimension, by a column with its ID. */
import { quoted } from '../../../base/index.js';
import { type Condition, type Expression, type Join, TEXT } from '../../../ir/index.js';
import { type Column, ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { JoinClause, SqlNode } from '../../tree.js';
import { checkCount, LOOKUP_JOINS_MAX } from '../bounds.js';
import { castOf } from '../expressions/build.js';
import { bare, membersOf } from '../nodes.js';
import type { SqlRequest } from '../request.js';
import { isOfEvents, type LeafScope, leafOf } from '../where/leaf.js';
import { ALWAYS, conditionOf, joinConditions, type Predicate } from '../where/predicate.js';
import { attributePredicate, presencePredicate } from '../where/reader.js';
import type { Inputs } from './inputs.js';
import { refOf } from './items.js';
import { type ColumnRef, nameOfRef, type Source, type Sources } from './sources.js';

/** A join before its columns are known. */
export type JoinHead = Omit<Join, 'columns'>;

/** Adds the joined tables to `sources`. Throws 6000 and 506. */
export function bindJoins(
  clauses: readonly JoinClause[],
  sources: Sources,
  inputs: Inputs,
  { access, nowMs }: SqlRequest,
): readonly JoinHead[] {
  return clauses.map(({ table, kind, on }, index) => {
    checkCount(index + 1, LOOKUP_JOINS_MAX, 'joins', table.position);
    const joined = sources.add(table);
    inputs.joined.push([]);
    const key = keyOfJoin(on, joined, sources);
    const { dimension } = joined;
    const condition: Condition | null = access.restrict(dimension, null, nowMs);
    return { dimensionId: dimension.id, condition, kind, on: idOf(key, on, inputs) };
  });
}

export interface PushedDown {
  readonly joins: readonly JoinHead[];
  /** The predicates that remain for the rows. */
  readonly predicates: readonly Predicate[];
}

/**
 * Moves members of WHERE that are conditions on one joined table into its join. In an inner join, rows are dropped whether the
 * entity does not exist or does not pass the condition.
 */
export function pushDown(
  predicates: readonly Predicate[],
  joins: readonly JoinHead[],
  scope: Omit<LeafScope, 'table'>,
): PushedDown {
  const conditions = joins.map(({ condition }) => (condition === null ? [] : [condition]));
  const left = predicates.filter((predicate) => {
    if (predicate.is !== 'expression') return true;
    for (const [index, { kind }] of joins.entries()) {
      if (kind !== 'inner') continue;
      const leaf = leafOf(predicate.node, { ...scope, table: index + 1 });
      if (leaf === null || leaf.is === 'window' || isOfEvents(leaf)) continue;
      const moved = leaf.is === 'presence' ? presencePredicate(leaf) : attributePredicate(leaf);
      const condition = conditionOf(moved, false);
      if (condition === null) continue;
      conditions[index].push(condition);
      return false;
    }
    return true;
  });
  const narrowed = joins.map((join, index) => {
    const condition = joinConditions('and', conditions[index]);
    return { ...join, condition: condition === ALWAYS ? null : condition };
  });
  return { joins: narrowed, predicates: left };
}

/** The column with the ID of the joined entity. */
function keyOfJoin(on: SqlNode, joined: Source, sources: Sources): ColumnRef {
  const root = bare(on);
  const members = root.is === 'and' ? membersOf(root, 'and') : [root];
  const [only] = members;
  const form = `a join's condition is a column = ${joined.qualifier}.[${ENTITY_ID_COLUMN}]`;
  if (members.length > 1)
    throw sqlError(`${form} and nothing else; write other conditions in WHERE`, on.position);
  if (only.is !== 'compare' || only.comparison !== '=') throw sqlError(form, on.position);
  const [left, right] = [only.left, only.right].map((side) => sideOf(side, joined, sources));
  if (isIdOf(left, joined) && right !== null && right.source !== joined) return right;
  if (isIdOf(right, joined) && left !== null && left.source !== joined) return left;
  throw sqlError(form, on.position);
}

/** The column of one side; an unqualified entity ID belongs to the joined table. */
function sideOf(node: SqlNode, joined: Source, sources: Sources): ColumnRef | null {
  if (node.is === 'column' && node.table === null && node.name.toLowerCase() === ENTITY_ID_COLUMN) {
    const column = joined.dimension.columns.get(ENTITY_ID_COLUMN) as Column;
    return { is: 'column', source: joined, column, part: 'attribute' };
  }
  const ref = node.is === 'column' ? sources.resolve(node) : refOf(node, sources);
  return ref?.is === 'column' ? ref : null;
}

function isIdOf(ref: ColumnRef | null, source: Source): boolean {
  return ref !== null && ref.source === source && ref.column.apiName === ENTITY_ID_COLUMN;
}

/** The ID of the joined entity as text. */
function idOf(ref: ColumnRef, { position }: SqlNode, inputs: Inputs): Expression {
  const name = quoted(nameOfRef(ref));
  if (ref.part !== 'attribute')
    throw sqlError(`${name} is an event column, by which rows cannot be joined`, position);
  const input = inputs.column(ref, position);
  if (input.type.type === 'json')
    throw sqlError(`${name} contains lists or points, by which rows cannot be joined`, position);
  return input.type.type === 'text' ? input : castOf(input, TEXT);
}
