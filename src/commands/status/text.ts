/** Formats the status of a store for a terminal. */
import { inColumns } from '../columns.js';
import { printable } from '../printable.js';
import { formatBytes, formatCount } from '../progress.js';
import type { DatabaseStatus, DimensionStatus, StoreStatus } from './store-status.js';

export function statusText(status: StoreStatus): string {
  const { release, pid, uptimeSeconds, databases } = status;
  const lines = [
    `quarry ${release}, pid ${pid}, up for ${formatSeconds(uptimeSeconds)}`,
    ...inColumns(headRows(status)),
    '',
  ];
  if (databases === null) lines.push('A worker is being rebuilt: the contents can be shown when it is done.');
  else for (const database of databases) lines.push(...databaseLines(database), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function headRows({ stats, ...status }: StoreStatus): string[][] {
  const { dataDir, httpsAddress, httpAddress, postgresAddress = null, ready, durability } = status;
  const { archiveDir, processBytes } = status;
  const { memoryUsedBytes: used, memoryLimitBytes: limit } = stats;
  const waiting = stats.workersDown > 0 ? `, ${stats.workersDown} being rebuilt` : '';
  const restarts = stats.workerRestartCount > 0 ? `, ${stats.workerRestartCount} restarts` : '';
  const age = formatSeconds(stats.checkpointAgeSeconds);
  return [
    ['store', printable(dataDir)],
    [
      'addresses',
      [httpsAddress, httpAddress, ...(postgresAddress === null ? [] : [postgresAddress])].join(' '),
    ],
    [
      'state',
      `${ready ? 'ready' : 'not ready'}${stats.retentionSuspended === 1 ? ', retention suspended' : ''}`,
    ],
    [
      'LSN',
      `${stats.lsnAppended} appended, ${stats.lsnDurable} durable (${durability}), ${stats.lsnApplied} applied`,
    ],
    [
      'checkpoint',
      `at LSN ${stats.lsnCheckpoint}, ${age} ago, ${formatBytes(stats.logBytesSinceCheckpoint)} of log after it`,
    ],
    ['archive', archiveDir === null ? 'none' : archiveText(archiveDir, stats)],
    ['workers', `${stats.workerCount}${waiting}${restarts}, ${stats.shardCount} shards`],
    [
      'memory',
      `${formatBytes(used)} of ${formatBytes(limit)} (${percent(used, limit)}), the process ${formatBytes(processBytes)}`,
    ],
    ...(used === 0 ? [] : [['', usesText(stats.memory)]]),
    [
      'answers',
      `${formatBytes(stats.cacheBytes)} cached, ${stats.cacheHitCount} hits, ${stats.cacheMissCount} misses`,
    ],
  ];
}

function archiveText(dir: string, stats: StoreStatus['stats']): string {
  const { archivedFileCount: copied, archiveWaitingCount: waiting, archiveFailureCount: failures } = stats;
  return `${printable(dir)}: ${copied} files copied, ${waiting} waiting, ${failures} failures`;
}

function databaseLines({ name, type, bytes, dimensions }: DatabaseStatus): string[] {
  const lines = [`database ${printable(name)} (${type}): ${formatBytes(bytes)}`];
  for (const dimension of dimensions) lines.push(...dimensionLines(dimension).map((line) => `  ${line}`));
  return lines;
}

function dimensionLines({ name, entityCount, bytes, memory, columns }: DimensionStatus): string[] {
  const rows = columns.map(({ name: column, type, eventCount, bytes: own }) => [
    printable(column),
    type,
    eventCount === null ? '' : `${formatCount(eventCount)} events`,
    formatBytes(own),
  ]);
  const uses = usesText(memory);
  return [
    `dimension ${printable(name)}: ${formatCount(entityCount)} entities, ${formatBytes(bytes)}`,
    ...(uses === '' ? [] : [`  ${uses}`]),
    ...inColumns(rows, [2, 3]).map((line) => `  ${line}`),
  ];
}

/** Uses with at least one byte, the greatest first. */
function usesText(memory: Readonly<Record<string, number>>): string {
  return Object.entries(memory)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([use, bytes]) => `${use} ${formatBytes(bytes)}`)
    .join(', ');
}

const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)}%`;

const STEPS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** Formats a duration by its two greatest units, such as "3 h 12 min". */
export function formatSeconds(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [step, unit] of STEPS) {
    if (left >= step) parts.push(`${Math.floor(left / step)} ${unit}`);
    left %= step;
  }
  return [...parts, ...(parts.length < 2 ? [`${left} s`] : [])].slice(0, 2).join(' ');
}
