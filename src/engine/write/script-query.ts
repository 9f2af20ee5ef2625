/**
 * Runs the query of a script that writes the query's rows (INSERT ... SELECT).
 * Invariant: no record that is appended between the start of the query and the script's own record changes a dimension
 * that the query reads, so the write takes effect on the version that the query read.
 */
import type { RowStream } from '../../answer/index.js';
import { type Cancellation, QuarryError } from '../../base/index.js';
import { RECORD_PAYLOAD_BYTES_MAX } from '../../format/index.js';
import type { ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { ScriptQuery, ScriptWrite } from '../api.js';
import { dimensionsOf } from '../query/stages.js';
import type { WriteOrder } from './write-order.js';

/** Rows of one query, and bytes of these rows as JSON. */
const ROWS_MAX = 50_000;
const BYTES_MAX = 16 * 2 ** 20;
/**
 * Memory per byte of rows: a line, the member of an insert body made of it, and the body, at two bytes per character.
 */
const MEMORY_PER_BYTE = 6;
/** How often the query is repeated because the data changed. */
const CONFLICTS_MAX = 10;

/** Returns the rows of a plan as lines of JSON. */
export type SelectRows = (plan: ReadPlan, cancellation: Cancellation | null) => RowStream;

export interface ScriptRead {
  /** Approximate memory of the rows as texts and as insert bodies. */
  readonly bytes: number;
  readonly bind: (model: DatabaseModel) => readonly ScriptWrite[];
  /** Whether no record appended since the query began changes a dimension that it read. */
  readonly isCurrent: () => boolean;
}

/** Runs the query on the newest data. Rejects with 6000 and the errors of queries. */
export async function readForScript(
  query: ScriptQuery,
  databaseId: number,
  { order, select }: { readonly order: WriteOrder; readonly select: SelectRows },
): Promise<ScriptRead> {
  let waitCount = 0;
  for (;;) {
    await order.caughtUp();
    const model = order.visible.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const plan = query.plan(model);
    const dimensions = dimensionsOf(plan);
    const before = order.appendedVersions(dimensions);
    // A query sees the records that were sent to the workers before it. Records that were appended but not sent are not
    // visible yet.
    if (before.some((lsn) => lsn > order.lsnSent)) {
      refuseConflicts(++waitCount);
      continue;
    }
    return readRows(query, plan, select, () =>
      order.appendedVersions(dimensions).every((lsn, index) => lsn === before[index]),
    );
  }
}

async function readRows(
  query: ScriptQuery,
  plan: ReadPlan,
  select: SelectRows,
  isCurrent: () => boolean,
): Promise<ScriptRead> {
  const { lines, bytes } = await linesOf(select(plan, query.cancellation));
  return { bytes: bytes * MEMORY_PER_BYTE, bind: (model) => query.bind(model, lines), isCurrent };
}

async function linesOf({
  parts,
  done,
}: RowStream): Promise<{ readonly lines: readonly string[]; readonly bytes: number }> {
  const lines: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [rest, bytes] = ['', 0];
  for await (const part of parts) {
    bytes += part.byteLength;
    const text = rest + decoder.decode(part, { stream: true });
    done?.(part);
    const found = text.split('\n');
    rest = found.pop() ?? '';
    for (const line of found) lines.push(line);
    if (lines.length > ROWS_MAX) throw tooMany(`${ROWS_MAX} rows`);
    if (bytes > BYTES_MAX) throw tooMany(`${BYTES_MAX} bytes`);
  }
  return { lines: rest === '' ? lines : [...lines, rest], bytes };
}

const tooMany = (what: string): QuarryError =>
  new QuarryError(6000, `INSERT ... SELECT writes at most ${what}; divide it by WHERE or LIMIT`);

/** Throws 9004 if the query ran too often. */
export function refuseConflicts(count: number): void {
  if (count <= CONFLICTS_MAX) return;
  throw new QuarryError(9004, 'the data that the SELECT reads changes all the time; try again');
}

/** Throws 6000 for a record that no log file can hold. */
export function refuseLarge({ length }: Uint8Array): void {
  if (length > RECORD_PAYLOAD_BYTES_MAX) throw tooMany(`${RECORD_PAYLOAD_BYTES_MAX} bytes`);
}
