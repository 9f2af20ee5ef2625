/**
 * The reference executor of relations: row at a time, plain values, nested loops. The right side of a correlated join
 * is evaluated for every left row. Checks that every column that is read exists.
 */
import {
  columnsOf,
  type Expression,
  inputsOf,
  type Relation,
  type RelationOf,
  type RelationPlan,
  type SelectPlan,
} from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { evaluateRow } from '../../expression/oracle.js';
import { aggregateOf } from './aggregates.js';
import { compareRows, compareValues, type Row, textOf } from './values.js';
import { windowValues } from './windows.js';

/** Thrown if a row of a single join has two matches. */
export class TwoMatches extends Error {}

/** The rows that leaves read: a value per column. */
export interface Sources {
  scan(plan: SelectPlan): readonly (readonly Value[])[];
  table(table: number): readonly (readonly Value[])[];
  /** In plans, nothing is received. */
  received?(stage: number): readonly (readonly Value[])[];
  /** By number of the surrounding recursive relation: the rows of the previous round. */
  readonly working?: ReadonlyMap<number, readonly (readonly Value[])[]>;
}

/** The rows of a plan: a value per column of the root. */
export function runPlan(plan: RelationPlan, scan: Sources['scan']): Value[][] {
  const tables: Value[][][] = [];
  const sources: Sources = { scan, table: (table) => tables[table] };
  for (const table of plan.tables) tables.push(valuesOf(table, sources));
  return valuesOf(plan.root, sources);
}

/** The rows of a relation: a value per column. */
export function valuesOf(relation: Relation, sources: Sources): Value[][] {
  const columns = columnsOf(relation);
  return rowsOf(relation, sources, []).map((row) => columns.map(({ column }) => row[column]));
}

/** The rows of a relation, for one row of the relations outside. */
export function rowsOf(relation: Relation, sources: Sources, outer: Row): Row[] {
  const inputOf = (input: Relation): Row[] => rowsOf(input, sources, outer);
  const within = (row: Row): Row => joinedRow(outer, row);
  switch (relation.op) {
    case 'scan':
      return numbered(relation, sources.scan(relation.plan));
    case 'received':
      return numbered(relation, sources.received?.(relation.stage) ?? []);
    case 'shared': {
      const { from } = relation;
      return numbered(
        relation,
        sources.table(relation.table).map((row) => from.map((index) => row[index])),
      );
    }
    case 'values':
      return numbered(relation, relation.rows);
    case 'question':
      throw new Error('questions about behaviour have models of their own in test/behaviour');
    case 'filter':
      return inputOf(relation.input).filter((row) => computed(relation.condition, within(row)) === true);
    case 'project':
      return inputOf(relation.input).map((row) => {
        const full = within(row);
        const values: Value[] = [];
        for (const { column, of } of relation.columns) values[column] = computed(of, full);
        return values;
      });
    case 'series':
      return inputOf(relation.input).flatMap((row) => seriesRows(relation, row, within(row)));
    case 'join':
      return joinRows(relation, sources, outer);
    case 'aggregate':
      return groups(relation, inputOf(relation.input).map(within));
    case 'window':
      return windowRows(relation, inputOf(relation.input), outer);
    case 'sort': {
      const { keys, offset, limit } = relation;
      const rows = inputOf(relation.input).sort((a, b) => compareRows(keys, within(a), within(b)));
      return rows.slice(offset, limit === null ? undefined : offset + limit);
    }
    case 'recursive':
      return recursiveRows(relation, sources, outer);
    case 'working':
      return numbered(relation, sources.working?.get(relation.recursion) ?? []);
    case 'set':
      return setRows(relation, inputOf(relation.left).map(within), inputOf(relation.right).map(within));
  }
}

function recursiveRows(relation: RelationOf<'recursive'>, sources: Sources, outer: Row): Row[] {
  const { left, right, columns, all, recursion } = relation;
  const seen = new Set<string>();
  const found: Value[][] = [];
  for (let added: Value[][] | null = null; added === null || added.length > 0; ) {
    const working = new Map([...(sources.working ?? []), [recursion, added ?? []] as const]);
    const rows = rowsOf(added === null ? left : right, { ...sources, working }, outer);
    const side: 'left' | 'right' = added === null ? 'left' : 'right';
    const values: Value[][] = rows.map((row) => columns.map((one) => row[one[side]]));
    added = values.filter((one) => {
      const key = textOf(one);
      const isNew = all || !seen.has(key);
      seen.add(key);
      return isNew;
    });
    found.push(...added);
  }
  return numbered(relation, found);
}

/** Supports series of integers only. */
function seriesRows({ value, first, last, step }: RelationOf<'series'>, row: Row, full: Row): Row[] {
  const [from, to, by] = [first, last, step].map((of) => computed(of, full));
  if (typeof from !== 'bigint' || typeof to !== 'bigint' || typeof by !== 'bigint') return [];
  const rows: Row[] = [];
  for (let current = from; by > 0n ? current <= to : current >= to; current += by) {
    const extended = row.slice();
    extended[value.column] = current;
    rows.push(extended);
  }
  return rows;
}

function computed(expression: Expression, row: Row): Value {
  for (const input of inputsOf(expression)) {
    if (row[input] === undefined) throw new Error(`column ${input} is read but does not exist`);
  }
  return evaluateRow(expression, row);
}

export function joinedRow(a: Row, b: Row): Row {
  const joined = a.slice();
  b.forEach((value, column) => {
    joined[column] = value;
  });
  return joined;
}

const numbered = (relation: Relation, rows: readonly (readonly Value[])[]): Row[] => {
  const columns = columnsOf(relation);
  return rows.map((values) => {
    const row: Value[] = [];
    columns.forEach(({ column }, index) => {
      row[column] = values[index];
    });
    return row;
  });
};

type Truth = boolean | null;

function both(a: Truth, b: Truth): Truth {
  if (a === false || b === false) return false;
  return a === null || b === null ? null : true;
}

function matches({ kind, keys, condition }: RelationOf<'join'>, row: Row): Truth {
  let truth: Truth = true;
  for (const { left, right, nullsEqual } of keys) {
    const [a, b] = [row[left], row[right]];
    if (a === undefined || b === undefined) throw new Error('a key does not exist');
    const isMissing = a === null || b === null;
    const equal = isMissing ? (nullsEqual ? a === b : null) : compareValues(a, b) === 0;
    truth = both(truth, equal);
  }
  // Only a mark join distinguishes unknown pairs; the others test the condition of pairs with equal keys.
  const isSettled = condition === null || truth === false || (truth === null && kind !== 'mark');
  return isSettled ? truth : both(truth, computed(condition, row) as Truth);
}

function joinRows(join: RelationOf<'join'>, sources: Sources, outer: Row): Row[] {
  const { kind, left, right, mark } = join;
  const isCorrelated = readsLeft(join);
  const fixed = isCorrelated ? null : rowsOf(right, sources, outer);
  const missing: Value[] = [];
  for (const { column } of columnsOf(right)) missing[column] = null;
  const matched = new Set<Row>();
  const rows: Row[] = [];
  for (const row of rowsOf(left, sources, outer)) {
    const around = joinedRow(outer, row);
    const others = fixed ?? rowsOf(right, sources, around);
    const truths = others.map((other) => matches(join, joinedRow(around, other)));
    const found = others.filter((_, index) => truths[index] === true);
    for (const other of found) matched.add(other);
    switch (kind) {
      case 'semi':
        if (found.length > 0) rows.push(row);
        break;
      case 'anti':
        if (found.length === 0) rows.push(row);
        break;
      case 'mark': {
        const marked = row.slice();
        marked[Number(mark)] = found.length > 0 ? true : truths.includes(null) ? null : false;
        rows.push(marked);
        break;
      }
      default:
        if (kind === 'single' && found.length > 1) throw new TwoMatches();
        rows.push(...found.map((other) => joinedRow(row, other)));
        if (found.length === 0 && kind !== 'inner') rows.push(joinedRow(row, missing));
    }
  }
  if (kind !== 'full') return rows;
  const absent: Value[] = [];
  for (const { column } of columnsOf(left)) absent[column] = null;
  return [
    ...rows,
    ...(fixed ?? []).filter((other) => !matched.has(other)).map((other) => joinedRow(absent, other)),
  ];
}

function readsLeft({ left, right }: RelationOf<'join'>): boolean {
  const columns = new Set(columnsOf(left).map(({ column }) => column));
  const reads = (relation: Relation): boolean => {
    let found = false;
    const visit = (plain: unknown): void => {
      if (typeof plain !== 'object' || plain === null || found) return;
      const record = plain as Record<string, unknown>;
      if (record.op === 'input' && columns.has(Number(record.input))) found = true;
      else if (record.op === 'scan') return;
      else if (typeof record.column === 'number' && columns.has(record.column)) found = true;
      else if (
        typeof record.left === 'number' &&
        (columns.has(record.left) || columns.has(Number(record.right)))
      )
        found = true;
      else for (const value of Object.values(record)) visit(value);
    };
    visit(relation);
    return found;
  };
  return reads(right);
}

function groups({ keys, aggregates }: RelationOf<'aggregate'>, rows: readonly Row[]): Row[] {
  const found = new Map<string, Row[]>();
  if (keys.length === 0) found.set('', []);
  for (const row of rows) {
    const key = textOf(keys.map(({ column }) => row[column]));
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()].map((members) => {
    const values: Value[] = [];
    for (const { column } of keys) values[column] = members[0][column];
    for (const aggregate of aggregates) {
      const { of, column } = aggregate;
      const scale = of?.type.type === 'decimal' ? of.type.scale : 0;
      values[column] =
        of === null
          ? BigInt(members.length)
          : aggregateOf(
              { ...aggregate, scale },
              members.map((row) => row[of.column]),
            );
    }
    return values;
  });
}

function windowRows(
  { partition, order, functions }: RelationOf<'window'>,
  rows: readonly Row[],
  outer: Row,
): Row[] {
  const partitions = new Map<string, Row[]>();
  for (const row of rows) {
    const full = joinedRow(outer, row);
    const key = textOf(partition.map(({ column }) => full[column]));
    partitions.set(key, [...(partitions.get(key) ?? []), row]);
  }
  return [...partitions.values()].flatMap((members) => {
    const sorted = members
      .map((row) => ({ row, full: joinedRow(outer, row) }))
      .sort((a, b) => compareRows(order, a.full, b.full));
    const full = sorted.map((one) => one.full);
    const values = functions.map((called) => windowValues(called, full, order));
    return sorted.map(({ row }, index) => {
      const extended = row.slice();
      functions.forEach(({ column }, at) => {
        extended[column] = values[at][index];
      });
      return extended;
    });
  });
}

function setRows(
  { operator, all, columns }: RelationOf<'set'>,
  lefts: readonly Row[],
  rights: readonly Row[],
): Row[] {
  const take = (rows: readonly Row[], side: 'left' | 'right'): Row[] =>
    rows.map((row) => {
      const values: Value[] = [];
      for (const one of columns) values[one.column] = row[one[side]];
      return values;
    });
  const [left, right] = [take(lefts, 'left'), take(rights, 'right')];
  if (operator === 'union') return [...left, ...right];
  const key = (row: Row): string => textOf(columns.map(({ column }) => row[column]));
  const counts = new Map<string, number>();
  for (const row of right) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  const seen = new Set<string>();
  return left.filter((row) => {
    const text = key(row);
    const count = counts.get(text) ?? 0;
    if (!all) {
      const isFirst = !seen.has(text);
      seen.add(text);
      return isFirst && count > 0 === (operator === 'intersect');
    }
    counts.set(text, count - 1);
    return count > 0 === (operator === 'intersect');
  });
}
