/** Formats the results of `quarry inspect` as text. */
import type { RecordBrief, SnapshotFile, StoreSummary } from '../../inspect/index.js';
import { inColumns } from '../columns.js';
import { printable } from '../printable.js';
import { formatBytes, formatCount } from '../progress.js';

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const timeOf = (ms: number): string => new Date(ms).toISOString();

export function summaryText(store: StoreSummary): string {
  const { checkpointLsn, checkpointMs, recordCount, recordBytes, lastLsn } = store;
  const lines = inColumns([
    ['store', `${printable(store.dir)}, id ${printable(store.storeId)}`],
    ['shards', String(store.shardCount)],
    ['checkpoint', `at LSN ${checkpointLsn}, made ${timeOf(checkpointMs)}`],
    ['', `${formatCount(store.snapshotFileCount)} snapshot files, ${formatBytes(store.snapshotBytes)}`],
    ['', `${formatCount(store.namedWriteCount)} Idempotency-Keys`],
    ['', `${formatCount(store.lineKeyCount)} keys of lines`],
    ['log', `${formatCount(recordCount)} records after it, ${formatBytes(recordBytes)}, last LSN ${lastLsn}`],
    ...store.logFiles.map(({ file, bytes }) => ['', `${printable(file)}, ${formatBytes(bytes)}`]),
  ]);
  if (store.tornTail !== null) lines.push(tornText(store.tornTail));
  const rows = store.dimensions.map(({ database, dimension, entityRows, eventRows, fileCount, bytes }) => [
    printable(database),
    printable(dimension),
    formatCount(entityRows),
    formatCount(eventRows),
    formatCount(fileCount),
    formatBytes(bytes),
  ]);
  const head = ['database', 'dimension', 'entities', 'events', 'files', 'bytes'];
  return textOf([...lines, '', 'In the checkpoint:', ...inColumns([head, ...rows], [2, 3, 4, 5])]);
}

export function tornText({ file, offset, bytes }: { file: string; offset: number; bytes: number }): string {
  return (
    `unfinished last write of ${bytes} bytes at byte ${offset} of ${printable(file)}: ` +
    'a running server is writing it, or the next start removes it; it was never acknowledged'
  );
}

export const recordLine = ({ lsn, offset, bytes, time, type, databaseId, does }: RecordBrief): string =>
  `LSN ${lsn}  byte ${offset}  ${time}  ${type}  ${databaseId === null ? '' : `database ${databaseId}  `}${printable(does)}  ${bytes} bytes\n`;

export function snapshotText({ file, bytes, columnBytes, table, columns, entry }: SnapshotFile): string {
  const checked = entry === null ? 'unknown: no manifest next to it names the file' : 'holds';
  const ratio = columnBytes > bytes ? ` (${(columnBytes / bytes).toFixed(1)} to 1)` : '';
  const packed = `${formatBytes(bytes)}, ${formatBytes(columnBytes)} unpacked${ratio}`;
  const metadata = [...table.metadata].map(([name, value]) => `${name}=${value}`).join(' ');
  const head = inColumns([
    ['snapshot', printable(file)],
    ['rows', formatCount(table.rowCount)],
    ['bytes', packed],
    ['checksum', checked],
    ...(entry === null ? [] : [['holds', positionText(entry)]]),
    ...(metadata === '' ? [] : [['metadata', printable(metadata)]]),
  ]);
  const rows = columns.map(({ name, type, missing, bytes: own, metadata: more }) => [
    printable(name),
    type,
    `${formatCount(missing)} missing`,
    formatBytes(own),
    printable([...more].map(([key, value]) => `${key}=${value}`).join(' ')),
  ]);
  return textOf([...head, '', ...inColumns(rows, [2, 3])]);
}

function positionText({
  kind,
  databaseId,
  dimensionId,
  columnId,
  shard,
  segment,
}: NonNullable<SnapshotFile['entry']>): string {
  const column = kind === 'events' ? `, column ${columnId}` : '';
  return `${kind} of database ${databaseId}, dimension ${dimensionId}${column}, shard ${shard}, segment ${segment}`;
}
