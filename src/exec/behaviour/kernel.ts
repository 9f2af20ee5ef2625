/** What a kernel of a kind of questions gets for one shard. */
import { lowerBound } from '../../base/index.js';
import type {
  BehaviourGroups,
  BehaviourQuestion,
  BehaviourScope,
  TimelineRow,
  Window,
} from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { EntitiesOf, EntityEvents } from './entity-events.js';
import type { EntityTexts, GroupNumbers, ValueRanking } from './entity-groups.js';
import type { Tally } from './tally.js';
import type { ValuePairs } from './value-pairs.js';

/** The events of the entities of one shard. */
export interface EntityInput<Question extends BehaviourQuestion = BehaviourQuestion> {
  readonly plan: BehaviourScope;
  readonly question: Question;
  readonly shard: DimensionShard;
  readonly events: EntityEvents;
  readonly entitiesOf: EntitiesOf;
  readonly run: QueryRun;
}

export interface KernelInput<Question extends BehaviourQuestion = BehaviourQuestion>
  extends EntityInput<Question> {
  readonly tally: Tally;
  /** The values of a comparison. */
  readonly pairs: ValuePairs;
  /** The rows of a timeline. */
  readonly rows: TimelineRow[];
  readonly groups: GroupNumbers;
  /** The values that were chosen by their ranks; null = none. */
  readonly chosen: BehaviourGroups | null;
  /** null = the groups are chosen, or there are none; otherwise only values are counted. */
  readonly ranking: ValueRanking | null;
  /** The values of the breakdown's attribute column; null = none. */
  readonly texts: EntityTexts | null;
  readonly slots: number;
}

/** The events of [from, to), whose dates ascend, that lie in a window. */
export function rangeWithin(
  dates: Uint32Array,
  from: number,
  to: number,
  window: Window,
): { readonly from: number; readonly to: number } {
  if (from < to && dates[from] >= window.from && dates[to - 1] <= window.to) return { from, to };
  const first = lowerBound(dates, window.from, from, to);
  return { from: first, to: lowerBound(dates, window.to + 1, first, to) };
}
