/** Answers a question about behaviour on the shards of one worker: one kernel per kind. */
import {
  type BehaviourGroups,
  type BehaviourPartial,
  type BehaviourPlan,
  type BehaviourQuestion,
  type BehaviourRanking,
  groupCount,
  slotsPerGroup,
  type TimelineRow,
} from '../../ir/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import { selectedEntities } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { countActivity } from './activity.js';
import { compareSegments } from './compare.js';
import { type EntitiesOf, withEntityEvents } from './entity-events.js';
import { EntityTexts, GroupNumbers, ValueRanking } from './entity-groups.js';
import { countFunnel } from './funnel/funnel.js';
import type { KernelInput } from './kernel.js';
import { countOverlap } from './overlap.js';
import { countRetention } from './retention.js';
import { countSequence } from './sequence/sequence.js';
import { countFlow } from './stream/flow.js';
import { countSessions } from './stream/sessions.js';
import { Tally } from './tally.js';
import { readTimeline } from './timeline.js';
import { ValuePairs } from './value-pairs.js';

type Kernels = {
  readonly [Kind in BehaviourQuestion['kind']]: (
    input: KernelInput<Extract<BehaviourQuestion, { readonly kind: Kind }>>,
  ) => void;
};

const KERNELS: Kernels = {
  funnel: countFunnel,
  retention: countRetention,
  lifecycle: countActivity as Kernels['lifecycle'],
  stickiness: countActivity as Kernels['stickiness'],
  actives: countActivity as Kernels['actives'],
  sequence: countSequence,
  sessions: countSessions,
  flow: countFlow,
  overlap: countOverlap,
  compare: compareSegments,
  timeline: readTimeline,
};

/** The worker's partial answer, by the groups of `chosen`; null = only the whole. Throws 9005, 9006. */
export function behaviourOfShards(
  shards: Iterable<Shard>,
  plan: BehaviourPlan,
  chosen: BehaviourGroups | null,
  scratch: Arena,
  run: QueryRun,
): BehaviourPartial {
  const slots = slotsPerGroup(plan);
  const tally = new Tally(slots * groupCount(plan, chosen), run);
  const groups = new GroupNumbers(chosen?.values ?? null);
  const pairs = new ValuePairs(run);
  const rows: TimelineRow[] = [];
  eachShard(shards, plan, scratch, run, (input) => ({
    ...input,
    tally,
    pairs,
    rows,
    groups,
    chosen,
    ranking: null,
    slots,
  }));
  const { kind } = plan.question;
  return {
    ...tally.partial(),
    ...(kind === 'compare' && { compared: pairs.result() }),
    ...(kind === 'timeline' && { rows }),
  };
}

/** How often each value of the plan's breakdown occurs. Throws 9005, 9006. */
export function behaviourRanking(
  shards: Iterable<Shard>,
  plan: BehaviourPlan,
  scratch: Arena,
  run: QueryRun,
): BehaviourRanking {
  const slots = slotsPerGroup(plan);
  const tally = new Tally(slots, run);
  const ranking = new ValueRanking(run);
  const groups = new GroupNumbers(null);
  eachShard(shards, plan, scratch, run, (input) => ({
    ...input,
    tally,
    pairs: new ValuePairs(run),
    rows: [],
    groups,
    chosen: null,
    ranking,
    slots,
  }));
  return ranking.result();
}

type ShardInput = Omit<KernelInput, 'tally' | 'pairs' | 'rows' | 'groups' | 'chosen' | 'ranking' | 'slots'>;

function eachShard(
  shards: Iterable<Shard>,
  plan: BehaviourPlan,
  scratch: Arena,
  run: QueryRun,
  inputOf: (input: ShardInput) => KernelInput,
): void {
  const { question, breakdown } = plan;
  const kernel = KERNELS[question.kind] as (input: KernelInput) => void;
  for (const shard of shards) {
    const dimension = shard.find(plan);
    if (dimension === undefined || dimension.entityCount === 0) continue;
    const own = run.child();
    try {
      const entitiesOf: EntitiesOf = (condition) => selectedEntities(dimension, condition, scratch, own);
      const texts =
        breakdown === null || breakdown.of === 'step'
          ? null
          : new EntityTexts(dimension, breakdown.column, breakdown.of === 'list', own);
      withEntityEvents(dimension, plan, entitiesOf, own, (events) =>
        kernel(inputOf({ plan, question, shard: dimension, events, entitiesOf, run: own, texts })),
      );
    } finally {
      own.releaseAll();
    }
  }
}
