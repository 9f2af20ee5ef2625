/**
 * GET /metrics/history: statistics of the whole server over the last hour, for pages that draw them from the moment they open.
 * Like /metrics it needs no key, on both ports: it contains no name, and no statistics of a single database.
 * Layout      a ring of SAMPLES_MAX rows of WIDTH doubles (50 KB), one double per column, NaN = null.
 * Invariants  times are those of the monotonic clock until they are listed, so they ascend even if the system clock is set;
 *             a restart begins anew.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { answers } from '../../interface/index.js';

export const SAMPLE_SECONDS = 4;
const SAMPLES_MAX = 3_600 / SAMPLE_SECONDS;
/** The time in milliseconds, entities, values and queries per second, median and 95th percentile in seconds, bytes. */
const WIDTH = 7;

/** Counted since the start of the server or, for entities and values, since the databases were made. */
export interface ServerTotals {
  readonly entities: number;
  readonly values: number;
  /** Ascending inclusive upper bounds of the seconds that a query took. */
  readonly bounds: readonly number[];
  /** Queries per bound, then those above all bounds. */
  readonly counts: readonly number[];
  readonly memoryBytes: number;
}

export interface StatsHistoryDependencies {
  /** null = the engine is not ready. */
  readonly totals: () => ServerTotals | null;
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
}

export class StatsHistory {
  readonly #dependencies: StatsHistoryDependencies;
  readonly #started: string;
  readonly #rows = new Float64Array(SAMPLES_MAX * WIDTH);
  /** Samples since the start. */
  #count = 0;
  #before: { readonly atMs: number; readonly totals: ServerTotals } | null = null;

  constructor(dependencies: StatsHistoryDependencies) {
    this.#dependencies = dependencies;
    this.#started = new Date(dependencies.nowMs()).toISOString();
  }

  /** To be called every SAMPLE_SECONDS. The rates of a sample are those since the last call, however long ago. */
  sample(): void {
    const before = this.#before;
    const totals = this.#dependencies.totals();
    const atMs = this.#dependencies.elapsedMs();
    this.#before = totals === null ? null : { atMs, totals };
    if (before === null || totals === null) return;
    const statistics = statisticsBetween(before.totals, totals, (atMs - before.atMs) / 1000);
    this.#rows.set([atMs, ...statistics, totals.memoryBytes], (this.#count % SAMPLES_MAX) * WIDTH);
    this.#count++;
  }

  /**
   * The samples of the hour, column by column, the oldest first. `query`: that of the URL, in which `after=N` leaves out the
   * samples up to number N. Throws 4049 for any other parameter, 9101 if N is not a whole number.
   */
  list(query: string): answers.StatsHistory {
    const { nowMs, elapsedMs } = this.#dependencies;
    const [offsetMs, last] = [nowMs() - elapsedMs(), this.#count];
    const first = Math.max(afterOf(query), last - SAMPLES_MAX);
    const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => (first + at) % SAMPLES_MAX);
    const column = (at: number): number[] => indexes.map((index) => this.#rows[index * WIDTH + at]);
    const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return {
      started: this.#started,
      'interval-seconds': SAMPLE_SECONDS,
      last,
      samples: {
        'unix-seconds': column(0).map((ms) => Math.round(offsetMs + ms) / 1000),
        'entities-per-second': column(1),
        'values-per-second': column(2),
        'queries-per-second': column(3),
        'median-seconds': column(4).map(orNull),
        'p95-seconds': column(5).map(orNull),
        'memory-bytes': column(6),
      },
    };
  }
}

function statisticsBetween(before: ServerTotals, after: ServerTotals, seconds: number): number[] {
  const rate = (difference: number): number => Math.round((difference / seconds) * 1000) / 1000;
  const counts = after.counts.map((count, index) => count - before.counts[index]);
  const queries = counts.reduce((sum, count) => sum + count, 0);
  // A deleted database takes its entities and values out of the totals.
  return [
    rate(Math.max(0, after.entities - before.entities)),
    rate(Math.max(0, after.values - before.values)),
    rate(queries),
    quantileOf(after.bounds, counts, 0.5 * queries),
    quantileOf(after.bounds, counts, 0.95 * queries),
  ];
}

/**
 * The bound below which at least `wanted` of the counted values are; for values above all bounds, the last bound; NaN if there
 * are no values.
 */
function quantileOf(bounds: readonly number[], counts: readonly number[], wanted: number): number {
  if (wanted === 0) return Number.NaN;
  let below = 0;
  const index = bounds.findIndex((_, at) => {
    below += counts[at];
    return below >= wanted;
  });
  return bounds[index === -1 ? bounds.length - 1 : index];
}

function afterOf(query: string): number {
  let after = 0;
  for (const [name, text] of new URLSearchParams(query)) {
    if (name !== 'after')
      throw new QuarryError(4049, `the parameter ${quoted(name)} is unknown; there is after`);
    if (!/^[0-9]{1,15}$/.test(text)) {
      throw new QuarryError(9101, `after is ${quoted(text)}, not the number of a sample, such as 25`);
    }
    after = Number(text);
  }
  return after;
}
