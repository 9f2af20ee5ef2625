/**
 * Runs the queries of a script whose writes depend on rows (INSERT ... SELECT, UPDATE with subqueries, RETURNING).
 * Invariant: a script is written only if no record that was appended between the start of its first query and its own record
 * changes a dimension that a query read, so all queries read, and the write takes effect on, one version.
 */
import { type RowFormat, type RowStream, readLines } from '../../answer/index.js';
import { type Cancellation, QuarryError } from '../../base/index.js';
import { RECORD_PAYLOAD_BYTES_MAX } from '../../format/index.js';
import { dimensionsOf, type ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { WriteOrder } from './write-order.js';

/** Rows of one query, and bytes of the rows of all queries of a script. */
const ROWS_MAX = 50_000;
const BYTES_MAX = 16 * 2 ** 20;
/**
 * Memory per byte of rows: a line, the member of an insert body made of it, and the body, at two bytes per character.
 */
const MEMORY_PER_BYTE = 6;
/** How often the queries are repeated because the data changed. */
const CONFLICTS_MAX = 10;
/** How often a query waits for records that are not visible yet. */
const WAITS_MAX = 2;

/** Starts a SELECT in this turn. */
export type SelectRows = (plan: ReadPlan, format: RowFormat, cancellation: Cancellation | null) => RowStream;

export interface ScriptReadsDependencies {
  readonly order: Pick<WriteOrder, 'caughtUp' | 'visible' | 'appendedVersions' | 'lsnSent'>;
  readonly select: SelectRows;
}

/** Thrown when data that was read has changed, so that everything must be read again. */
export class DataChanged extends Error {
  override name = 'DataChanged';
}

/** The reads of one attempt of a script. */
export class ScriptReads {
  readonly #databaseId: number;
  readonly #cancellation: Cancellation | null;
  readonly #dependencies: ScriptReadsDependencies;
  readonly #read: { readonly dimensions: readonly DimensionKey[]; readonly lsns: readonly number[] }[] = [];
  #bytes = 0;

  constructor(
    databaseId: number,
    cancellation: Cancellation | null,
    { order, select }: ScriptReadsDependencies,
  ) {
    this.#databaseId = databaseId;
    this.#cancellation = cancellation;
    this.#dependencies = { order, select };
  }

  /** Approximate memory of the rows as texts and as insert bodies. */
  get bytes(): number {
    return this.#bytes * MEMORY_PER_BYTE;
  }

  /** Whether no record appended since the first query began changes a dimension that was read. */
  isCurrent(): boolean {
    const { order } = this.#dependencies;
    return this.#read.every(({ dimensions, lsns }) =>
      order.appendedVersions(dimensions).every((lsn, index) => lsn === lsns[index]),
    );
  }

  /** Rejects with 6000, DataChanged, and the errors of queries. */
  async lines(plan: (model: DatabaseModel) => ReadPlan): Promise<readonly string[]> {
    return readLines(await this.#start(plan, 'ndjson'), (lineCount, partBytes) => {
      this.#count(partBytes);
      if (lineCount > ROWS_MAX) throw tooMany(`${ROWS_MAX} rows`);
    });
  }

  /** The same for the answer of a SELECT. */
  async answer(plan: (model: DatabaseModel) => ReadPlan, format: RowFormat): Promise<readonly Uint8Array[]> {
    const { parts, done } = await this.#start(plan, format);
    const copies: Uint8Array[] = [];
    for await (const part of parts) {
      const copy = Uint8Array.from(part);
      done?.(part);
      this.#count(copy.byteLength);
      copies.push(copy);
    }
    return copies;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > BYTES_MAX) throw tooMany(`${BYTES_MAX} bytes`);
  }

  async #start(plan: (model: DatabaseModel) => ReadPlan, format: RowFormat): Promise<RowStream> {
    const { order, select } = this.#dependencies;
    for (let waitCount = 0; ; ) {
      await order.caughtUp();
      const model = order.visible.databases.get(this.#databaseId);
      if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
      const bound = plan(model);
      const dimensions = dimensionsOf(bound);
      const lsns = order.appendedVersions(dimensions);
      if (!this.isCurrent()) throw new DataChanged();
      // A query sees the records that were sent to the workers before it. Records that were appended but not sent are not
      // visible yet.
      if (lsns.some((lsn) => lsn > order.lsnSent)) {
        if (++waitCount > WAITS_MAX) throw new DataChanged();
        continue;
      }
      this.#read.push({ dimensions, lsns });
      return select(bound, format, this.#cancellation);
    }
  }
}

const tooMany = (what: string): QuarryError =>
  new QuarryError(
    6000,
    `a write that reads rows takes at most ${what}; write fewer rows at a time with WHERE or LIMIT`,
  );

/** Throws 9004 if the query ran too often. */
export function refuseConflicts(count: number): void {
  if (count <= CONFLICTS_MAX) return;
  throw new QuarryError(9004, 'the data that the statement reads changes all the time; try again');
}

/** Throws 6000 for a record that no log file can hold. */
export function refuseLarge({ length }: Uint8Array): void {
  if (length > RECORD_PAYLOAD_BYTES_MAX) throw tooMany(`${RECORD_PAYLOAD_BYTES_MAX} bytes`);
}
