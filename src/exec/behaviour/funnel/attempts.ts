/** The attempts of one entity that a funnel counts, over strands of events that may be steps of one attempt. */
import type { FunnelQuestion } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';
import { AnyOrderSearch } from './any-order.js';
import { AnyOrderTrial, DistinctSearch, InOrderTrial } from './distinct-events.js';
import { InOrderSearch } from './in-order.js';
import {
  type Attempt,
  type AttemptRules,
  type EntityObstacles,
  isBetter,
  type StrandSearch,
} from './rules.js';
import type { Strand } from './strand.js';

export interface AttemptScope {
  readonly question: FunnelQuestion;
  readonly rules: AttemptRules;
  readonly obstacles: EntityObstacles;
  /** Whether tied values may have different dates, so that an event is at several seconds. */
  readonly isTied: boolean;
  readonly run: QueryRun;
  /** Searches the strand of an entity that has only one, and is used again for the next entity. */
  readonly search: InOrderSearch | null;
}

export function attemptsOf(strands: readonly Strand[], scope: AttemptScope): readonly Attempt[] {
  const { question, rules, run } = scope;
  const searches = strands.map((strand) => ({ strand, search: searchOf(strand, scope) }));
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

function searchOf(strand: Strand, scope: AttemptScope): StrandSearch {
  const { question, rules, obstacles, isTied, run } = scope;
  const isAny = question.order === 'any';
  const search = isAny ? new AnyOrderSearch(strand, rules, run) : inOrderSearch(strand, scope);
  if (!isTied) return search;
  const trial = isAny
    ? new AnyOrderTrial(strand, rules, run)
    : new InOrderTrial(strand, rules, obstacles, run);
  return new DistinctSearch(strand, rules, search, trial);
}

function inOrderSearch(strand: Strand, { rules, obstacles, run, search }: AttemptScope): InOrderSearch {
  if (search === null) return new InOrderSearch(strand, rules, obstacles, run);
  search.load(strand);
  return search;
}

interface StrandAndSearch {
  readonly strand: Strand;
  readonly search: StrandSearch;
}

/** The best attempt among those that begin at the first possible date after `bound`. */
function nextAttempt(searches: readonly StrandAndSearch[], bound: number): Attempt | null {
  let first = Number.POSITIVE_INFINITY;
  const begins = searches.map(({ strand, search }) => {
    const second = search.firstAfter(bound);
    if (second >= 0) first = Math.min(first, strand.dates[second]);
    return second;
  });
  let best: Attempt | null = null;
  searches.forEach(({ strand, search }, index) => {
    const second = begins[index];
    if (second < 0 || strand.dates[second] !== first) return;
    const attempt = search.from(second);
    if (isBetter(attempt, best)) best = attempt;
  });
  return best;
}
