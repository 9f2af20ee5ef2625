/**
 * The SELECT of one round of an aggregation: it groups by the values of the decided levels and those of the next one.
 * Entities are narrowed to those that may have decided values; groups of other values are omitted after the merge.
 */
import {
  type Aggregate,
  type AggregateFunction,
  type AggregatePlan,
  BOOLEAN,
  type Condition,
  type EventTest,
  type Expression,
  FLOAT,
  INTEGER,
  type Input,
  type ItemSource,
  inputExpression,
  type LevelPlan,
  type Metric,
  type MetricLevel,
  type SelectPlan,
  type SortKey,
  TEXT,
  type TopLevel,
  type ValueTest,
} from '../../ir/index.js';
import type { ValueForm } from '../../schema/index.js';
import { itemTypeOf } from '../../sql/index.js';
import type { SqlType, Value } from '../../vector/index.js';

/** A level and its values in all groups, each once. */
export interface DecidedValues {
  readonly level: TopLevel;
  readonly values: readonly Value[];
}

/** The fractions of metrics that are percentiles. */
const FRACTIONS: Readonly<Partial<Record<Metric, number>>> = { median: 0.5, p95: 0.95, p99: 0.99 };

/**
 * Counts the entities of each value of a level in each group. Outputs: a value per decided level, the value, the count;
 * by falling count, then by value as text. `limit` null = all.
 */
export function levelPlan(
  plan: AggregatePlan,
  decided: readonly DecidedValues[],
  level: TopLevel,
  limit: number | null,
): SelectPlan {
  if (level.source.from === 'entity-id' && decided.length === 0) return idsPlan(plan, level, limit);
  const round = new Round(plan, decided);
  const key = round.addKey(level, null);
  const value = inputExpression(key.type, decided.length);
  const count = inputExpression(INTEGER, decided.length + 1);
  const order: SortKey[] = [
    { of: count, descending: true },
    { of: orderedAsText(value), descending: false },
  ];
  return round.select([aggregate('count', null, INTEGER, 'rows')], order, limit);
}

/** Each entity ID is the value of one entity, so that nothing is grouped. */
function idsPlan(plan: AggregatePlan, level: TopLevel, limit: number | null): SelectPlan {
  const round = new Round(plan, []);
  const id = round.addKey(level, null);
  const one: Expression = { op: 'constant', type: INTEGER, value: 1n };
  return {
    ...round.select([], [{ of: id, descending: false }], limit),
    grouping: null,
    outputs: [id, one].map((of, index) => ({ name: String(index), type: of.type, of })),
  };
}

/** Integers and decimals are ordered by their digits; the texts of other values have the order of the values. */
function orderedAsText(value: Expression): Expression {
  const { type } = value.type;
  if (type !== 'integer' && type !== 'decimal') return value;
  return { op: 'cast', type: TEXT, of: value, lenient: false };
}

/**
 * The metric of each group. Outputs: a value per decided level; the number of the bucket if the level has buckets; the
 * aggregates of the metric (see metric-token.ts). By bucket.
 */
export function metricPlan(
  plan: AggregatePlan,
  decided: readonly DecidedValues[],
  level: MetricLevel,
): SelectPlan {
  const round = new Round(plan, decided);
  const { operand, feed } = round.addOperand(level);
  const order: SortKey[] =
    level.buckets === null ? [] : [{ of: inputExpression(INTEGER, decided.length), descending: false }];
  return round.select(aggregatesOf(level.metric, operand, feed), order, null);
}

/** `operand` null = rows are counted. */
function aggregatesOf(metric: Metric, operand: Expression | null, feed: Aggregate['feed']): Aggregate[] {
  if (operand === null) return [aggregate('count', null, INTEGER, 'rows')];
  const { type } = operand;
  switch (metric) {
    case 'count':
    case 'count-events':
      return [aggregate('count', operand, INTEGER, feed)];
    case 'count-distinct':
      return [{ ...aggregate('count', operand, INTEGER, feed), distinct: true }];
    case 'sum':
      return [aggregate('sum', operand, type, feed)];
    case 'avg':
      return [aggregate('sum', operand, type, feed), aggregate('count', operand, INTEGER, feed)];
    case 'min':
    case 'max':
      return [aggregate(metric, operand, type, feed)];
    case 'stddev':
      return [aggregate('stddev', operand, FLOAT, feed)];
    case 'median':
    case 'p95':
    case 'p99':
      return [{ ...aggregate('percentile', operand, FLOAT, feed), fraction: FRACTIONS[metric] ?? null }];
  }
}

const aggregate = (
  name: AggregateFunction,
  of: Expression | null,
  type: SqlType,
  feed: Aggregate['feed'],
): Aggregate => ({ function: name, of, distinct: false, feed, fraction: null, type });

class Round {
  readonly #plan: AggregatePlan;
  readonly #conditions: Condition[];
  readonly #filters: Expression[] = [];
  readonly #inputs: Input[] = [];
  readonly #items: ItemSource[] = [];
  readonly #keys: Expression[] = [];
  /** Whether entities are grouped by several levels. */
  readonly #isNested: boolean;
  #events: EventTest | null = null;
  #feeds: readonly EventTest[] = [];

  constructor(plan: AggregatePlan, decided: readonly DecidedValues[]) {
    this.#plan = plan;
    this.#isNested = decided.length > 0;
    this.#conditions = plan.entities === null ? [] : [plan.entities];
    for (const { level, values } of decided) this.addKey(level, values);
  }

  #input(one: Input): Expression {
    return inputExpression(one.type, this.#inputs.push(one) - 1);
  }

  #item(type: SqlType, item: ItemSource): Expression {
    return this.#input({ from: 'item', type, source: this.#items.push(item) - 1 });
  }

  /** Groups by the values of a level; `values`: those that are needed, null = all. */
  addKey(level: LevelPlan & ValueForm, values: readonly Value[] | null): Expression {
    const key = this.#valueOf(level, values, true);
    this.#keys.push(key);
    return key;
  }

  /** The values of a level, a row per value: each once per entity if they are `distinct`. */
  #valueOf(level: LevelPlan & ValueForm, values: readonly Value[] | null, distinct: boolean): Expression {
    const { source, tests } = level;
    const type = itemTypeOf(level);
    const chosen = values === null ? { tests: [], isExact: true } : choosing(values, type);
    const all = [...tests, ...chosen.tests];
    switch (source.from) {
      case 'entity-id': {
        if (all.length > 0) this.#conditions.push({ op: 'entity-id', tests: all });
        const id = this.#input({ from: 'entity-id', type: TEXT });
        return this.#filtered(id, values, chosen.isExact);
      }
      case 'attribute': {
        const { columnId, kind } = source;
        this.#conditions.push(
          all.length > 0
            ? { op: 'attribute', columnId, tests: all }
            : { op: 'not', member: { op: 'missing', columnId } },
        );
        return this.#filtered(
          this.#input({ ...{ from: 'attribute', columnId, kind }, type }),
          values,
          chosen.isExact,
        );
      }
      case 'list': {
        const { columnId, kind } = source;
        return this.#item(type, { from: 'list', columnId, kind, tests: all, distinct });
      }
      case 'events': {
        const { columnId, window } = source;
        const event = { columnId, window, tests: all };
        // The only level is counted without visiting entities.
        if (this.#isNested) this.#conditions.push({ op: 'event', event, minfreq: 1 });
        return this.#item(type, { from: 'events', event });
      }
    }
  }

  /** Keeps rows with one of the values, unless the condition already does. */
  #filtered(key: Expression, values: readonly Value[] | null, isExact: boolean): Expression {
    if (values === null || isExact) return key;
    this.#filters.push({ op: 'in', type: BOOLEAN, of: key, values, negated: false });
    return key;
  }

  /** The values of a metric's level; the bucket of an event becomes a key. */
  addOperand(level: MetricLevel): { readonly operand: Expression | null; readonly feed: Aggregate['feed'] } {
    const { source, tests, metric, buckets } = level;
    const countsRows = metric === 'count' || metric === 'count-events';
    if (source.from === 'events') return this.#eventOperand(level, countsRows && buckets !== null);
    const operand = this.#valueOf({ ...level, tests }, null, false);
    const isOnePerRow = countsRows || source.from === 'entity-id';
    return { operand: isOnePerRow ? null : operand, feed: 'rows' };
  }

  #eventOperand({ source, tests, buckets, ...form }: MetricLevel, countsRows: boolean) {
    if (source.from !== 'events') return { operand: null, feed: 'rows' } as const;
    const { columnId, kind, window } = source;
    const event = { columnId, window, tests };
    const value = this.#input({ from: 'event-value', type: itemTypeOf(form), columnId, kind });
    if (buckets === null && this.#items.length === 0 && this.#keys.length > 0) {
      this.#feeds = [event];
      return { operand: value, feed: 0 };
    }
    this.#events = event;
    if (buckets !== null) {
      this.#input({ from: 'event-date', type: INTEGER, columnId });
      this.#keys.push(this.#item(INTEGER, { from: 'buckets', buckets, window }));
    }
    return { operand: countsRows ? null : value, feed: 'rows' } as const;
  }

  select(aggregates: readonly Aggregate[], order: readonly SortKey[], limit: number | null): SelectPlan {
    const { databaseId, dimensionId } = this.#plan;
    const types = [...this.#keys, ...aggregates].map(({ type }) => type);
    return {
      databaseId,
      dimensionId,
      condition: joined(this.#conditions, (members) => ({ op: 'and', members })),
      filter: joined(this.#filters, (members) => ({ op: 'and', type: BOOLEAN, members })),
      events: this.#events,
      joins: [],
      inputs: this.#inputs,
      items: this.#items,
      feeds: this.#feeds,
      grouping: { keys: this.#keys, perEntity: false, aggregates },
      having: null,
      outputs: types.map((type, index) => ({ name: String(index), type, of: inputExpression(type, index) })),
      distinct: false,
      order,
      offset: 0,
      limit,
    };
  }
}

function joined<T>(members: readonly T[], join: (members: readonly T[]) => T): T | null {
  return members.length > 1 ? join(members) : (members[0] ?? null);
}

/** More texts are looked up row by row. */
const TEXTS_MAX = 4_096;
/** Each range is a separate scan. */
const RANGES_MAX = 64;

/** Tests that the values pass; `isExact`: whether all others fail. */
function choosing(
  values: readonly Value[],
  { type }: SqlType,
): { readonly tests: readonly ValueTest[]; readonly isExact: boolean } {
  // Points have no test of equality.
  if (type === 'json') return { tests: [], isExact: false };
  if (type === 'text') {
    if (values.length > TEXTS_MAX) return { tests: [], isExact: false };
    return {
      tests: [{ kind: 'text', match: 'equals', texts: values.map(String), negated: false }],
      isExact: true,
    };
  }
  const integers = BigInt64Array.from(values, (value) => BigInt(value ?? 0)).sort();
  const isExact = integers.length <= RANGES_MAX;
  const ranges = isExact
    ? [...integers].map((value) => ({ low: value, high: value }))
    : [{ low: integers[0], high: integers[integers.length - 1] }];
  return { tests: [{ kind: 'ranges', ranges, negated: false }], isExact };
}
