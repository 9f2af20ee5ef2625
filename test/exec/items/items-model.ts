/** Groups over items: generated plans, and a model that computes their groups row by row from plain maps. */

import type { Prng } from '../../../src/base/index.js';
import { QueryMemories, QueryRun, SelectCursor } from '../../../src/exec/index.js';
import type {
  Aggregate,
  Buckets,
  EventTest,
  Expression,
  Grouping,
  GroupPartial,
  Input,
  ItemSource,
  SelectPlan,
  ValueTest,
  Window,
} from '../../../src/ir/index.js';
import { bucketNumber, INTERVALS } from '../../../src/schema/index.js';
import type { Arena, DimensionShard } from '../../../src/storage/index.js';
import { fromWire, type SqlType, type Value, valueAt } from '../../../src/vector/index.js';
import { countMatches, passes, type StoredEntity } from '../../ir/evaluate.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type Stored, type StoredColumn, type StoredEntities } from '../../storage/stored.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { generateCondition, generateTest } from '../condition/conditions.js';
import { type Extraction, WINDOW_START } from '../extract/extraction.js';
import {
  columnOf,
  dateInput,
  ID_INPUT,
  INTEGER,
  inputAt,
  inputOf,
  PLAIN,
  shown,
} from '../scan/select-rows.js';

/** The type of one value of a column. */
function valueType(column: StoredColumn): SqlType {
  return inputOf({ ...column, form: 'latest' }).type;
}

export function generateWindow(prng: Prng): Window {
  const from = WINDOW_START + prng.between(-10, 2_000);
  return { from, to: from + prng.pick([-1, 0, 100, 2_000, 2_000]) };
}

const generateTests = (prng: Prng, column: StoredColumn): ValueTest[] =>
  prng.chance(0.6) ? [] : [generateTest(prng, column.kind, 30)];

export function generateEvent(prng: Prng, columnId: number): EventTest {
  return { columnId, window: generateWindow(prng), tests: generateTests(prng, columnOf(columnId)) };
}

export function generateBuckets(prng: Prng, window: Window, intervals: number = INTERVALS.length): Buckets {
  if (prng.chance(0.4)) return { by: 'interval', interval: prng.pick(INTERVALS.slice(0, intervals)) };
  if (prng.chance(0.5)) return { by: 'periods', starts: generatePeriods(prng, window) };
  return { by: 'windows', windows: Array.from({ length: prng.between(0, 6) }, () => generateWindow(prng)) };
}

/** Starts of periods of different lengths that cover the window, and the end of the last one. */
function generatePeriods(prng: Prng, { from, to }: Window): number[] {
  const starts = from > to ? [] : [from - prng.below(100)];
  while (starts.length > 0 && starts[starts.length - 1] <= to) {
    starts.push(starts[starts.length - 1] + prng.between(1, 500));
  }
  return starts;
}

/** An aggregate of the operand: a sum or extreme of integers, a count of other values. */
export function generateAggregate(prng: Prng, of: Expression): Aggregate {
  if (prng.chance(0.3)) return COUNT_ROWS;
  const isNumber = of.type.type === 'decimal';
  const name = isNumber ? prng.pick(['sum', 'min', 'max', 'count'] as const) : 'count';
  return { ...COUNT_ROWS, function: name, of, type: name === 'count' ? INTEGER : of.type };
}

/** Accumulates the inputs of a plan. */
class Inputs {
  readonly all: Input[] = [];
  readonly items: ItemSource[] = [];

  add(one: Input): Expression {
    this.all.push(one);
    return inputAt({ inputs: this.all }, this.all.length - 1);
  }

  item(type: SqlType, source: ItemSource): Expression {
    this.items.push(source);
    return this.add({ from: 'item', type, source: this.items.length - 1 });
  }
}

const ATTRIBUTES = COLUMNS.filter(({ form }) => form === 'latest');

function generateItem(prng: Prng, inputs: Inputs, distinct: boolean): Expression {
  const column = prng.pick(COLUMNS.filter(({ form }) => form === 'list' || (distinct && form === 'event')));
  const { id: columnId, kind, form } = column;
  if (form === 'event') {
    return inputs.item(valueType(column), { from: 'events', event: generateEvent(prng, columnId) });
  }
  const tests = generateTests(prng, column);
  return inputs.item(valueType(column), { from: 'list', columnId, kind, tests, distinct });
}

export function generatePlan(prng: Prng): SelectPlan {
  const inputs = new Inputs();
  const events = prng.chance(0.4) ? generateEvent(prng, prng.pick([21, 22])) : null;
  const operands: Expression[] = [inputs.add(inputOf(columnOf(prng.pick([3, 4]))))];
  const keys: Expression[] = [];
  if (events !== null) {
    const { columnId, window } = events;
    operands.push(inputs.add(inputOf(columnOf(columnId))));
    inputs.add({ ...dateInput(columnId), type: INTEGER });
    if (prng.chance(0.6)) {
      keys.push(inputs.item(INTEGER, { from: 'buckets', buckets: generateBuckets(prng, window), window }));
    }
  }
  for (let key = prng.below(3); key > 0; key--) {
    const which = prng.below(5);
    if (which === 0) keys.push(inputs.add(ID_INPUT));
    else if (which < 3) keys.push(inputs.add(inputOf(prng.pick(ATTRIBUTES))));
    else keys.push(generateItem(prng, inputs, true));
  }
  if (events === null && prng.chance(0.4)) operands.push(generateItem(prng, inputs, false));
  return planOf(prng, inputs.all, inputs.items, events, {
    keys,
    perEntity: false,
    aggregates: Array.from({ length: prng.between(1, 3) }, () =>
      generateAggregate(prng, prng.pick(operands)),
    ),
  });
}

export function planOf(
  prng: Prng,
  inputs: readonly Input[],
  items: readonly ItemSource[],
  events: EventTest | null,
  grouping: Grouping,
): SelectPlan {
  const condition = prng.chance(0.5)
    ? generateCondition(prng, { columns: COLUMNS, idCount: 400, textCount: 30, depth: 1 })
    : null;
  return { ...PLAIN, condition, inputs, items, events, grouping };
}

// Model

interface NaiveRow {
  readonly id: string;
  readonly entity: StoredEntity;
  readonly event: { readonly seconds: number; readonly value: Stored } | null;
  readonly items: readonly Value[];
}

function plain(value: Stored | undefined, type: SqlType): Value {
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value !== 'bigint') return `[${value[0]},${value[1]}]`;
  return type.type === 'boolean' ? value === 1n : value;
}

function valueOfInput(input: Input, { id, entity, event, items }: NaiveRow): Value {
  switch (input.from) {
    case 'entity-id':
      return id;
    case 'attribute':
      return plain(entity.attributes.get(input.columnId) as Stored | undefined, input.type);
    case 'event-value':
      return plain(event?.value, input.type);
    case 'event-date':
      return BigInt(event?.seconds ?? 0);
    case 'item':
      return items[input.source];
    default:
      throw new Error(`the model does not read ${input.from}`);
  }
}

const eventsOf = ({ columnId, window, tests }: EventTest, entity: StoredEntity) =>
  (entity.events.get(columnId) ?? []).filter(
    ({ seconds, value }) =>
      seconds >= window.from && seconds <= window.to && tests.every((test) => passes(test, value)),
  );

const different = (values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [shown(value), value])).values(),
];

function itemsOf(source: ItemSource, { entity, event }: NaiveRow): readonly Value[] {
  switch (source.from) {
    case 'list': {
      const type = valueType(columnOf(source.columnId));
      const items = (entity.attributes.get(source.columnId) as readonly Stored[] | undefined) ?? [];
      const passing = items.filter((item) => source.tests.every((test) => passes(test, item)));
      const values = passing.map((item) => plain(item, type));
      return source.distinct ? different(values) : values;
    }
    case 'events': {
      const type = valueType(columnOf(source.event.columnId));
      return different(eventsOf(source.event, entity).map(({ value }) => plain(value, type)));
    }
    case 'buckets': {
      const seconds = event?.seconds ?? 0;
      const { buckets, window } = source;
      if (buckets.by === 'interval') {
        return [
          BigInt(bucketNumber(buckets.interval, seconds) - bucketNumber(buckets.interval, window.from)),
        ];
      }
      if (buckets.by === 'periods') {
        return [BigInt(buckets.starts.findIndex((start) => start > seconds) - 1)];
      }
      return buckets.windows.flatMap(({ from, to }, number) =>
        seconds >= from && seconds < to ? [BigInt(number)] : [],
      );
    }
  }
}

function naiveRows(entities: StoredEntities, { condition, events, items = [] }: SelectPlan): NaiveRow[] {
  let rows: NaiveRow[] = [];
  for (const [id, entity] of entities) {
    if (condition !== null && countMatches(new Map([[1, new Map([[id, entity]])]]), 1, condition) === 0)
      continue;
    for (const event of events === null ? [null] : eventsOf(events, entity))
      rows.push({ id, entity, event, items: [] });
  }
  for (const source of items) {
    rows = rows.flatMap((row) =>
      itemsOf(source, row).map((item) => ({ ...row, items: [...row.items, item] })),
    );
  }
  return rows;
}

/** The values of each aggregate's operand (of all rows without one) in each group, by the text of its keys. */
export type Groups = ReadonlyMap<string, string>;

export function naiveGroups(entities: StoredEntities, plan: SelectPlan): Groups {
  const { keys, aggregates } = plan.grouping as Grouping;
  const valueIn = (of: Expression, row: NaiveRow): Value => {
    if (of.op !== 'input') throw new Error('keys and operands are inputs');
    return valueOfInput(plan.inputs[of.input], row);
  };
  const groups = new Map<string, NaiveRow[]>(keys.length === 0 ? [['[]', []]] : []);
  for (const row of naiveRows(entities, plan)) {
    const key = shown(keys.map((one) => valueIn(one, row)));
    const rows = groups.get(key);
    if (rows === undefined) groups.set(key, [row]);
    else rows.push(row);
  }
  const states = new Map<string, string>();
  for (const [key, rows] of groups) {
    const found = aggregates.map(({ function: name, of }) => {
      const values =
        of === null ? rows : rows.map((row) => valueIn(of, row)).filter((value) => value !== null);
      if (name === 'count') return [values.length];
      if (name === 'percentile') return tallied((values as Value[]).map((value) => [value, 1]));
      if (name === 'sum') return [values.length, sumOf(values as bigint[])];
      if (name === 'stddev') {
        const numbers = values as bigint[];
        return [values.length, sumOf(numbers), sumOf(numbers.map((value) => value * value))];
      }
      return [extreme(name as 'min' | 'max', values as bigint[])];
    });
    states.set(key, shown(found));
  }
  return states;
}

const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

/** The number of occurrences of each value, in order. */
function tallied(values: readonly (readonly [Value, number])[]): unknown[] {
  const counts = new Map<Value, number>();
  for (const [value, times] of values) counts.set(value, (counts.get(value) ?? 0) + times);
  return [...counts].sort(([a], [b]) => ((a as bigint) < (b as bigint) ? -1 : 1));
}

function extreme(name: 'min' | 'max', values: readonly bigint[]): bigint | null {
  return values.reduce<bigint | null>(
    (best, value) => (best === null || (name === 'min' ? value < best : value > best) ? value : best),
    null,
  );
}

// Groups of shards

type State = readonly (Value | number | unknown[])[];

function stateOf(partial: GroupPartial, at: number, group: number): State {
  const state = partial.states[at];
  switch (state.holds) {
    case 'count':
      return [state.counts[group]];
    case 'sum':
      return [state.counts[group], state.counts[group] === 0 ? 0n : valueAt(fromWire(state.sums), group)];
    case 'squares':
      return [
        state.counts[group],
        ...[state.sums, state.squares].map((sums) => valueAt(fromWire(sums), group) ?? 0n),
      ];
    case 'extreme':
      return [valueAt(fromWire(state.values), group)];
    case 'values': {
      const values = fromWire(state.values);
      const { counts } = state;
      return Array.from({ length: values.count }, (_, row) => [valueAt(values, row), counts?.[row] ?? 1]);
    }
    default:
      throw new Error(`unexpected state ${state.holds}`);
  }
}

function added(name: string, a: State, b: State): State {
  if (name === 'percentile') return [...a, ...b];
  if (name === 'min' || name === 'max') {
    return [
      extreme(
        name,
        [...a, ...b].filter((value) => typeof value === 'bigint'),
      ),
    ];
  }
  return a.map((value, at) =>
    typeof value === 'bigint' ? value + (b[at] as bigint) : Number(value) + Number(b[at]),
  );
}

export function mergedGroups(plan: SelectPlan, partials: readonly GroupPartial[]): Groups {
  const { aggregates, keys } = plan.grouping as Grouping;
  const merged = new Map<string, State[]>();
  for (const partial of partials) {
    const vectors = partial.keys.map(fromWire);
    for (let group = 0; group < partial.groupCount; group++) {
      const key = shown(vectors.map((vector) => valueAt(vector, group)));
      const own = aggregates.map((_, at) => stateOf(partial, at, group));
      const before = merged.get(key);
      merged.set(
        key,
        before === undefined
          ? own
          : own.map((state, at) => added(aggregates[at].function, before[at], state)),
      );
    }
  }
  if (keys.length === 0 && merged.size === 0) return naiveGroups(new Map(), plan);
  const finished = (state: State, at: number): unknown =>
    aggregates[at].function === 'percentile' ? tallied(state as [Value, number][]) : state;
  return new Map([...merged].map(([key, states]) => [key, shown(states.map(finished))]));
}

export const unbounded = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

/** The groups that a cursor over all shards returns. */
export function cursorGroups(
  { shards }: Extraction,
  plan: SelectPlan,
  scratch: Arena,
  run = unbounded(),
): Groups {
  const settings = { plan, tables: [], format: null, profiled: false, memories: new QueryMemories(null) };
  const cursor = new SelectCursor(shards, settings, scratch, run);
  try {
    const part = cursor.next(Number.MAX_SAFE_INTEGER);
    if (part.gives !== 'groups') throw new Error(`the cursor returned ${part.gives}`);
    return mergedGroups(plan, part.partials);
  } finally {
    cursor.release();
  }
}

/** The groups that a kernel returns; null if it does not apply to some shard. */
export function kernelGroups(
  { shards }: Extraction,
  plan: SelectPlan,
  kernel: (dimension: DimensionShard, run: QueryRun) => GroupPartial | null,
): Groups | null {
  const partials: GroupPartial[] = [];
  for (const shard of shards) {
    const dimension = shard.find(KEY);
    if (dimension === undefined) continue;
    const partial = kernel(dimension, unbounded());
    if (partial === null) return null;
    partials.push(partial);
  }
  return mergedGroups(plan, partials);
}

export const sortedGroups = (groups: Groups): [string, string][] =>
  [...groups].sort(([a], [b]) => (a < b ? -1 : 1));

/** Describes the difference; null = none. */
export function difference(plan: SelectPlan, found: Groups, wanted: Groups): string | null {
  const [got, expected] = [shown(sortedGroups(found)), shown(sortedGroups(wanted))];
  return got === expected ? null : `${shown(plan)}\n  returns ${got}\n  instead of ${expected}`;
}
