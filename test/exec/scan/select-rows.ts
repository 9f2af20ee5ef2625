/** A model of SELECT rows, computed row by row from plain maps, and functions that run plans over shards. */
import { QueryMemories, QueryRun, SelectCursor, type SelectOptions } from '../../../src/exec/index.js';
import type {
  Condition,
  EventTest,
  Expression,
  Input,
  JoinTable,
  SelectPlan,
  SortKey,
} from '../../../src/ir/index.js';
import type { OperatorStats, SelectPart } from '../../../src/protocol/index.js';
import { formatDate, formatDecimal } from '../../../src/schema/index.js';
import type { Arena, Shard } from '../../../src/storage/index.js';
import { fromWire, type SqlType, toWire, type Value, valueAt, vectorOf } from '../../../src/vector/index.js';
import { countMatches, passes, type StoredEntity } from '../../ir/evaluate.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type Stored, type StoredColumn, type StoredEntities } from '../../storage/stored.js';

export const BOOLEAN: SqlType = { type: 'boolean' };
export const INTEGER: SqlType = { type: 'integer' };
export const TEXT: SqlType = { type: 'text' };
export const JSON_TEXT: SqlType = { type: 'json' };

export const PLAIN: SelectPlan = {
  ...KEY,
  condition: null,
  filter: null,
  events: null,
  joins: [],
  inputs: [],
  feeds: [],
  grouping: null,
  having: null,
  outputs: [],
  distinct: false,
  order: [],
  offset: 0,
  limit: null,
};

// Inputs

function typeOf({ kind }: StoredColumn): SqlType {
  switch (kind) {
    case 'bits':
      return BOOLEAN;
    case 'i32':
      return { type: 'date' };
    case 'i64':
      return { type: 'decimal', scale: 3 };
    case 'code':
      return TEXT;
    case 'geo':
      return JSON_TEXT;
  }
}

export const columnOf = (id: number): StoredColumn =>
  COLUMNS.find((column) => column.id === id) as StoredColumn;

export function inputOf(column: StoredColumn): Input {
  const { id: columnId, kind } = column;
  if (column.form === 'latest') return { type: typeOf(column), from: 'attribute', columnId, kind };
  if (column.form === 'list') {
    return { type: JSON_TEXT, from: 'list', columnId, kind, itemType: typeOf(column) };
  }
  return { type: typeOf(column), from: 'event-value', columnId, kind };
}

export const ID_INPUT: Input = { type: TEXT, from: 'entity-id' };
export const dateInput = (columnId: number): Input => ({
  type: { type: 'datetime' },
  from: 'event-date',
  columnId,
});
export const conditionInput = (condition: Condition): Input => ({
  type: BOOLEAN,
  from: 'condition',
  condition,
});

/** The ID and every attribute column. */
export const ATTRIBUTE_INPUTS: readonly Input[] = [
  ID_INPUT,
  ...COLUMNS.filter(({ form }) => form !== 'event').map(inputOf),
];

export const inputAt = (plan: Pick<SelectPlan, 'inputs'>, input: number): Expression => ({
  op: 'input',
  type: plan.inputs[input].type,
  input,
});

/** The plan with every input as an output. */
export function withAllOutputs(plan: SelectPlan): SelectPlan {
  const outputs = plan.inputs.map(({ type }, input) => ({
    name: `output ${input}`,
    type,
    of: inputAt(plan, input),
  }));
  return { ...plan, outputs };
}

// Joined dimensions, as they are sent to the workers

export interface PlainTable {
  readonly types: readonly SqlType[];
  /** By ID. */
  readonly rows: ReadonlyMap<string, readonly Value[]>;
}

export function joinTable({ types, rows }: PlainTable): JoinTable {
  const values = [...rows.values()];
  return {
    ids: toWire(vectorOf(TEXT, [...rows.keys()])),
    columns: types.map((type, column) =>
      toWire(
        vectorOf(
          type,
          values.map((row) => row[column]),
        ),
      ),
    ),
  };
}

// Model

interface NaiveRow {
  readonly id: string;
  readonly entity: StoredEntity;
  readonly event: { readonly seconds: number; readonly value: Stored } | null;
  /** By join, the matching row. */
  readonly found: (readonly Value[] | null)[];
}

export interface Answer {
  readonly outputs: readonly Value[];
  readonly keys: readonly Value[];
}

const holds = (condition: Condition, id: string, entity: StoredEntity): boolean =>
  countMatches(new Map([[1, new Map([[id, entity]])]]), 1, condition) === 1;

const passesEvent = (
  { window, tests }: EventTest,
  { seconds, value }: { readonly seconds: number; readonly value: Stored },
): boolean => seconds >= window.from && seconds <= window.to && tests.every((test) => passes(test, value));

function plainValue(value: Stored | undefined, type: SqlType): Value {
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value !== 'bigint') return `[${value[0]},${value[1]}]`;
  return type.type === 'boolean' ? value === 1n : value;
}

function itemText(item: Stored, type: SqlType): string {
  if (typeof item === 'string') return JSON.stringify(item);
  if (typeof item !== 'bigint') return `[${item[0]},${item[1]}]`;
  if (type.type === 'boolean') return item === 1n ? 'true' : 'false';
  if (type.type === 'date') return `"${formatDate(Number(item))}"`;
  const text = formatDecimal(item, type.type === 'decimal' ? type.scale : 0);
  return type.type === 'decimal' && !text.includes('.') ? `${text}.0` : text;
}

function inputValue(input: Input, { id, entity, event, found }: NaiveRow): Value {
  switch (input.from) {
    case 'entity-id':
      return id;
    case 'attribute':
      return plainValue(entity.attributes.get(input.columnId) as Stored | undefined, input.type);
    case 'list': {
      const items = entity.attributes.get(input.columnId) as readonly Stored[] | undefined;
      return items === undefined
        ? null
        : `[${items.map((item) => itemText(item, input.itemType)).join(',')}]`;
    }
    case 'event-value':
      return plainValue(event?.value, input.type);
    case 'event-date':
      return BigInt(event?.seconds ?? 0);
    case 'event-link':
      throw new Error('the plans of these tests read no links');
    case 'condition':
      if (holds(input.condition, id, entity)) return true;
      return holds({ op: 'not', member: input.condition }, id, entity) ? false : null;
    case 'joined':
      return found[input.join]?.[input.column] ?? null;
    case 'item':
      throw new Error('test/exec/items has the model of items');
    case 'written':
    case 'score':
    case 'rank':
    case 'nearest':
      throw new Error('test/exec/extract has the model of extractions');
  }
}

/** Supports only the operations that these tests use. */
function evaluate(expression: Expression, plan: SelectPlan, row: NaiveRow): Value {
  const operand = (of: Expression): Value => evaluate(of, plan, row);
  switch (expression.op) {
    case 'constant':
      return expression.value;
    case 'input':
      return inputValue(plan.inputs[expression.input], row);
    case 'is-null':
      return (operand(expression.of) === null) !== expression.negated;
    case 'and': {
      const members = expression.members.map(operand);
      return members.includes(false) ? false : members.includes(null) ? null : true;
    }
    case 'compare': {
      const [left, right] = [operand(expression.left), operand(expression.right)];
      if (left === null || right === null) return null;
      const order = compareValues(left, right);
      return {
        '=': order === 0,
        '<>': order !== 0,
        '<': order < 0,
        '<=': order <= 0,
        '>': order > 0,
        '>=': order >= 0,
      }[expression.comparison];
    }
    case 'arithmetic': {
      const [left, right] = [operand(expression.left), operand(expression.right)];
      if (typeof left !== 'bigint' || typeof right !== 'bigint') return null;
      return expression.operator === '*' ? left * right : left + right;
    }
    case 'call': {
      const args = expression.args.map(operand);
      return args.includes(null) ? null : args.map(String).join('');
    }
    default:
      throw new Error(`the model does not support ${expression.op}`);
  }
}

export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return (a as bigint) < (b as bigint) ? -1 : 1;
}

/** Negative if keys `a` sort before keys `b`. */
export function compareKeys(order: readonly SortKey[], a: readonly Value[], b: readonly Value[]): number {
  for (const [key, { descending }] of order.entries()) {
    if (a[key] === b[key]) continue;
    if (a[key] === null) return 1;
    if (b[key] === null) return -1;
    const found = compareValues(a[key], b[key]);
    if (found !== 0) return descending ? -found : found;
  }
  return 0;
}

/** All rows, in the plan's order if it has one, without offset and limit. */
export function naiveAnswers(
  entities: StoredEntities,
  plan: SelectPlan,
  tables: readonly PlainTable[] = [],
): Answer[] {
  const answers: Answer[] = [];
  for (const row of naiveRows(entities, plan, tables)) {
    answers.push({
      outputs: plan.outputs.map(({ of }) => evaluate(of, plan, row)),
      keys: plan.order.map(({ of }) => evaluate(of, plan, row)),
    });
  }
  return answers.sort((a, b) => compareKeys(plan.order, a.keys, b.keys));
}

export function naiveRows(
  entities: StoredEntities,
  plan: SelectPlan,
  tables: readonly PlainTable[],
): NaiveRow[] {
  const rows: NaiveRow[] = [];
  for (const [id, entity] of entities) {
    if (plan.condition !== null && !holds(plan.condition, id, entity)) continue;
    const { events } = plan;
    const own =
      events === null
        ? [null]
        : (entity.events.get(events.columnId) ?? []).filter((event) => passesEvent(events, event));
    for (const event of own) {
      const row: NaiveRow = { id, entity, event, found: [] };
      const isFound = plan.joins.every(({ on, kind }, join) => {
        const key = evaluate(on, plan, row);
        row.found[join] = key === null ? null : (tables[join].rows.get(String(key)) ?? null);
        return kind === 'left' || row.found[join] !== null;
      });
      if (isFound && (plan.filter === null || evaluate(plan.filter, plan, row) === true)) rows.push(row);
    }
  }
  return rows;
}

/** The events of feed `feed`: the ID of each event's entity, its value and its date. */
export function naiveFeed(
  entities: StoredEntities,
  plan: SelectPlan,
  feed: number,
  tables: readonly PlainTable[],
): string[] {
  const event = plan.feeds[feed];
  const type = typeOf(columnOf(event.columnId));
  return naiveRows(entities, plan, tables)
    .flatMap(({ id, entity }) =>
      (entity.events.get(event.columnId) ?? [])
        .filter((one) => passesEvent(event, one))
        .map(({ seconds, value }) => shown([id, plainValue(value, type), BigInt(seconds)])),
    )
    .sort();
}

// Requests

export interface RequestedSelect {
  readonly answers: readonly Answer[];
  readonly parts: readonly SelectPart[];
  readonly stats: readonly OperatorStats[];
}

export const shown = (values: unknown): string =>
  JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

/** All parts of a cursor over these shards, as columns. */
export function runSelect(
  shards: readonly Shard[],
  settings: Pick<SelectOptions, 'plan'> & Partial<SelectOptions>,
  scratch: Arena,
  rowsMax: number,
  run: QueryRun = new QueryRun(null, 0, Number.POSITIVE_INFINITY),
): RequestedSelect {
  const cursor = new SelectCursor(
    shards,
    { tables: [], format: null, profiled: false, memories: new QueryMemories(null), ...settings },
    scratch,
    run,
  );
  const parts: SelectPart[] = [];
  try {
    for (let part = cursor.next(rowsMax); ; part = cursor.next(rowsMax)) {
      parts.push(part);
      if (part.done) break;
    }
  } finally {
    cursor.release();
  }
  return {
    answers: parts.flatMap(answersOf),
    parts,
    stats: parts.flatMap(({ operatorStats: stats }) => stats),
  };
}

export function answersOf(part: SelectPart): Answer[] {
  if (part.gives !== 'columns') return [];
  const [outputs, keys] = [part.outputs.map(fromWire), part.order.map(fromWire)];
  return Array.from({ length: part.rowCount }, (_, row) => ({
    outputs: outputs.map((vector) => valueAt(vector, row)),
    keys: keys.map((vector) => valueAt(vector, row)),
  }));
}

/** All arenas that contain data of the shards, and the scratch arena. */
export function arenasOf(shards: readonly Shard[], scratch: Arena): Set<Arena> {
  const arenas = new Set([scratch]);
  for (const shard of shards) {
    for (const { shard: dimension } of shard.dimensions()) {
      for (const segment of dimension.segments) {
        arenas.add(segment.arena);
        for (const id of segment.columnIds) {
          const column = segment.latest(id);
          if (column !== undefined) arenas.add(column.arena);
        }
      }
      for (const table of dimension.events.values())
        for (const { arena } of table.segments) arenas.add(arena);
    }
  }
  return arenas;
}
