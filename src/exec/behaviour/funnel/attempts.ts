/** The attempts of one entity that a funnel counts, over lanes of events that may be steps of one attempt. */
import type { FunnelQuestion } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';
import { AnyOrderSearch } from './any-order.js';
import { InOrderSearch } from './in-order.js';
import type { Lane } from './lane.js';
import { type Attempt, type AttemptRules, type DateList, isBetter } from './rules.js';

export interface LaneSearch {
  best(): Attempt | null;
  firstAfter(bound: number): number;
  from(second: number): Attempt;
}

export interface EntityObstacles {
  readonly excluded: readonly DateList[];
  readonly stream: DateList | null;
}

export function attemptsOf(
  lanes: readonly Lane[],
  question: FunnelQuestion,
  rules: AttemptRules,
  { excluded, stream }: EntityObstacles,
  run: QueryRun,
): readonly Attempt[] {
  const searches = lanes.map((lane) => ({
    lane,
    search: (question.order === 'any'
      ? new AnyOrderSearch(lane, rules, run)
      : new InOrderSearch(lane, rules, excluded, stream, run)) as LaneSearch,
  }));
  if (question.attempts === 'best') {
    let best: Attempt | null = null;
    for (const { search } of searches) {
      const attempt = search.best();
      if (attempt !== null && isBetter(attempt, best)) best = attempt;
    }
    return best === null ? [] : [best];
  }
  const attempts: Attempt[] = [];
  for (let bound = -1; ; ) {
    run.check();
    const attempt = nextAttempt(searches, bound);
    if (attempt === null) return attempts;
    attempts.push(attempt);
    if (question.attempts === 'first') return attempts;
    const isComplete = attempt.length === rules.stepCount;
    bound = isComplete ? attempt.dates[rules.stepCount - 1] : attempt.dates[0] + rules.within;
  }
}

interface LaneAndSearch {
  readonly lane: Lane;
  readonly search: LaneSearch;
}

/** The best attempt among those that begin at the first possible date after `bound`. */
function nextAttempt(searches: readonly LaneAndSearch[], bound: number): Attempt | null {
  let first = Number.POSITIVE_INFINITY;
  const begins = searches.map(({ lane, search }) => {
    const second = search.firstAfter(bound);
    if (second >= 0) first = Math.min(first, lane.dates[second]);
    return second;
  });
  let best: Attempt | null = null;
  searches.forEach(({ lane, search }, index) => {
    const second = begins[index];
    if (second < 0 || lane.dates[second] !== first) return;
    const attempt = search.from(second);
    if (isBetter(attempt, best)) best = attempt;
  });
  return best;
}
