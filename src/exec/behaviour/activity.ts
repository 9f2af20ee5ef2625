/**
 * Lifecycle, stickiness and actives. Slots: lifecycle has new, returning, resurrecting and dormant per period;
 * stickiness entry k counts entities active in k periods; actives has count and rolling count per period.
 * An entity is active in a period of the answer by events inside `between`. Events before `between` are history: they make
 * an entity active in the periods before the first, and not new; rolling counts take all of them.
 */
import { type ActivityQuestion, periodCount } from '../../ir/index.js';
import { walkEntities } from './entity-walk.js';
import type { EntityInput, KernelInput } from './kernel.js';
import { PeriodFinder } from './period-finder.js';

/** Not a period. */
const NONE = -0x80000000;

/** Periods as numbers from the first of the answer on; those of the history are negative. */
interface Activity {
  /** Ascending: the periods with an event inside `between`. */
  readonly active: Int32Array;
  activeCount: number;
  /** Ascending: the periods with an event inside or before `between`. */
  readonly wide: Int32Array;
  wideCount: number;
  /** Whether there is an event before `between`. */
  isOld: boolean;
}

type Count = (counts: Float64Array, activity: Activity, count: number, rolling: number) => void;

const COUNTS: Readonly<Record<ActivityQuestion['kind'], Count>> = {
  actives: countActives,
  stickiness: (counts, { activeCount }) => {
    if (activeCount > 0) counts[activeCount]++;
  },
  lifecycle: countLifecycle,
};

export function countActivity(input: KernelInput<ActivityQuestion>): void {
  const { plan, question, tally } = input;
  const count = periodCount(plan.periods);
  const add = COUNTS[question.kind];
  eachActivity(input, (_row, activity) => add(tally.counts, activity, count, question.rolling));
}

/** Calls `visit` with the activity of each entity that has events; it is valid until the next call. */
export function eachActivity(
  { plan, question, events, run }: EntityInput<ActivityQuestion>,
  visit: (row: number, activity: Activity) => void,
): void {
  const [dates] = events.columns;
  const before = Math.max(question.history.length - 1, 0);
  const periods = new PeriodFinder([...question.history.slice(0, before), ...plan.periods]);
  const count = periodCount(plan.periods);
  const { from: first, to: last } = plan.between;
  const active = new Int32Array(count);
  const wide = new Int32Array(before + count);
  const activity: Activity = { active, activeCount: 0, wide, wideCount: 0, isOld: false };
  walkEntities(events, run, (row, from, to) => {
    let [activeCount, wideCount] = [0, 0];
    let [lastActive, lastWide] = [NONE, NONE];
    for (let at = from; at < to; at++) {
      const date = dates[at];
      if (date > last) break;
      const period = periods.at(date);
      if (period < 0) continue;
      const own = period - before;
      if (own !== lastWide) wide[wideCount++] = lastWide = own;
      if (date >= first && own !== lastActive) active[activeCount++] = lastActive = own;
    }
    activity.isOld = dates[from] < first;
    activity.activeCount = activeCount;
    activity.wideCount = wideCount;
    visit(row, activity);
  });
}

function countActives(counts: Float64Array, activity: Activity, count: number, rolling: number): void {
  const { active, activeCount, wide, wideCount } = activity;
  for (let at = 0; at < activeCount; at++) counts[active[at] * 2]++;
  if (rolling === 1) return;
  let counted = 0;
  for (let at = 0; at < wideCount; at++) {
    const end = Math.min(count, wide[at] + rolling);
    for (let period = Math.max(counted, wide[at]); period < end; period++) counts[period * 2 + 1]++;
    counted = Math.max(counted, end);
  }
}

function countLifecycle(counts: Float64Array, activity: Activity, count: number): void {
  const { active, activeCount, wide, wideCount, isOld } = activity;
  // The period before the first.
  let before = wideCount > 0 && wide[0] === -1 ? -1 : Number.NEGATIVE_INFINITY;
  for (let at = 0; at < activeCount; at++) {
    const period = active[at];
    const isNew = at === 0 && !isOld;
    if (before !== period - 1) noteDormant(counts, before, count);
    counts[period * 4 + (before === period - 1 ? 1 : isNew ? 0 : 2)]++;
    before = period;
  }
  noteDormant(counts, before, count);
}

/** Counts an entity that was active last in period `last`. */
function noteDormant(counts: Float64Array, last: number, count: number): void {
  if (last >= -1 && last + 1 < count) counts[(last + 1) * 4 + 3]++;
}
