/**
 * The main thread's part of queries: what is asked of all lanes in one turn, merged exactly, remembered.
 * Invariants: what a call asks reads one LSN on all lanes: queries of one round by being sent in one turn, those of
 * several over rows that did not change meanwhile or behind the gate; who waits for the gate has a seat, and nobody
 * behind the gate waits for one; an answer is remembered under its whole plan and the version that it read.
 */
import { QuarryError } from '../base/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
} from '../ir/index.js';
import { Aggregation, firstRows } from '../plan/index.js';
import type { DimensionKey } from '../storage/index.js';
import type { Asking, QueryApi } from './api.js';
import type { DataVersions } from './data-versions.js';
import type { LaneSet } from './lanes.js';
import { QuerySeats } from './query-seats.js';
import type { ReadGate } from './read-gate.js';
import { ResultCache } from './result-cache.js';
import { type QueryLimits, RunningQuery } from './running-query.js';

/** About what a row of an answer takes. */
const ROW_BYTES = 200;
const COUNT_BYTES = 8;
/** Aggregations and extractions that are worked on at once. */
const SEATS = 4;
/** Rows that have changed since will soon change again: a query of several rounds goes behind the gate at once. */
const QUIET_MS = 1_000;

export interface QueriesParts {
  readonly lanes: LaneSet;
  readonly gate: ReadGate;
  readonly versions: DataVersions;
  readonly limits: QueryLimits;
  /** Grows when a column or dimension of the database is deleted or altered; -1 = there is no such database. */
  readonly shrinkVersion: (databaseId: number) => number;
  readonly cacheBytesMax: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
}

/** A plan whose answer is to be remembered. */
type CachedPlan = DimensionKey;

export class Queries implements QueryApi {
  readonly #parts: QueriesParts;
  readonly #cache: ResultCache;
  readonly #seats = new QuerySeats(SEATS);

  constructor(parts: QueriesParts) {
    this.#parts = parts;
    this.#cache = new ResultCache(parts.cacheBytesMax);
  }

  get cache(): Pick<ResultCache, 'bytes' | 'hitCount' | 'missCount'> {
    return this.#cache;
  }

  async #run<T>({ hangUp }: Asking, work: (query: RunningQuery) => Promise<T>): Promise<T> {
    const { lanes, limits } = this.#parts;
    const query = new RunningQuery(lanes, limits, hangUp);
    try {
      return await work(query);
    } finally {
      query.end();
    }
  }

  countEntities(plans: readonly CountEntityPlan[], asking: Asking): Promise<readonly number[]> {
    return this.#cached(
      'count',
      plans,
      asking,
      () => COUNT_BYTES,
      (missed) =>
        this.#run(asking, async (query) => {
          const counts = await query.ask((lane, bounds) =>
            lane.send('count-entities', { plans: missed, bounds }),
          );
          return missed.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
        }),
    );
  }

  exist(plan: CountEntityPlan, ids: readonly string[], asking: Asking): Promise<readonly boolean[]> {
    return this.#run(asking, async (query) => {
      const found = await query.ask((lane, bounds) => lane.send('exist', { ...plan, ids, bounds }));
      return ids.map((_, index) => found.some((one) => one[index] === 1));
    });
  }

  aggregate(plans: readonly AggregatePlan[], asking: Asking): Promise<readonly AggregateAnswer[]> {
    return this.#cached('aggregate', plans, asking, answerBytes, (missed) => {
      return this.#seated(missed, asking, (query, checkModel) =>
        mayTakeRounds(missed) ? this.#inRounds(missed, query, checkModel) : this.#aggregate(missed, query),
      );
    });
  }

  /**
   * Runs a query of these plans when it has a seat. What it asks must be what was bound, so it is refused when the model
   * has shrunk while it waited: `checkModel`, to be called after each further wait.
   */
  #seated<T>(
    plans: readonly DimensionKey[],
    asking: Asking,
    work: (query: RunningQuery, checkModel: () => void) => Promise<T>,
  ): Promise<T> {
    const { shrinkVersion } = this.#parts;
    const shrinks = plans.map(({ databaseId }) => shrinkVersion(databaseId));
    const checkModel = (): void => {
      if (plans.every(({ databaseId }, index) => shrinkVersion(databaseId) === shrinks[index])) return;
      throw new QuarryError(9004, 'a column or dimension was deleted or altered while the query waited');
    };
    return this.#run(asking, async (query) => {
      const leave = (): void => this.#seats.leave();
      await query.entered(this.#seats.enter(), leave);
      try {
        checkModel();
        return await work(query, checkModel);
      } finally {
        leave();
      }
    });
  }

  /**
   * Answers of several rounds, all of one version: asked freely where nothing has changed for a while, and once more
   * behind the gate when something did meanwhile.
   */
  async #inRounds(
    plans: readonly AggregatePlan[],
    query: RunningQuery,
    checkModel: () => void,
  ): Promise<AggregateAnswer[]> {
    const { versions, elapsedMs } = this.#parts;
    const quietMs = elapsedMs() - QUIET_MS;
    if (plans.every((plan) => versions.changedMs(plan) < quietMs)) {
      const before = plans.map((plan) => versions.of(plan));
      const answers = await this.#aggregate(plans, query);
      if (plans.every((plan, index) => versions.of(plan) === before[index])) return answers;
    }
    return this.#behindGate(query, () => {
      checkModel();
      return this.#aggregate(plans, query);
    });
  }

  async #aggregate(plans: readonly AggregatePlan[], query: RunningQuery): Promise<AggregateAnswer[]> {
    const { bytesMax } = this.#parts.limits;
    const aggregations = plans.map((plan) => new Aggregation(plan, bytesMax));
    for (;;) {
      const open = aggregations.flatMap((aggregation) => {
        const { round } = aggregation;
        return round === null ? [] : [{ aggregation, round }];
      });
      if (open.length === 0) break;
      const rounds = open.map(({ round }) => round);
      const lanes = await query.ask((lane, bounds) => lane.send('aggregate', { rounds, bounds }));
      for (const [index, { aggregation }] of open.entries()) {
        await query.inSlices(aggregation.takeSliced(lanes.flatMap((partials) => partials[index])));
      }
    }
    const answers: AggregateAnswer[] = [];
    for (const aggregation of aggregations) answers.push(await query.inSlices(aggregation.answerSliced()));
    return answers;
  }

  extract(plan: ExtractPlan, asking: Asking): Promise<readonly ExtractedRow[]> {
    return this.#seated([plan], asking, (query) => this.#extract(plan, query));
  }

  async #extract(plan: ExtractPlan, query: RunningQuery): Promise<readonly ExtractedRow[]> {
    const lanes = await query.ask((lane, bounds) => lane.send('extract', { plan, bounds }));
    return firstRows(plan, lanes, plan.limit);
  }

  atOneVersion<T>(ask: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    // Behind the gate nobody may wait for a seat: those that have one may be waiting for the gate.
    const extract: QueryApi['extract'] = (plan, asking) =>
      this.#run(asking, (query) => this.#extract(plan, query));
    const nobody: Asking = { hangUp: null, bypassCache: true };
    return this.#seated([], nobody, (query) => this.#behindGate(query, () => ask(extract)));
  }

  /** Runs `work` while no record is sent to the lanes. */
  async #behindGate<T>(query: RunningQuery, work: () => Promise<T>): Promise<T> {
    const { gate } = this.#parts;
    const leave = (): void => gate.leave();
    await query.entered(gate.enter(), leave);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async remembered(
    databaseId: number,
    key: string,
    seconds: number,
    compute: () => Promise<string>,
  ): Promise<string> {
    const { versions, elapsedMs } = this.#parts;
    const version = versions.ofDatabase(databaseId);
    const askedMs = elapsedMs();
    const found = this.#cache.get<string>(`text ${databaseId} ${key}`, version);
    if (found !== null && askedMs - found.askedMs < seconds * 1_000) return found.value;
    const value = await compute();
    this.#cache.put(`text ${databaseId} ${key}`, version, { value, askedMs }, value.length * 2);
    return value;
  }

  /** The answers of `plans`, in their order: those that are not remembered are worked out in one call. */
  async #cached<Plan extends CachedPlan, Answer>(
    kind: string,
    plans: readonly Plan[],
    { bypassCache }: Asking,
    bytesOf: (answer: Answer) => number,
    work: (plans: readonly Plan[]) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> {
    if (bypassCache) return work(plans);
    const { versions, elapsedMs } = this.#parts;
    const askedMs = elapsedMs();
    const wanted = plans.map((plan) => {
      const key = `${kind} ${JSON.stringify(plan, plainNumbers)}`;
      const version = versions.of(plan);
      return { plan, key, version, found: this.#cache.get<Answer>(key, version) };
    });
    const missed = wanted.filter(({ found }) => found === null);
    const answers = missed.length === 0 ? [] : await work(missed.map(({ plan }) => plan));
    missed.forEach(({ key, version, plan }, index) => {
      // A record that came between asking and reading: the answer may be of either version.
      if (versions.of(plan) !== version) return;
      this.#cache.put(key, version, { value: answers[index], askedMs }, bytesOf(answers[index]));
    });
    let next = 0;
    return wanted.map(({ found }) => (found === null ? answers[next++] : found.value));
  }
}

/**
 * Whether the plans may need more than one round that must read the same data. A single level may be asked a second
 * time, for all of its values, but then the first answer does not count.
 */
const mayTakeRounds = (plans: readonly AggregatePlan[]): boolean =>
  plans.length > 1 || plans.some(({ levels, metric }) => levels.length + (metric === null ? 0 : 1) > 1);

function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function answerBytes(answer: AggregateAnswer): number {
  if (answer.answers === 'metric') return answer.token.length * 2 + ROW_BYTES;
  if (answer.answers === 'buckets') return answer.rows.length * ROW_BYTES;
  return answer.rows.reduce(
    (sum, { value, next }) => sum + ROW_BYTES + value.length * 2 + (next === null ? 0 : answerBytes(next)),
    0,
  );
}
