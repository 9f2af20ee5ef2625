/**
 * The metrics of /metrics in Prometheus' text format: of HTTP requests, of the engine, and of the process. prom-client
 * collects the latter.
 * Invariants: each server has a registry of its own. No label holds text that a client chose: paths come from the endpoint
 * table and databases are labelled by their ID, so labels hold neither keys nor names. Requests are counted in plain numbers;
 * prom-client reads them only when /metrics is requested.
 */

import { type Metric as ClientMetric, collectDefaultMetrics, Registry } from 'prom-client';
import type { EngineApi, EngineStats } from '../../engine/index.js';
import type { Quarantined } from '../../ingest/index.js';
import type { RefusalCounts } from '../limits/limits.js';
import { engineMetrics } from './engine-metrics.js';
import { type Metric, metricLinesOf } from './metric.js';
import { type PostgresStats, postgresMetrics } from './postgres-metrics.js';
import { RequestStats } from './request-stats.js';
import type { ServerTotals } from './stats-history.js';

/** Endpoint label of requests that match no endpoint. */
export const NO_ENDPOINT = 'none';

/** Statistics of the HTTP server, read when /metrics is requested. */
export interface ServerStats {
  readonly openRequests: () => number;
  readonly liveStreams: () => number;
  readonly reservedBodyBytes: () => number;
  readonly refusals: () => RefusalCounts;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #engine: EngineApi;
  readonly #requests = new RequestStats();
  #abortedCount = 0;
  #cutOffCount = 0;
  #slowCount = 0;
  #evaluationCount = 0;
  /** By error code. */
  readonly #refusedParts = new Map<number, number>();
  readonly #quarantinedLines = new Map<number, number>();
  #bodyBytes = 0;
  #postgres: (() => PostgresStats) | null = null;
  #stats: EngineStats;

  constructor(engine: EngineApi, front: ServerStats) {
    this.#engine = engine;
    this.#stats = engine.stats();
    const labelOf = (databaseId: number): string => this.#requests.labelOf(databaseId);
    const all = [
      ...this.#requestMetrics(),
      ...this.#frontMetrics(front),
      ...postgresMetrics(() => this.#postgres?.() ?? null),
      ...engineMetrics(engine, () => this.#stats, labelOf),
    ];
    for (const metric of all) this.#register(metric);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Adds the metrics of the Postgres port. */
  showPostgres(stats: () => PostgresStats): void {
    this.#postgres = stats;
  }

  /** `databaseId`: null = the request belongs to no database, or its database is unknown. */
  answered(endpoint: string, databaseId: number | null, status: number, seconds: number): void {
    this.#requests.answered(endpoint, databaseId, status, seconds);
  }

  aborted(): void {
    this.#abortedCount++;
  }

  cutOff(): void {
    this.#cutOffCount++;
  }

  slow(): void {
    this.#slowCount++;
  }

  /** A live answer was computed, or could not be. */
  evaluated(): void {
    this.#evaluationCount++;
  }

  /** A part of a line body was refused. */
  partRefused(code: number): void {
    this.#refusedParts.set(code, (this.#refusedParts.get(code) ?? 0) + 1);
  }

  /** Lines were kept in a quarantine; their numbers by error code. */
  linesQuarantined(codes: Quarantined['codes']): void {
    for (const [code, count] of codes) {
      this.#quarantinedLines.set(code, (this.#quarantinedLines.get(code) ?? 0) + count);
    }
  }

  received(bytes: number): void {
    this.#bodyBytes += bytes;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    this.#stats = this.#engine.stats();
    if (this.#engine.ready) {
      const { databases } = this.#engine.catalog();
      this.#requests.keepOnly((id) => databases.has(id));
    }
    return this.#registry.metrics();
  }

  /** `queries`: the endpoints whose requests are counted. null = the engine is not ready. */
  totals(queries: ReadonlySet<string>): ServerTotals | null {
    const engine = this.#engine;
    if (!engine.ready) return null;
    const usages = [...engine.catalog().databases.keys()].map((id) => engine.usage(id));
    return {
      entities: usages.reduce((sum, usage) => sum + usage.insertedEntityCount, 0),
      values: usages.reduce((sum, usage) => sum + usage.insertedValueCount, 0),
      ...this.#requests.secondsOf(queries),
      memoryBytes: engine.stats().memoryUsedBytes,
    };
  }

  #requestMetrics(): Metric[] {
    return [
      {
        name: 'quarry_http_requests_total',
        help: 'answered requests by endpoint, database and HTTP status',
        type: 'counter',
        read: () =>
          this.#requests.read().flatMap(({ endpoint, database, countsByStatus }) =>
            [...countsByStatus].map(([status, value]) => ({
              labels: { endpoint, database, status },
              value,
            })),
          ),
      },
      {
        name: 'quarry_http_request_seconds',
        help: 'seconds from the head of a request to its answer, by endpoint',
        type: 'histogram',
        read: () =>
          this.#requests
            .readHistograms()
            .map(({ endpoint, seconds }) => ({ labels: { endpoint }, stats: seconds })),
      },
      {
        name: 'quarry_http_seconds_total',
        help: 'sum of the seconds of requests, by endpoint and database',
        type: 'counter',
        read: () =>
          this.#requests
            .read()
            .map(({ endpoint, database, seconds }) => ({ labels: { endpoint, database }, value: seconds })),
      },
    ];
  }

  #frontMetrics({ openRequests, liveStreams, reservedBodyBytes, refusals }: ServerStats): Metric[] {
    const counter = (name: string, help: string, read: () => number): Metric => ({
      ...{ name, help, type: 'counter' },
      read: () => [{ value: read() }],
    });
    const gauge = (name: string, help: string, read: () => number): Metric => ({
      ...{ name, help, type: 'gauge' },
      read: () => [{ value: read() }],
    });
    return [
      counter(
        'quarry_http_aborted_total',
        'requests whose client disconnected before the whole answer was sent',
        () => this.#abortedCount,
      ),
      counter(
        'quarry_http_cut_off_total',
        'answers that failed after their first bytes were sent',
        () => this.#cutOffCount,
      ),
      counter('quarry_slow_queries_total', 'queries that were logged as slow', () => this.#slowCount),
      counter('quarry_http_body_bytes_total', 'bytes of request bodies as received', () => this.#bodyBytes),
      gauge('quarry_http_requests_open', 'requests that are being received or processed', openRequests),
      gauge('quarry_live_streams', 'streams of live answers that are open', liveStreams),
      counter(
        'quarry_live_evaluations_total',
        'evaluations of live answers, each for all streams with the same rights',
        () => this.#evaluationCount,
      ),
      gauge('quarry_http_body_bytes_held', 'memory of request bodies', reservedBodyBytes),
      {
        name: 'quarry_rate_refusals_total',
        help: 'requests and parts of requests refused with 1502, by the exceeded limit',
        type: 'counter',
        read: () => Object.entries(refusals()).map(([limit, value]) => ({ labels: { limit }, value })),
      },
      {
        name: 'quarry_line_parts_refused_total',
        help: 'refused parts of line bodies, by error code',
        type: 'counter',
        read: () => [...this.#refusedParts].map(([code, value]) => ({ labels: { code }, value })),
      },
      {
        name: 'quarry_lines_quarantined_total',
        help: 'refused lines that were kept in a quarantine, by error code',
        type: 'counter',
        read: () => [...this.#quarantinedLines].map(([code, value]) => ({ labels: { code }, value })),
      },
    ];
  }

  /** A registry uses only these two members of a metric. The cast is needed because its type names prom-client's classes. */
  #register(metric: Metric): void {
    const { name, help, type } = metric;
    const get = async () => ({ name, help, type, values: metricLinesOf(metric), aggregator: 'sum' });
    this.#registry.registerMetric({ name, get } as unknown as ClientMetric);
  }
}
