/**
 * The engine's statistics as metrics. Invariant: no label holds text that a client chose. The label of a database is its ID,
 * and RequestStats limits how many such labels exist.
 */
import type { HistogramStats } from '../../base/index.js';
import type { EngineApi, EngineStats } from '../../engine/index.js';
import type { Metric, Sample } from './metric.js';

type FieldOf<Value> = {
  [Field in keyof EngineStats]: EngineStats[Field] extends Value ? Field : never;
}[keyof EngineStats];

type Row<Value> = readonly [name: string, help: string, field: FieldOf<Value>];

const COUNTERS: readonly Row<number>[] = [
  ['quarry_log_fsyncs_total', 'fdatasync calls of the write-ahead log', 'logFsyncCount'],
  ['quarry_log_bytes_total', 'bytes written to the write-ahead log', 'logBytesWritten'],
  ['quarry_log_records_total', 'records written to the write-ahead log', 'logRecordCount'],
  ['quarry_checkpoints_total', 'finished checkpoints', 'checkpointCount'],
  ['quarry_checkpoint_failures_total', 'failed checkpoints', 'checkpointFailureCount'],
  ['quarry_query_cache_hits_total', 'queries answered from the result cache', 'cacheHitCount'],
  ['quarry_query_cache_misses_total', 'queries whose answer was not in the result cache', 'cacheMissCount'],
  [
    'quarry_query_spilled_bytes_total',
    'bytes that queries wrote to disk because they had too little memory',
    'querySpilledBytes',
  ],
  ['quarry_archived_log_files_total', 'log files copied to the archive', 'archivedFileCount'],
  [
    'quarry_archive_failures_total',
    'failed attempts to copy a log file to the archive',
    'archiveFailureCount',
  ],
  [
    'quarry_duplicate_lines_total',
    'lines that were left out because they were inserted before',
    'duplicateLineCount',
  ],
  ['quarry_lane_restarts_total', 'rebuilt workers', 'workerRestartCount'],
];

const GAUGES: readonly Row<number>[] = [
  ['quarry_lsn_appended', 'last LSN appended to the log', 'lsnAppended'],
  ['quarry_lsn_durable', 'last LSN that is durable', 'lsnDurable'],
  ['quarry_lsn_applied', 'last LSN applied by every worker', 'lsnApplied'],
  ['quarry_lsn_checkpoint', 'LSN of the last checkpoint', 'lsnCheckpoint'],
  ['quarry_checkpoint_age_seconds', 'seconds since the last checkpoint began', 'checkpointAgeSeconds'],
  [
    'quarry_log_bytes_since_checkpoint',
    'bytes of log that a restart would replay',
    'logBytesSinceCheckpoint',
  ],
  ['quarry_replay_bytes', 'bytes of the log files that this start replays', 'replayBytes'],
  ['quarry_replay_bytes_done', 'bytes of the log files that were replayed so far', 'replayBytesDone'],
  ['quarry_replay_records_done', 'records of the log that were replayed so far', 'replayRecordCount'],
  ['quarry_memory_used_bytes', 'memory of the data', 'memoryUsedBytes'],
  ['quarry_memory_limit_bytes', 'memory limit of the data', 'memoryLimitBytes'],
  ['quarry_lanes', 'workers', 'workerCount'],
  ['quarry_lanes_down', 'workers that are being rebuilt', 'workersDown'],
  ['quarry_shards', 'shards', 'shardCount'],
  ['quarry_idempotency_keys', 'stored Idempotency-Keys', 'idempotencyKeyCount'],
  ['quarry_line_keys', 'stored keys of lines that were inserted with dedupe', 'lineKeyCount'],
  ['quarry_archive_waiting_files', 'log files that wait to be copied to the archive', 'archiveWaitingCount'],
  [
    'quarry_retention_suspended',
    '1 if expired events are not deleted because the clock jumped',
    'retentionSuspended',
  ],
  ['quarry_query_cache_bytes', 'memory of the result cache', 'cacheBytes'],
  ['quarry_query_spill_bytes', 'disk space of the rows that running queries spilled', 'querySpillBytes'],
];

const HISTOGRAMS: readonly Row<HistogramStats>[] = [
  ['quarry_log_fsync_seconds', 'seconds of each fdatasync of the write-ahead log', 'logFsyncSeconds'],
  ['quarry_log_group_records', 'records that one fdatasync made durable', 'logGroupRecords'],
  ['quarry_checkpoint_seconds', 'seconds of each finished checkpoint', 'checkpointSeconds'],
];

/** `stats` returns the current statistics, `labelOf` the label of a database. */
export function engineMetrics(
  engine: EngineApi,
  stats: () => EngineStats,
  labelOf: (databaseId: number) => string,
): Metric[] {
  const simple = (type: 'counter' | 'gauge', rows: readonly Row<number>[]): Metric[] =>
    rows.map(([name, help, field]) => ({ name, help, type, read: () => [{ value: stats()[field] }] }));
  return [
    {
      name: 'quarry_ready',
      help: '1 if the server is ready for requests',
      type: 'gauge',
      read: () => ready(engine),
    },
    ...simple('gauge', GAUGES),
    ...simple('counter', COUNTERS),
    ...HISTOGRAMS.map(
      ([name, help, field]): Metric => ({
        ...{ name, help, type: 'histogram' },
        read: () => [{ stats: stats()[field] }],
      }),
    ),
    {
      name: 'quarry_memory_bytes',
      help: 'memory of the data by purpose; the sum is quarry_memory_used_bytes',
      type: 'gauge',
      read: () => Object.entries(stats().memory).map(([kind, value]) => ({ labels: { kind }, value })),
    },
    ...usageMetrics(engine, labelOf),
  ];
}

const ready = (engine: EngineApi): Sample[] => [{ value: engine.ready ? 1 : 0 }];

type UsageField = 'insertedEntityCount' | 'insertedValueCount' | 'updatedEntityCount';

const USAGE: readonly (readonly [name: string, help: string, field: UsageField])[] = [
  [
    'quarry_inserted_entities_total',
    'entities inserted since the database was created, by database',
    'insertedEntityCount',
  ],
  [
    'quarry_inserted_values_total',
    'values inserted since the database was created, by database',
    'insertedValueCount',
  ],
  [
    'quarry_updated_entities_total',
    'entities updated since the database was created, by database',
    'updatedEntityCount',
  ],
];

function usageMetrics(engine: EngineApi, labelOf: (databaseId: number) => string): Metric[] {
  return USAGE.map(([name, help, field]) => ({
    ...{ name, help, type: 'counter' },
    read: () => {
      const sums = new Map<string, number>();
      for (const id of engine.catalog().databases.keys()) {
        const database = labelOf(id);
        sums.set(database, (sums.get(database) ?? 0) + engine.usage(id)[field]);
      }
      return [...sums].map(([database, value]) => ({ labels: { database }, value }));
    },
  }));
}
