/** Conditions on behaviour: the entities that the answer of a question counts in some place. */
import type {
  ActivityQuestion,
  BehaviourTest,
  Condition,
  FunnelQuestion,
  RetentionQuestion,
  SequenceQuestion,
} from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { newShardBitmap } from '../condition/shard-bitmap.js';
import type { QueryRun } from '../query-run.js';
import { eachActivity } from './activity.js';
import { type EntitiesOf, withEntityEvents } from './entity-events.js';
import { eachAttempt } from './funnel/entity-attempts.js';
import type { EntityInput } from './kernel.js';
import { eachMember } from './retention.js';
import { eachMatched } from './sequence/sequence.js';

type BehaviourCondition = Extract<Condition, { readonly op: 'behaviour' }>;
type TestOf<Kind extends BehaviourTest['kind']> = Extract<BehaviourTest, { readonly kind: Kind }>;

/** The entities that pass, as a bitmap over the shard's rows (shard-bitmap.ts). Throws 9005, 9006. */
export function entitiesByBehaviour(
  shard: DimensionShard,
  { question: plan, test }: BehaviourCondition,
  entitiesOf: (run: QueryRun) => EntitiesOf,
  run: QueryRun,
): Uint8Array {
  const bitmap = newShardBitmap(shard, run);
  const own = run.child();
  try {
    const entities = entitiesOf(own);
    withEntityEvents(shard, plan, entities, own, (events) =>
      mark({ plan, question: plan.question, shard, events, entitiesOf: entities, run: own }, test, bitmap),
    );
  } finally {
    own.releaseAll();
  }
  return bitmap;
}

function mark(input: EntityInput, test: BehaviourTest, bitmap: Uint8Array): void {
  switch (test.kind) {
    case 'funnel':
      markFunnel(input as EntityInput<FunnelQuestion>, test, bitmap);
      return;
    case 'sequence':
      eachMatched(input as EntityInput<SequenceQuestion>, (row) => set(bitmap, row));
      return;
    case 'retention':
      markRetention(input as EntityInput<RetentionQuestion>, test, bitmap);
      return;
    case 'active':
      if (test.atLeast === 0) fillEntities(input.events.rows, bitmap, input.shard);
      markActive(input as EntityInput<ActivityQuestion>, test, bitmap);
  }
}

function set(bitmap: Uint8Array, row: number): void {
  bitmap[row >>> 3] |= 1 << (row & 7);
}

function markFunnel(
  input: EntityInput<FunnelQuestion>,
  { reached, missed }: TestOf<'funnel'>,
  bitmap: Uint8Array,
): void {
  eachAttempt(input, ({ dates }, row) => {
    const has = (step: number): boolean => dates[step] !== Number.POSITIVE_INFINITY;
    if (has(reached) && (missed === null || !has(missed))) set(bitmap, row);
  });
}

function markRetention(
  input: EntityInput<RetentionQuestion>,
  { cohort, bracket }: TestOf<'retention'>,
  bitmap: Uint8Array,
): void {
  eachMember(input, (row, own, found) => {
    if (own === cohort && (bracket === null || found[bracket] === 1)) set(bitmap, row);
  });
}

function markActive(
  input: EntityInput<ActivityQuestion>,
  { atLeast, atMost }: TestOf<'active'>,
  bitmap: Uint8Array,
): void {
  eachActivity(input, (row, { activeCount }) => {
    if (activeCount >= atLeast && activeCount <= atMost) set(bitmap, row);
    else bitmap[row >>> 3] &= ~(1 << (row & 7));
  });
}

/** Sets the bits of the entities that take part; null = all. */
function fillEntities(rows: Uint8Array | null, bitmap: Uint8Array, shard: DimensionShard): void {
  if (rows !== null) bitmap.set(rows);
  else for (let row = 0; row < shard.rowEnd; row++) set(bitmap, row);
}
