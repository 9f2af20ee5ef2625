/** The attempts of one entity that a funnel counts, over lanes of events that may be steps of one attempt. */
import type { FunnelQuestion } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';
import { AnyOrderSearch } from './any-order.js';
import { AnyOrderTrial, DistinctSearch, InOrderTrial } from './distinct-events.js';
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

export interface AttemptScope {
  readonly question: FunnelQuestion;
  readonly rules: AttemptRules;
  readonly obstacles: EntityObstacles;
  /** Whether tied values may have different dates, so that an event is at several seconds. */
  readonly isTied: boolean;
  readonly run: QueryRun;
}

export function attemptsOf(lanes: readonly Lane[], scope: AttemptScope): readonly Attempt[] {
  const { question, rules, run } = scope;
  const searches = lanes.map((lane) => ({ lane, search: searchOf(lane, scope) }));
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

function searchOf(lane: Lane, { question, rules, obstacles, isTied, run }: AttemptScope): LaneSearch {
  const isAny = question.order === 'any';
  const search = isAny
    ? new AnyOrderSearch(lane, rules, run)
    : new InOrderSearch(lane, rules, obstacles.excluded, obstacles.stream, run);
  if (!isTied) return search;
  const trial = isAny ? new AnyOrderTrial(lane, rules, run) : new InOrderTrial(lane, rules, obstacles, run);
  return new DistinctSearch(lane, rules, search, trial);
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
