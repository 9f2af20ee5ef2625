/**
 * Builds relations. Which columns a table is read for is known only after the whole statement is bound, so binding
 * returns functions that build its relations afterwards.
 */
import {
  columnsOf,
  type Definition,
  type Expression,
  inputsOf,
  type JoinKey,
  type JoinKind,
  passedOn,
  type Relation,
  type RelationColumn,
} from '../../../ir/index.js';
import { junctionOf } from '../expressions/build.js';
import { sameType } from '../expressions/types.js';
import { PLAIN_TRAITS, type PlanColumns } from './plan-columns.js';

export type Build = () => Relation;

/** The relation with further columns. */
export function extended(input: Relation, definitions: readonly Definition[]): Relation {
  if (definitions.length === 0) return input;
  const passed = columnsOf(input).map(passedOn);
  return { op: 'project', input, columns: [...passed, ...definitions] };
}

/** Only these columns of the relation, in this order. */
export const narrowed = (input: Relation, columns: readonly RelationColumn[]): Relation => ({
  op: 'project',
  input,
  columns: columns.map(passedOn),
});

export const filtered = (input: Relation, conditions: readonly Expression[]): Relation =>
  conditions.length === 0 ? input : { op: 'filter', input, condition: junctionOf('and', conditions) };

/** Rows without columns: one row. */
export const ONE_ROW_RELATION: Relation = { op: 'values', columns: [], rows: [[]] };

/** A join whose equalities between the sides become keys; expressions on one side become columns of that side. */
export function joined(
  kind: JoinKind,
  left: Relation,
  right: Relation,
  conditions: readonly Expression[],
  columns: PlanColumns,
  mark: number | null = null,
): Relation {
  const [ofLeft, ofRight] = [left, right].map((side) => new Set(columnsOf(side).map(({ column }) => column)));
  const isOf = (expression: Expression, side: ReadonlySet<number>): boolean => {
    const inputs = [...inputsOf(expression)];
    return inputs.length > 0 && inputs.every((input) => side.has(input));
  };
  const keys: JoinKey[] = [];
  const rest: Expression[] = [];
  const computed: { readonly left: Definition[]; readonly right: Definition[] } = { left: [], right: [] };
  const columnOf = (expression: Expression, definitions: Definition[]): number => {
    if (expression.op === 'input') return expression.input;
    const { column } = columns.add(expression.type, PLAIN_TRAITS, 'a join key');
    definitions.push({ column, of: expression });
    return column;
  };
  for (const condition of conditions) {
    const isEqual = condition.op === 'compare' && condition.comparison === '=';
    if (!isEqual || !sameType(condition.left.type, condition.right.type)) {
      rest.push(condition);
    } else if (isOf(condition.left, ofLeft) && isOf(condition.right, ofRight)) {
      const key = [columnOf(condition.left, computed.left), columnOf(condition.right, computed.right)];
      keys.push({ left: key[0], right: key[1], nullsEqual: false });
    } else if (isOf(condition.left, ofRight) && isOf(condition.right, ofLeft)) {
      const key = [columnOf(condition.right, computed.left), columnOf(condition.left, computed.right)];
      keys.push({ left: key[0], right: key[1], nullsEqual: false });
    } else rest.push(condition);
  }
  const condition = rest.length === 0 ? null : junctionOf('and', rest);
  const join: Relation = {
    op: 'join',
    kind,
    left: extended(left, computed.left),
    right: extended(right, computed.right),
    keys,
    condition,
    mark,
  };
  if (computed.left.length + computed.right.length === 0) return join;
  const added = new Set([...computed.left, ...computed.right].map(({ column }) => column));
  return narrowed(
    join,
    columnsOf(join).filter(({ column }) => !added.has(column)),
  );
}
