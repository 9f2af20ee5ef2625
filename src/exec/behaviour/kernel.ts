/** What a kernel of a kind of questions gets for one shard. */
import type {
  BehaviourGroups,
  BehaviourQuestion,
  BehaviourScope,
  PeriodStarts,
  TimelineRow,
  Window,
} from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { EntityTexts, GroupNumbers, ValueRanking } from './entity-groups.js';
import type { EntitiesOf, EntityEvents } from './event-masks.js';
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

/** The number of the period that contains an instant; -1 or the number of periods if none does. */
export function periodAt(starts: PeriodStarts, seconds: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The events of [from, to), whose dates ascend, that lie in a window. */
export function rangeWithin(
  dates: Uint32Array,
  from: number,
  to: number,
  window: Window,
): { readonly from: number; readonly to: number } {
  const first = lowerBound(dates, from, to, window.from);
  return { from: first, to: lowerBound(dates, first, to, window.to + 1) };
}

/** The index in [from, to) of the first date that is at least `date`; `to` if there is none. */
function lowerBound(dates: Uint32Array, from: number, to: number, date: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (dates[middle] < date) low = middle + 1;
    else high = middle;
  }
  return low;
}
