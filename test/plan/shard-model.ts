/**
 * Entities as plain objects, the partials of their shards, and expected aggregations, computed from all entities at
 * once, group by group. Tests of values are ignored.
 */
import type {
  AggregateAnswer,
  AggregatePlan,
  Buckets,
  LevelPlan,
  MetricLevel,
  RoundPartial,
  RoundPlan,
  SlotStatistics,
  ValueSource,
} from '../../src/ir/index.js';
import {
  bucketNumber,
  bucketStart,
  compareText,
  textOfInteger,
  textOfPoint,
  type ValueForm,
} from '../../src/schema/index.js';
import { slowToken } from './slow-token.js';
import { type Counted, countsOf, keyOf, type Plain, type PlainKind, plainOf } from './values.js';

export interface PlainEvent {
  readonly value: Plain;
  readonly date: number;
}

export interface PlainEntity {
  readonly id: string;
  /** By column. */
  readonly attributes: ReadonlyMap<number, readonly Plain[]>;
  readonly events: ReadonlyMap<number, readonly PlainEvent[]>;
}

function kindOf(source: ValueSource): PlainKind {
  if (source.from === 'entity-id' || source.kind === 'code') return 'text';
  return source.kind === 'geo' ? 'geo' : 'i64';
}

/** The values and dates that a level reads in an entity; attributes have date 0. */
function eventsOf(entity: PlainEntity, { source }: LevelPlan): readonly PlainEvent[] {
  if (source.from === 'entity-id') return [{ value: entity.id, date: 0 }];
  if (source.from === 'attribute') {
    return (entity.attributes.get(source.columnId) ?? []).map((value) => ({ value, date: 0 }));
  }
  const { from, to } = source.window;
  return (entity.events.get(source.columnId) ?? []).filter(({ date }) => date >= from && date <= to);
}

const keysOf = (entity: PlainEntity, level: LevelPlan): Set<string> =>
  new Set(eventsOf(entity, level).map(({ value }) => keyOf(value)));

/** Buckets of the level that contain the date. */
function bucketsAt(buckets: Buckets | null, { source }: LevelPlan, date: number): number[] {
  if (buckets === null) return [0];
  if (buckets.by === 'windows') {
    return buckets.windows.flatMap(({ from, to }, index) => (date >= from && date < to ? [index] : []));
  }
  if (source.from !== 'events') throw new Error('only events have dates');
  return [bucketNumber(buckets.interval, date) - bucketNumber(buckets.interval, source.window.from)];
}

function bucketCountOf(buckets: Buckets | null, { source }: LevelPlan): number {
  if (buckets === null) return 1;
  if (buckets.by === 'windows') return buckets.windows.length;
  if (source.from !== 'events') throw new Error('only events have dates');
  const { from, to } = source.window;
  return Math.max(1, bucketNumber(buckets.interval, to) - bucketNumber(buckets.interval, from) + 1);
}

// Partials of a shard

/** Groups of the last decided level that the entity belongs to. */
function groupsOf(entity: PlainEntity, decided: RoundPlan['decided']): number[] {
  let groups = new Set([0]);
  for (const { level, parents, values } of decided) {
    const keys = keysOf(entity, level);
    const above = groups;
    groups = new Set(
      plainOf(values).flatMap((value, group) =>
        above.has(parents[group]) && keys.has(keyOf(value)) ? [group] : [],
      ),
    );
  }
  return [...groups];
}

export function shardAnswer(entities: readonly PlainEntity[], { decided, request }: RoundPlan): RoundPartial {
  const buckets = request.kind === 'moments' ? request.buckets : null;
  const bucketCount = bucketCountOf(buckets, request.level);
  const perGroup = new Map<number, Plain[]>();
  const put = (groupKey: number, value: Plain): void => {
    const values = perGroup.get(groupKey);
    if (values === undefined) perGroup.set(groupKey, [value]);
    else values.push(value);
  };
  for (const entity of entities) {
    for (const group of groupsOf(entity, decided)) {
      const events = eventsOf(entity, request.level);
      if (request.kind === 'values') {
        for (const value of new Map(events.map(({ value }) => [keyOf(value), value])).values())
          put(group, value);
        continue;
      }
      for (const { value, date } of events) {
        for (const bucket of bucketsAt(buckets, request.level, date))
          put(group * bucketCount + bucket, value);
      }
    }
  }
  const isOneGroup = decided.length === 0 && bucketCount === 1;
  if (request.kind === 'values' || request.moment === 'values') {
    return countsOf(kindOf(request.level.source), tableOf(perGroup), !isOneGroup);
  }
  return momentsOf(perGroup, request.moment, isOneGroup);
}

function tableOf(perGroup: ReadonlyMap<number, readonly Plain[]>): Counted[] {
  return [...perGroup].flatMap(([groupKey, values]) => {
    const byKey = new Map<string, Counted>();
    for (const value of values) {
      const key = keyOf(value);
      byKey.set(key, { groupKey, value, count: (byKey.get(key)?.count ?? 0) + 1 });
    }
    return [...byKey.values()];
  });
}

function momentsOf(
  perGroup: ReadonlyMap<number, readonly Plain[]>,
  moment: string,
  isOneGroup: boolean,
): SlotStatistics {
  const groupKeys = [...perGroup.keys()];
  const lists = [...perGroup.values()] as (readonly bigint[])[];
  // A shard without values of the only group returns a count of 0.
  if (isOneGroup && groupKeys.length === 0) lists.push([]);
  const summed = (power: bigint): bigint[] =>
    lists.map((values) => values.reduce((sum, value) => sum + value ** power, 0n));
  const extreme = (sign: number): bigint[] =>
    lists.map((values) =>
      values.length === 0 ? 0n : values.reduce((a, b) => (Number(b > a) * 2 - 1 === sign ? b : a)),
    );
  const sums = moment === 'sum' || moment === 'squares' ? summed(1n) : null;
  return {
    answers: 'moments',
    groupKeys: isOneGroup ? null : Uint32Array.from(groupKeys),
    counts: Float64Array.from(lists, ({ length }) => length),
    sums,
    squares: moment === 'squares' ? summed(2n) : null,
    least: moment === 'extremes' ? extreme(-1) : null,
    greatest: moment === 'extremes' ? extreme(1) : null,
  };
}

// Whole aggregations

function textOf(value: Plain, form: ValueForm): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return textOfInteger(form, value);
  return textOfPoint({ longitude: value[0], latitude: value[1] });
}

export function slowAnswer(
  entities: readonly PlainEntity[],
  plan: AggregatePlan,
  depth = 0,
): AggregateAnswer {
  const { levels, metric } = plan;
  if (depth === levels.length) {
    if (metric === null) throw new Error('the level does not exist');
    return slowMetric(entities, metric);
  }
  const level = levels[depth];
  const byText = new Map<string, PlainEntity[]>();
  for (const entity of entities) {
    for (const text of new Set(eventsOf(entity, level).map(({ value }) => textOf(value, level)))) {
      byText.set(text, [...(byText.get(text) ?? []), entity]);
    }
  }
  const top = [...byText]
    .filter(([, { length }]) => length >= level.minQuantity)
    .sort(([a, { length: left }], [b, { length: right }]) => right - left || compareText(a, b))
    .slice(0, level.limit);
  const last = depth + 1 === levels.length && metric === null;
  return {
    answers: 'values',
    rows: top.map(([value, members]) => ({
      value,
      quantity: members.length,
      next: last ? null : slowAnswer(members, plan, depth + 1),
    })),
  };
}

function slowMetric(entities: readonly PlainEntity[], level: MetricLevel): AggregateAnswer {
  const { buckets, source } = level;
  const events = entities.flatMap((entity) => eventsOf(entity, level));
  const tokenOf = (some: readonly PlainEvent[]): string =>
    slowToken(
      level.metric,
      level,
      some.map(({ value }) => value),
    );
  if (buckets === null) return { answers: 'metric', token: tokenOf(events) };
  const rows = [];
  for (let bucket = 0; bucket < bucketCountOf(buckets, level); bucket++) {
    const some = events.filter(({ date }) => bucketsAt(buckets, level, date).includes(bucket));
    if (some.length === 0) continue;
    if (buckets.by === 'windows') rows.push({ token: tokenOf(some), ...buckets.windows[bucket] });
    else if (source.from === 'events') {
      const { interval } = buckets;
      const number = bucketNumber(interval, source.window.from) + bucket;
      rows.push({
        token: tokenOf(some),
        from: bucketStart(interval, number),
        to: bucketStart(interval, number + 1),
      });
    }
  }
  return { answers: 'buckets', rows };
}
