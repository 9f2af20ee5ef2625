/** Prints a log, or one of its files: as a summary, as one line per record, or as one JSON object per record. */
import { briefOf, contentOf, recordOf } from '../../inspect/index.js';
import type { LogEnd, LogEntry } from '../../wal/index.js';
import { inColumns } from '../columns.js';
import { formatBytes, formatCount } from '../progress.js';
import { recordLine, tornText } from './text.js';

export interface LsnRange {
  readonly from: number;
  readonly to: number;
}

export const EVERY_LSN: LsnRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Returns records; calls `ended` with the state of the log's end after the last record. */
export type ReadRecords = (ended: (end: LogEnd) => void) => AsyncIterable<LogEntry>;

export interface LogPrint {
  readonly read: ReadRecords;
  readonly range: LsnRange;
  readonly out: (text: string) => void;
  /** Reports an unfinished last write. */
  readonly note: (text: string) => void;
}

/** Prints the records in the range, formatted by `lineOf`. */
async function printEach(
  { read, range, out, note }: LogPrint,
  lineOf: (entry: LogEntry) => string,
): Promise<void> {
  let end: LogEnd | null = null;
  const ended = (at: LogEnd): void => {
    end = at;
  };
  for await (const entry of read(ended)) {
    if (entry.lsn > range.to) return;
    if (entry.lsn >= range.from) out(lineOf(entry));
  }
  const { tornTail } = (end as LogEnd | null) ?? { tornTail: null };
  if (tornTail !== null) note(tornText(tornTail));
}

export const printRecords = (print: LogPrint): Promise<void> =>
  printEach(print, (entry) => recordLine(briefOf(entry, recordOf(entry))));

export const printRecordsAsJson = (print: LogPrint): Promise<void> =>
  printEach(print, (entry) => `${JSON.stringify(contentOf(entry, recordOf(entry)))}\n`);

/** Prints a summary of the records. */
export async function printLogSummary(print: LogPrint): Promise<void> {
  const counts = new Map<string, { count: number; bytes: number }>();
  let first: string | null = null;
  let last: string | null = null;
  await printEach({ ...print, out: () => {} }, (entry) => {
    const { lsn, type, time, bytes } = briefOf(entry, recordOf(entry));
    const own = counts.get(type) ?? { count: 0, bytes: 0 };
    counts.set(type, { count: own.count + 1, bytes: own.bytes + bytes });
    first ??= `LSN ${lsn}, ${time}`;
    last = `LSN ${lsn}, ${time}`;
    return '';
  });
  if (first === null) {
    print.out('no records\n');
    return;
  }
  const rows = [...counts].map(([type, { count, bytes }]) => [
    type,
    `${formatCount(count)} records`,
    formatBytes(bytes),
  ]);
  const lines = [
    ...inColumns([
      ['first', first],
      ['last', last ?? first],
    ]),
    ...inColumns(rows, [1, 2]),
  ];
  print.out(lines.map((line) => `${line}\n`).join(''));
}
