/**
 * What /metrics tells, in Prometheus' text form: requests as the front end sees them, and the engine's figures.
 * Invariants: a registry of its own per server; no label holds anything that a client chose (paths come from the
 * endpoint table), so neither keys nor names of dimensions and columns can get in.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineApi, EngineStats } from '../engine/index.js';

const ENGINE_COUNTERS: readonly (readonly [name: string, help: string, field: keyof EngineStats])[] = [
  ['quarry_log_fsyncs_total', 'fdatasync calls of the write-ahead log', 'logFsyncCount'],
  ['quarry_log_fsync_seconds_total', 'seconds spent in them', 'logFsyncSecondsSum'],
  ['quarry_log_bytes_total', 'bytes written to the write-ahead log', 'logBytesWritten'],
  ['quarry_log_records_total', 'records written to the write-ahead log', 'logRecordCount'],
  ['quarry_checkpoints_total', 'checkpoints finished', 'checkpointCount'],
  ['quarry_query_cache_hits_total', 'answers that were remembered', 'cacheHitCount'],
  ['quarry_query_cache_misses_total', 'answers that were looked for and not remembered', 'cacheMissCount'],
  ['quarry_archived_log_files_total', 'log files copied to the archive', 'archivedFileCount'],
  ['quarry_archive_failures_total', 'attempts to copy one that failed', 'archiveFailureCount'],
  ['quarry_lane_restarts_total', 'workers that died and were rebuilt', 'laneRestartCount'],
];

const ENGINE_GAUGES: readonly (readonly [name: string, help: string, field: keyof EngineStats])[] = [
  ['quarry_lsn_appended', 'last LSN appended to the log', 'lsnAppended'],
  ['quarry_lsn_durable', 'last LSN known to be on disk', 'lsnDurable'],
  ['quarry_lsn_applied', 'last LSN applied by every lane', 'lsnApplied'],
  ['quarry_lsn_checkpoint', 'LSN of the last checkpoint', 'lsnCheckpoint'],
  ['quarry_memory_used_bytes', 'memory held by data', 'memoryUsedBytes'],
  ['quarry_memory_limit_bytes', 'memory that data may hold', 'memoryLimitBytes'],
  ['quarry_lanes', 'lanes', 'laneCount'],
  ['quarry_lanes_down', 'lanes being rebuilt', 'lanesDown'],
  ['quarry_shards', 'shards', 'shardCount'],
  ['quarry_idempotency_keys', 'Idempotency-Keys kept', 'onceCount'],
  ['quarry_archive_waiting_files', 'log files that wait to be copied to the archive', 'archiveWaitingCount'],
  ['quarry_retention_suspended', '1 when expired events stay because the clock jumped', 'retentionSuspended'],
  ['quarry_query_cache_bytes', 'memory held by remembered answers', 'cacheBytes'],
];

const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Endpoint label of requests that meet no endpoint. */
export const NO_ENDPOINT = 'none';

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter;
  readonly #aborted: Counter;
  readonly #cutOff: Counter;
  readonly #seconds: Histogram;
  readonly #bytesIn: Counter;

  constructor(engine: EngineApi, openRequests: () => number, bodyBytesHeld: () => number) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'quarry_http_requests_total',
      help: 'requests answered, by endpoint and HTTP status',
      labelNames: ['endpoint', 'status'],
      registers,
    });
    this.#aborted = new Counter({
      name: 'quarry_http_aborted_total',
      help: 'requests whose client went away before all of the answer was sent',
      registers,
    });
    this.#cutOff = new Counter({
      name: 'quarry_http_cut_off_total',
      help: 'answers that could not be finished behind their first bytes',
      registers,
    });
    this.#seconds = new Histogram({
      name: 'quarry_http_request_seconds',
      help: 'seconds from the head of a request to its answer, by endpoint',
      labelNames: ['endpoint'],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    this.#bytesIn = new Counter({
      name: 'quarry_http_body_bytes_total',
      help: 'bytes of request bodies, as they came',
      registers,
    });
    this.#gauge('quarry_http_requests_open', 'requests being received or worked on', openRequests);
    this.#gauge('quarry_http_body_bytes_held', 'memory held by request bodies', bodyBytesHeld);
    this.#gauge('quarry_ready', '1 when requests are served', () => (engine.ready ? 1 : 0));
    for (const [name, help, field] of ENGINE_GAUGES) this.#gauge(name, help, () => engine.stats()[field]);
    for (const [name, help, field] of ENGINE_COUNTERS) this.#counter(name, help, () => engine.stats()[field]);
  }

  answered(endpoint: string, status: number, seconds: number): void {
    this.#requests.inc({ endpoint, status });
    this.#seconds.observe({ endpoint }, seconds);
  }

  aborted(): void {
    this.#aborted.inc();
  }

  cutOff(): void {
    this.#cutOff.inc();
  }

  received(bytes: number): void {
    this.#bytesIn.inc(bytes);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  #counter(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(read());
    };
    new Counter({ name, help, registers: [this.#registry], collect });
  }
}
