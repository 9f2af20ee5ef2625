/**
 * Rewrites SELECTs that only aggregate stored columns as the JSON interface's counts and metrics, whose kernels read
 * a column at memory speed without materializing rows.
 */
import { invariant } from '../base/index.js';
import type {
  Aggregate,
  AggregateState,
  CountEntityPlan,
  GroupPartial,
  LevelPlan,
  MetricStatistic,
  RoundPartial,
  RoundPlan,
  SelectPlan,
  SlotStatistics,
} from '../ir/index.js';
import { toWire, vectorOf } from '../vector/index.js';

const INTEGER = { type: 'integer' } as const;

export interface LoweredSelect {
  /** The plan of COUNT(*); null = not requested. */
  readonly count: CountEntityPlan | null;
  readonly rounds: readonly RoundPlan[];
  /** Builds the only group of the plan from the result of `count` and, per round, the shards' partials. */
  readonly partial: (entityCount: number, rounds: readonly (readonly RoundPartial[])[]) => GroupPartial;
}

/** null if the plan cannot be rewritten. */
export function lowerSelect(plan: SelectPlan): LoweredSelect | null {
  const { databaseId, dimensionId, condition, grouping } = plan;
  if (dimensionId === null || grouping === null || grouping.keys.length > 0 || grouping.perEntity)
    return null;
  if (plan.filter !== null || plan.events !== null || plan.joins.length > 0) return null;
  const loweredAggregates = grouping.aggregates.map((aggregate) => loweredAggregateOf(aggregate, plan));
  if (!loweredAggregates.every((request) => request !== null)) return null;
  const rounds = loweredAggregates.flatMap((request): RoundPlan[] =>
    request.moment === null
      ? []
      : [
          {
            ...{ databaseId, dimensionId, entities: condition, decided: [] },
            request: { kind: 'moments', level: request.level, moment: request.moment, buckets: null },
          },
        ],
  );
  const counts = loweredAggregates.some(({ moment }) => moment === null);
  return {
    count: counts ? { databaseId, dimensionId, condition } : null,
    rounds,
    partial: (entityCount, found) => {
      let next = 0;
      const states = loweredAggregates.map(({ moment, least }): AggregateState => {
        if (moment === null) return { holds: 'count', counts: Float64Array.of(entityCount) };
        return stateOf(moment, least, found[next++]);
      });
      return { groupCount: 1, keys: [], states };
    },
  };
}

type LoweredAggregate =
  /** Counts the entities themselves. */
  | { readonly moment: null; readonly level: null; readonly least: false }
  /** `least`: whether the least of the extremes is requested. */
  | {
      readonly moment: Exclude<MetricStatistic, 'values'>;
      readonly level: LevelPlan;
      readonly least: boolean;
    };

function loweredAggregateOf(aggregate: Aggregate, plan: SelectPlan): LoweredAggregate | null {
  if (aggregate.distinct) return null;
  if (aggregate.of === null)
    return typeof aggregate.feed === 'number' ? null : { moment: null, level: null, least: false };
  const moment = momentOf(aggregate);
  const level = levelOf(aggregate, plan);
  return moment === null || level === null ? null : { moment, level, least: aggregate.function === 'min' };
}

function momentOf({ function: name }: Aggregate): Exclude<MetricStatistic, 'values'> | null {
  switch (name) {
    case 'count':
      return 'count';
    case 'sum':
    case 'avg':
      return 'sum';
    case 'min':
    case 'max':
      return 'extremes';
    case 'stddev':
    case 'variance':
    case 'stddev-pop':
    case 'variance-pop':
      return 'squares';
    default:
      return null;
  }
}

/** The level of numbers and dates of a column, or of the events of a feed. */
function levelOf({ of, feed }: Aggregate, { inputs, feeds }: SelectPlan): LevelPlan | null {
  if (of?.op !== 'input') return null;
  const input = inputs[of.input];
  if (input.from === 'attribute' && typeof feed !== 'number') {
    const { columnId, kind } = input;
    return kind === 'i64' || kind === 'i32'
      ? { source: { from: 'attribute', columnId, kind }, tests: [] }
      : null;
  }
  if (input.from !== 'event-value' || typeof feed !== 'number' || input.kind !== 'i64') return null;
  const { window, tests } = feeds[feed];
  return { source: { from: 'events', columnId: input.columnId, kind: input.kind, window }, tests };
}

function stateOf(
  moment: Exclude<MetricStatistic, 'values'>,
  least: boolean,
  partials: readonly RoundPartial[],
): AggregateState {
  const groups = partials.map(onlyGroup).filter((group) => group !== null);
  const counts = Float64Array.of(groups.reduce((sum, { count }) => sum + count, 0));
  const total = (of: (group: GroupMoments) => bigint | null) =>
    toWire(vectorOf(INTEGER, [groups.reduce((sum, group) => sum + (of(group) ?? 0n), 0n)]));
  switch (moment) {
    case 'count':
      return { holds: 'count', counts };
    case 'sum':
      return { holds: 'sum', counts, sums: total(({ sum }) => sum) };
    case 'squares':
      return {
        holds: 'squares',
        counts,
        sums: total(({ sum }) => sum),
        squares: total(({ squares }) => squares),
      };
    case 'extremes': {
      const values = groups
        .map((group) => (least ? group.least : group.greatest))
        .filter((value) => value !== null);
      const better = (a: bigint, b: bigint): boolean => (least ? a < b : a > b);
      const best = values.reduce<bigint | null>(
        (one, value) => (one === null || better(value, one) ? value : one),
        null,
      );
      return { holds: 'extreme', values: toWire(vectorOf(INTEGER, [best])) };
    }
  }
}

/** The moments of a group with at least one value. */
interface GroupMoments {
  readonly count: number;
  readonly sum: bigint | null;
  readonly squares: bigint | null;
  readonly least: bigint | null;
  readonly greatest: bigint | null;
}

function onlyGroup(partial: RoundPartial): GroupMoments | null {
  invariant(partial.answers === 'moments', 'a round of moments returns moments');
  const { counts, sums, squares, least, greatest }: SlotStatistics = partial;
  invariant(counts.length <= 1, 'without levels and buckets there is one group');
  if (counts.length === 0 || counts[0] === 0) return null;
  const first = (values: readonly bigint[] | null): bigint | null => values?.[0] ?? null;
  return {
    count: counts[0],
    sum: first(sums),
    squares: first(squares),
    least: first(least),
    greatest: first(greatest),
  };
}
