/**
 * The main thread's part of queries: sends them to all workers in one turn, merges the results exactly and caches the answers.
 * Invariants: a call reads one LSN on all workers. Queries of one round are sent in one turn; queries of several rounds read
 * rows that did not change meanwhile, or run inside the write barrier. An answer is cached under its whole plan and the
 * version that it read.
 */

import { invariant } from '../../base/index.js';
import {
  type AggregateAnswer,
  type AggregatePlan,
  type BehaviourAnswer,
  type BehaviourPlan,
  type CountEntityPlan,
  type ExtractedRow,
  type ExtractPlan,
  isRanked,
} from '../../ir/index.js';
import { Aggregation, extractedRows, selectOfExtraction } from '../../plan/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { QueryApi, QueryOptions } from '../api.js';
import { answerBehaviour } from './behaviour-answers.js';
import type { QueryRunner, QueryRunnerDependencies } from './query-runner.js';
import { ResultCache } from './result-cache.js';
import type { RunningQuery } from './running-query.js';
import type { SelectWork } from './select-work.js';

/** Approximate memory of one row of an answer. */
const ROW_BYTES = 200;
const COUNT_BYTES = 8;

export interface QueriesDependencies extends QueryRunnerDependencies {
  readonly runner: QueryRunner;
  readonly cacheBytesMax: number;
  /** Runs SELECTs of a query to their end. */
  readonly selectWork: (query: RunningQuery) => Pick<SelectWork, 'table'>;
}

/** A plan whose answer is cached. */
type CachedPlan = DimensionKey;

export class Queries implements Omit<QueryApi, 'select' | 'extractStream' | 'summarizePlan'> {
  readonly #dependencies: QueriesDependencies;
  readonly #cache: ResultCache;
  /** Cache keys of plan objects that were seen before. */
  readonly #planTexts = new WeakMap<CachedPlan, string>();

  constructor(dependencies: QueriesDependencies) {
    this.#dependencies = dependencies;
    this.#cache = new ResultCache(dependencies.cacheBytesMax);
  }

  get cache(): Pick<ResultCache, 'bytes' | 'hitCount' | 'missCount'> {
    return this.#cache;
  }

  countEntities(plans: readonly CountEntityPlan[], options: QueryOptions): Promise<readonly number[]> {
    return this.#cached(
      'count',
      plans,
      options,
      () => COUNT_BYTES,
      (missed) =>
        this.#dependencies.runner.run(options, async (query) => {
          query.noteRead();
          const counts = await query.sendAll((worker, bounds) =>
            worker.send('count-entities', { plans: missed, bounds }),
          );
          return missed.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
        }),
    );
  }

  exist(plan: CountEntityPlan, ids: readonly string[], options: QueryOptions): Promise<readonly boolean[]> {
    return this.#dependencies.runner.run(options, async (query) => {
      const found = await query.sendAll((worker, bounds) => worker.send('exist', { ...plan, ids, bounds }));
      return ids.map((_, index) => found.some((one) => one[index] === 1));
    });
  }

  aggregate(plans: readonly AggregatePlan[], options: QueryOptions): Promise<readonly AggregateAnswer[]> {
    return this.#cached('aggregate', plans, options, answerBytes, (missed) => {
      const { runner } = this.#dependencies;
      return runner.withSlot(missed, options, (query, checkModel) =>
        mayNeedRounds(missed)
          ? runner.atOneVersion(missed, query, checkModel, () => this.#aggregate(missed, query))
          : this.#aggregate(missed, query),
      );
    });
  }

  async #aggregate(plans: readonly AggregatePlan[], query: RunningQuery): Promise<AggregateAnswer[]> {
    const work = this.#dependencies.selectWork(query);
    return Promise.all(
      plans.map(async (plan) => {
        const aggregation = new Aggregation(plan, query.bytesMax);
        for (let { round } = aggregation; round !== null; round = aggregation.round) {
          const table = await work.table(round);
          invariant(table !== null, 'an aggregation is not limited to a slice');
          await query.inSlices(aggregation.take(table));
        }
        return query.inSlices(aggregation.answer());
      }),
    );
  }

  behaviour(plans: readonly BehaviourPlan[], options: QueryOptions): Promise<readonly BehaviourAnswer[]> {
    return this.#cached('behaviour', plans, options, behaviourBytes, (missed) => {
      const { runner } = this.#dependencies;
      return runner.withSlot(missed, options, (query, checkModel) =>
        missed.length > 1 || missed.some(isRanked)
          ? runner.atOneVersion(missed, query, checkModel, () => this.#behaviour(missed, query))
          : this.#behaviour(missed, query),
      );
    });
  }

  async #behaviour(plans: readonly BehaviourPlan[], query: RunningQuery): Promise<BehaviourAnswer[]> {
    const answers: BehaviourAnswer[] = [];
    for (const plan of plans) answers.push(await answerBehaviour(plan, query));
    return answers;
  }

  extract(plan: ExtractPlan, options: QueryOptions): Promise<readonly ExtractedRow[]> {
    return this.#dependencies.runner.withSlot([plan], options, (query) => this.#extract(plan, query));
  }

  async #extract(plan: ExtractPlan, query: RunningQuery): Promise<readonly ExtractedRow[]> {
    const table = await this.#dependencies.selectWork(query).table(selectOfExtraction(plan));
    invariant(table !== null, 'an extraction is not limited to a slice');
    return query.inSlices(extractedRows(plan, table));
  }

  atOneVersion<T>(work: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    // Inside the barrier no query may wait for a slot, because the queries that have one may wait for the barrier.
    const { runner } = this.#dependencies;
    const extract: QueryApi['extract'] = (plan, options) =>
      runner.run(options, (query) => this.#extract(plan, query));
    const nobody: QueryOptions = { cancellation: null, bypassCache: true };
    return runner.withSlot([], nobody, (query) => runner.withWritesPaused(query, () => work(extract)));
  }

  async remembered(
    databaseId: number,
    key: string,
    seconds: number,
    compute: () => Promise<string>,
  ): Promise<string> {
    const { versions, elapsedMs } = this.#dependencies;
    const version = versions.ofDatabase(databaseId);
    const startedMs = elapsedMs();
    const found = this.#cache.get<string>(`text ${databaseId} ${key}`, version);
    if (found !== null && startedMs - found.startedMs < seconds * 1_000) return found.value;
    const value = await compute();
    this.#cache.put(`text ${databaseId} ${key}`, version, { value, startedMs: startedMs }, value.length * 2);
    return value;
  }

  /** The answers of `plans`, in their order. One call computes all answers that are not cached. */
  async #cached<Plan extends CachedPlan, Answer>(
    kind: string,
    plans: readonly Plan[],
    { bypassCache }: QueryOptions,
    bytesOf: (answer: Answer) => number,
    work: (plans: readonly Plan[]) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> {
    if (bypassCache) return work(plans);
    const { versions, elapsedMs } = this.#dependencies;
    const startedMs = elapsedMs();
    const wanted = plans.map((plan) => {
      const key = `${kind} ${this.#textOf(plan)}`;
      const version = versions.of(plan);
      return { plan, key, version, found: this.#cache.get<Answer>(key, version) };
    });
    const missed = wanted.filter(({ found }) => found === null);
    const answers = missed.length === 0 ? [] : await work(missed.map(({ plan }) => plan));
    // The plans of one call read the same data, so an answer of the cache counts only if no record arrived meanwhile.
    const isOutdated = wanted.some(
      ({ plan, version, found }) => found !== null && versions.of(plan) !== version,
    );
    if (isOutdated && missed.length > 0) return work(plans);
    missed.forEach(({ key, version, plan }, index) => {
      // A record arrived between request and read, so the answer may belong to either version.
      if (versions.of(plan) !== version) return;
      this.#cache.put(key, version, { value: answers[index], startedMs: startedMs }, bytesOf(answers[index]));
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
 * Whether the plans may need more than one round that must read the same data. A single level may need a second request for
 * all of its values, but then the first answer is discarded.
 */
const mayNeedRounds = (plans: readonly AggregatePlan[]): boolean =>
  plans.length > 1 || plans.some(({ levels, metric }) => levels.length + (metric === null ? 0 : 1) > 1);

function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function behaviourBytes({ counts, samples, groups, compared, rows }: BehaviourAnswer): number {
  const texts = [...groups, ...(compared?.keys ?? [])];
  const chars =
    texts.reduce((sum, text) => sum + text.length, 0) +
    (rows ?? []).reduce((sum, { json, position }) => sum + json.length + position.texts.join().length, 0);
  const entries = 1 + texts.length + (rows?.length ?? 0);
  const sampleBytes = samples.reduce(
    (sum, { slots, values, ends }) => sum + slots.length * 20 + (values.length + ends.length) * 4,
    0,
  );
  return ROW_BYTES * entries + chars * 2 + counts.byteLength + sampleBytes;
}

function answerBytes(answer: AggregateAnswer): number {
  if (answer.answers === 'metric') return answer.token.length * 2 + ROW_BYTES;
  if (answer.answers === 'buckets') return answer.rows.length * ROW_BYTES;
  return answer.rows.reduce(
    (sum, { value, next }) => sum + ROW_BYTES + value.length * 2 + (next === null ? 0 : answerBytes(next)),
    0,
  );
}
