/** The engine's statistics, collected from its components on request. */
import { bytesOf, Histogram } from '../base/index.js';
import type { LogStats, LogTimes } from '../wal/index.js';
import type { EngineStats } from './api.js';
import type { Archiving } from './lifecycle/archiving.js';
import type { Checkpointer } from './lifecycle/checkpoint.js';
import type { ReplayProgress } from './lifecycle/replay-progress.js';
import type { ResultCache } from './query/result-cache.js';
import type { WorkerClients } from './workers/worker-clients.js';
import type { WorkerRepair } from './workers/worker-repair.js';
import type { DeduplicationTable } from './write/deduplication.js';
import type { LineKeys } from './write/line-keys.js';
import type { WriteMemory } from './write/write-memory.js';
import type { WriteOrder } from './write/write-order.js';

export interface StatsDependencies {
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly checkpoints: Checkpointer;
  readonly archiving: Archiving;
  readonly progress: ReplayProgress;
  readonly memory: WriteMemory;
  readonly memoryLimitBytes: number;
  readonly repair: WorkerRepair;
  readonly deduplication: DeduplicationTable;
  readonly lineKeys: LineKeys;
  readonly cache: Pick<ResultCache, 'bytes' | 'hitCount' | 'missCount'>;
}

const NO_LOG_STATS: LogStats = {
  lsnAppended: 0,
  lsnDurable: 0,
  fsyncCount: 0,
  bytesWritten: 0,
  recordCount: 0,
  fileCount: 0,
};

const NO_VALUES = new Histogram([]).stats;
const NO_LOG_TIMES: LogTimes = { fsyncSeconds: NO_VALUES, groupRecords: NO_VALUES };

export function statsOf(parts: StatsDependencies): EngineStats {
  const { workers, order, progress, memoryLimitBytes, repair, deduplication, lineKeys, cache } = parts;
  const memory = parts.memory.used;
  const log = order.isOpen ? order.log.stats() : NO_LOG_STATS;
  const times = order.isOpen ? order.log.times() : NO_LOG_TIMES;
  const archive = parts.archiving.stats;
  const checkpoints = parts.checkpoints.stats;
  return {
    lsnAppended: log.lsnAppended,
    lsnDurable: log.lsnDurable,
    lsnApplied: order.lsnApplied,
    lsnCheckpoint: parts.checkpoints.lsn,
    logFsyncCount: log.fsyncCount,
    logFsyncSeconds: times.fsyncSeconds,
    logGroupRecords: times.groupRecords,
    logBytesSinceCheckpoint: checkpoints.logBytesBehind,
    logBytesWritten: log.bytesWritten,
    logRecordCount: log.recordCount,
    checkpointCount: checkpoints.seconds.count,
    checkpointSeconds: checkpoints.seconds,
    checkpointFailureCount: checkpoints.failureCount,
    checkpointAgeSeconds: checkpoints.ageSeconds,
    replayBytes: progress.bytes,
    replayBytesDone: progress.bytesDone,
    replayRecordCount: progress.recordCount,
    memoryUsedBytes: bytesOf(memory),
    memory,
    memoryLimitBytes,
    workerCount: workers.all.length,
    shardCount: workers.shardCount,
    workersDown: repair.underWay.size,
    workerRestartCount: repair.count,
    idempotencyKeyCount: deduplication.count,
    lineKeyCount: lineKeys.count,
    duplicateLineCount: lineKeys.duplicateCount,
    archivedFileCount: archive.fileCount,
    archiveWaitingCount: archive.waitingCount,
    archiveFailureCount: archive.failureCount,
    retentionSuspended: order.visible.retentionSuspended ? 1 : 0,
    cacheBytes: cache.bytes,
    cacheHitCount: cache.hitCount,
    cacheMissCount: cache.missCount,
    querySpillBytes: workers.spill.bytes,
    querySpilledBytes: workers.spill.writtenBytes,
  };
}
