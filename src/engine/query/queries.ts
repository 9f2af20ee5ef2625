/**
 * The main thread's part of queries: what is asked of all lanes in one turn, merged exactly, remembered.
 * Invariants: what a call asks reads one LSN on all lanes: queries of one round by being sent in one turn, those of
 * several over rows that did not change meanwhile or behind the gate; an answer is remembered under its whole plan and
 * the version that it read.
 */
import type {
  AggregateAnswer,
  AggregatePlan,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
} from '../../ir/index.js';
import { Aggregation, firstRows } from '../../plan/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Asking, QueryApi } from '../api.js';
import type { QueryRunner, QueryRunnerParts } from './query-runner.js';
import { ResultCache } from './result-cache.js';
import type { RunningQuery } from './running-query.js';

/** About what a row of an answer takes. */
const ROW_BYTES = 200;
const COUNT_BYTES = 8;

export interface QueriesParts extends QueryRunnerParts {
  readonly runner: QueryRunner;
  readonly cacheBytesMax: number;
}

/** A plan whose answer is to be remembered. */
type CachedPlan = DimensionKey;

export class Queries implements Omit<QueryApi, 'select' | 'extractStream' | 'outline'> {
  readonly #parts: QueriesParts;
  readonly #cache: ResultCache;
  /** Plans that came before, as objects, with what names their answers. */
  readonly #planTexts = new WeakMap<CachedPlan, string>();

  constructor(parts: QueriesParts) {
    this.#parts = parts;
    this.#cache = new ResultCache(parts.cacheBytesMax);
  }

  get cache(): Pick<ResultCache, 'bytes' | 'hitCount' | 'missCount'> {
    return this.#cache;
  }

  countEntities(plans: readonly CountEntityPlan[], asking: Asking): Promise<readonly number[]> {
    return this.#cached(
      'count',
      plans,
      asking,
      () => COUNT_BYTES,
      (missed) =>
        this.#parts.runner.run(asking, async (query) => {
          const counts = await query.ask((lane, bounds) =>
            lane.send('count-entities', { plans: missed, bounds }),
          );
          return missed.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
        }),
    );
  }

  exist(plan: CountEntityPlan, ids: readonly string[], asking: Asking): Promise<readonly boolean[]> {
    return this.#parts.runner.run(asking, async (query) => {
      const found = await query.ask((lane, bounds) => lane.send('exist', { ...plan, ids, bounds }));
      return ids.map((_, index) => found.some((one) => one[index] === 1));
    });
  }

  aggregate(plans: readonly AggregatePlan[], asking: Asking): Promise<readonly AggregateAnswer[]> {
    return this.#cached('aggregate', plans, asking, answerBytes, (missed) => {
      const { runner } = this.#parts;
      return runner.seated(missed, asking, (query, checkModel) =>
        mayTakeRounds(missed)
          ? runner.atOneVersion(missed, query, checkModel, () => this.#aggregate(missed, query))
          : this.#aggregate(missed, query),
      );
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
    return this.#parts.runner.seated([plan], asking, (query) => this.#extract(plan, query));
  }

  async #extract(plan: ExtractPlan, query: RunningQuery): Promise<readonly ExtractedRow[]> {
    const lanes = await query.ask((lane, bounds) => lane.send('extract', { plan, bounds }));
    return firstRows(plan, lanes, plan.limit);
  }

  atOneVersion<T>(ask: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    // Behind the gate nobody may wait for a seat: those that have one may be waiting for the gate.
    const { runner } = this.#parts;
    const extract: QueryApi['extract'] = (plan, asking) =>
      runner.run(asking, (query) => this.#extract(plan, query));
    const nobody: Asking = { cancellation: null, bypassCache: true };
    return runner.seated([], nobody, (query) => runner.behindGate(query, () => ask(extract)));
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
      const key = `${kind} ${this.#textOf(plan)}`;
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

  #textOf(plan: CachedPlan): string {
    let text = this.#planTexts.get(plan);
    if (text === undefined) {
      text = JSON.stringify(plan, plainNumbers);
      this.#planTexts.set(plan, text);
    }
    return text;
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
