/** Runs the SELECTs of scans over tables in memory, row at a time. Without joins and events. */
import type { Condition, Expression, SelectPlan, ValueTest } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { evaluateRow } from '../../expression/oracle.js';
import { aggregateOf } from './aggregates.js';
import { compareRows, type Row, textOf } from './values.js';

/** A dimension: the values of its columns by column ID, and the entity ID. */
export interface MemoryEntity {
  readonly id: string;
  readonly values: ReadonlyMap<number, Value>;
}
export type MemoryTables = ReadonlyMap<number, readonly MemoryEntity[]>;

/** The values of the outputs. Throws Refused if an expression fails. */
export function memoryScan(plan: SelectPlan, tables: MemoryTables): Value[][] {
  const entities = plan.dimensionId === null ? [null] : (tables.get(plan.dimensionId) ?? []);
  const rows: Row[] = [];
  for (const entity of entities) {
    if (entity !== null && plan.condition !== null && holds(plan.condition, entity) !== true) continue;
    const row = plan.inputs.map((input): Value => {
      if (entity === null) throw new Error('there is no entity');
      if (input.from === 'entity-id') return entity.id;
      if (input.from === 'attribute') return entity.values.get(input.columnId) ?? null;
      if (input.from === 'condition') return holds(input.condition, entity);
      throw new Error(`inputs from ${input.from} are not supported`);
    });
    if (plan.filter === null || evaluateRow(plan.filter, row) === true) rows.push(row);
  }
  return finishedRows(plan, plan.grouping === null ? rows : groupRows(plan.grouping, rows));
}

/** The outputs of a plan over its rows or groups. */
export function finishedRows(plan: SelectPlan, rows: readonly Row[]): Value[][] {
  const { having, offset, limit, outputs, order } = plan;
  const retained = rows.filter((row) => having === null || evaluateRow(having, row) === true);
  const sorted = retained
    .map((row) => ({ row, keys: order.map(({ of }) => evaluateRow(of, row)) }))
    .sort((a, b) =>
      compareRows(
        order.map(({ of, descending }, column) => ({
          column,
          type: of.type,
          descending,
          missingFirst: false,
        })),
        a.keys,
        b.keys,
      ),
    );
  const chosen = sorted.slice(offset, limit === null ? undefined : offset + limit);
  return chosen.map(({ row }) => outputs.map(({ of }) => evaluateRow(of, row)));
}

/** A row per group: the keys, then the aggregates. */
export function groupRows(grouping: NonNullable<SelectPlan['grouping']>, rows: readonly Row[]): Row[] {
  const { keys, aggregates } = grouping;
  const groups = new Map<string, { keys: Value[]; rows: Row[] }>();
  if (keys.length === 0) groups.set('', { keys: [], rows: [] });
  for (const row of rows) {
    const values = keys.map((key) => evaluateRow(key, row));
    const text = textOf(values);
    const group = groups.get(text) ?? { keys: values, rows: [] };
    groups.set(text, group);
    group.rows.push(row);
  }
  return [...groups.values()].map((group) => {
    const values = aggregates.map((aggregate): Value => {
      const { of } = aggregate;
      if (of === null) return BigInt(group.rows.length);
      const scale = of.type.type === 'decimal' ? of.type.scale : 0;
      return aggregateOf({ ...aggregate, scale }, operands(of, group.rows));
    });
    return [...group.keys, ...values];
  });
}

const operands = (of: Expression, rows: readonly Row[]): Value[] => rows.map((row) => evaluateRow(of, row));

function holds(condition: Condition, entity: MemoryEntity): boolean | null {
  switch (condition.op) {
    case 'attribute': {
      const value = entity.values.get(condition.columnId) ?? null;
      return value === null ? null : condition.tests.every((test) => passes(test, value));
    }
    case 'entity-id':
      return condition.tests.every((test) => passes(test, entity.id));
    case 'missing':
      return (entity.values.get(condition.columnId) ?? null) === null;
    case 'not': {
      const value = holds(condition.member, entity);
      return value === null ? null : !value;
    }
    case 'and':
    case 'or': {
      const settling = condition.op === 'or';
      const values = condition.members.map((member) => holds(member, entity));
      if (values.includes(settling)) return settling;
      return values.includes(null) ? null : !settling;
    }
    default:
      throw new Error(`conditions with ${condition.op} are not supported`);
  }
}

function passes(test: ValueTest, value: Value): boolean {
  if (test.kind === 'ranges') {
    const stored = typeof value === 'boolean' ? (value ? 1n : 0n) : BigInt(value as bigint);
    return test.ranges.some(({ low, high }) => stored >= low && stored <= high) !== test.negated;
  }
  if (test.kind !== 'text') throw new Error('no points here');
  const text = String(value);
  const match = (other: string): boolean => {
    if (test.match === 'equals') return text === other;
    if (test.match === 'contains') return text.includes(other);
    if (test.match === 'starts-with') return text.startsWith(other);
    if (test.match === 'ends-with') return text.endsWith(other);
    const like: Expression = {
      op: 'like',
      type: { type: 'boolean' },
      of: { op: 'input', type: { type: 'text' }, input: 0 },
      pattern: other,
      escape: '\\',
      negated: false,
    };
    return evaluateRow(like, [text]) === true;
  };
  return test.texts.some(match) !== test.negated;
}
