/**
 * Counts answered requests by endpoint, database and status, and adds up their time.
 * Histograms of the time are per endpoint only: per endpoint and database they would be ten thousand lines, which take the
 * main thread 0.1 s to write.
 * Invariants: at most DATABASES_MAX databases have a label of their own, which is their ID. All others share the label
 * `other`, so memory and output are bounded. Endpoints come from the endpoint table. When a database is deleted, its counts
 * are added to those of `other`.
 */
import { Histogram, type HistogramStats, SECONDS_BOUNDS } from '../../base/index.js';

const DATABASES_MAX = 20;
/** Databases have ids from 1. */
const NO_DATABASE = 0;
const OTHERS = -1;

/** Labels of metrics. */
const LABELS: ReadonlyMap<number, string> = new Map([
  [NO_DATABASE, 'none'],
  [OTHERS, 'other'],
]);

export interface AnsweredRequests {
  readonly endpoint: string;
  /** Id of a database, `none`, or `other`. */
  readonly database: string;
  /** Sum over all these requests. */
  readonly seconds: number;
  readonly countsByStatus: ReadonlyMap<number, number>;
}

export interface EndpointSeconds {
  readonly endpoint: string;
  readonly seconds: HistogramStats;
}

class RequestCounts {
  seconds = 0;
  readonly countsByStatus = new Map<number, number>();

  answered(status: number, seconds: number): void {
    this.count(status, 1);
    this.seconds += seconds;
  }

  add({ seconds, countsByStatus }: RequestCounts): void {
    this.seconds += seconds;
    for (const [status, count] of countsByStatus) this.count(status, count);
  }

  count(status: number, count: number): void {
    this.countsByStatus.set(status, (this.countsByStatus.get(status) ?? 0) + count);
  }
}

interface EndpointStats {
  readonly histogram: Histogram;
  readonly byDatabase: Map<number, RequestCounts>;
}

export class RequestStats {
  readonly #byEndpoint = new Map<string, EndpointStats>();
  /** Databases that have a label of their own. */
  readonly #databaseIds = new Set<number>();

  /** `databaseId`: null = the request belongs to no database, or its database is unknown. */
  answered(endpoint: string, databaseId: number | null, status: number, seconds: number): void {
    const { histogram, byDatabase } = this.#ofEndpoint(endpoint);
    histogram.observe(seconds);
    const labelId = databaseId === null ? NO_DATABASE : this.#labelIdOf(databaseId);
    countsIn(byDatabase, labelId).answered(status, seconds);
  }

  /** The label of a database. */
  labelOf(databaseId: number): string {
    return labelOf(this.#labelIdOf(databaseId));
  }

  /** Frees the labels of databases that no longer exist. */
  keepOnly(isThere: (databaseId: number) => boolean): void {
    for (const id of this.#databaseIds) {
      if (isThere(id)) continue;
      this.#databaseIds.delete(id);
      for (const { byDatabase } of this.#byEndpoint.values()) {
        const gone = byDatabase.get(id);
        if (gone === undefined) continue;
        byDatabase.delete(id);
        countsIn(byDatabase, OTHERS).add(gone);
      }
    }
  }

  read(): AnsweredRequests[] {
    return [...this.#byEndpoint].flatMap(([endpoint, { byDatabase }]) =>
      [...byDatabase].map(([labelId, { seconds, countsByStatus }]) => ({
        endpoint,
        database: labelOf(labelId),
        seconds,
        countsByStatus,
      })),
    );
  }

  readHistograms(): EndpointSeconds[] {
    return [...this.#byEndpoint].map(([endpoint, { histogram }]) => ({ endpoint, seconds: histogram.stats }));
  }

  /** The times of all requests of some endpoints, as in HistogramStats. */
  secondsOf(endpoints: ReadonlySet<string>): Pick<HistogramStats, 'bounds' | 'counts'> {
    const counts = SECONDS_BOUNDS.map(() => 0).concat(0);
    for (const [endpoint, { histogram }] of this.#byEndpoint) {
      if (!endpoints.has(endpoint)) continue;
      for (const [index, count] of histogram.stats.counts.entries()) counts[index] += count;
    }
    return { bounds: SECONDS_BOUNDS, counts };
  }

  #labelIdOf(databaseId: number): number {
    if (this.#databaseIds.has(databaseId)) return databaseId;
    if (this.#databaseIds.size >= DATABASES_MAX) return OTHERS;
    this.#databaseIds.add(databaseId);
    return databaseId;
  }

  #ofEndpoint(endpoint: string): EndpointStats {
    let ofEndpoint = this.#byEndpoint.get(endpoint);
    if (ofEndpoint === undefined) {
      ofEndpoint = { histogram: new Histogram(SECONDS_BOUNDS), byDatabase: new Map() };
      this.#byEndpoint.set(endpoint, ofEndpoint);
    }
    return ofEndpoint;
  }
}

function countsIn(byDatabase: Map<number, RequestCounts>, labelId: number): RequestCounts {
  let counts = byDatabase.get(labelId);
  if (counts === undefined) {
    counts = new RequestCounts();
    byDatabase.set(labelId, counts);
  }
  return counts;
}

const labelOf = (labelId: number): string => LABELS.get(labelId) ?? String(labelId);
