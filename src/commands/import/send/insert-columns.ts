/**
 * Inserts rows as Arrow record batches and finds those that the server refuses: a refused part is divided into parts that are
 * sent separately, and small ones are sent row by row.
 * Invariant: as for rows (insert-rows.ts), a row is inserted once. Before the parts of a refused part are sent, a body without rows
 * uses its Idempotency-Key.
 */
import { RemoteError } from '../../remote/index.js';
import { type ColumnPlan, columnBody, emptyBody, type InsertPaths } from '../columns/column-plan.js';
import { blocksOfBatch } from '../formats/arrow.js';
import type { FileBatch, RowBlock } from '../formats/row-block.js';
import type { Mapping } from '../mapping/mapping.js';
import { type Body, BodyCutter, bodyText, isDistinct } from './bodies.js';
import { type Inserted, isRowsError, KEY_REUSED, RowInserter } from './insert-rows.js';
import { ARROW_STREAM, type InsertSender } from './insert-sender.js';

const PARTS = 8;
/** Fewer rows are sent one by one. */
const PART_ROWS_MIN = 2_048;

export interface ImportedColumns {
  readonly plan: ColumnPlan;
  readonly mapping: Mapping;
  /** The columns of the file. */
  readonly names: readonly string[];
  /** Prefix of IDs made of row numbers. */
  readonly rowName: string;
}

export class ColumnInserter {
  readonly #columns: ImportedColumns;
  readonly #sender: ColumnSender;

  constructor(columns: ImportedColumns, insertSender: InsertSender) {
    this.#columns = columns;
    this.#sender = new ColumnSender({ ...columns, paths: columns.plan }, insertSender);
  }

  /** `bytes` is the body of `part`, `key` its Idempotency-Key. */
  async insert(part: FileBatch, bytes: Uint8Array, key: string): Promise<Inserted> {
    const entityCount = await this.#sender.send(bytes, key);
    if (entityCount !== null) return { entityCount, byteCount: bytes.length, bad: [] };
    const { batch, firstRow } = part;
    if (batch.numRows <= PART_ROWS_MIN)
      return this.#sender.insertRows(blocksOfBatch(part, this.#columns.names), key);
    const { plan, rowName } = this.#columns;
    const all: Inserted[] = [];
    const size = Math.ceil(batch.numRows / PARTS);
    for (let from = 0; from < batch.numRows; from += size) {
      const own = {
        batch: batch.slice(from, Math.min(from + size, batch.numRows)),
        firstRow: firstRow + from,
      };
      all.push(await this.insert(own, columnBody(plan, own, rowName), `${key}.${from / size}`));
    }
    return sumOf(all);
  }
}

export interface SentColumns extends Omit<ImportedColumns, 'plan'> {
  readonly paths: InsertPaths;
}

/** Sends bodies of columns, and rows as rows. */
export class ColumnSender {
  readonly #columns: SentColumns;
  readonly #insertSender: InsertSender;
  readonly #rows: RowInserter;

  constructor(columns: SentColumns, insertSender: InsertSender) {
    this.#columns = columns;
    this.#insertSender = insertSender;
    this.#rows = new RowInserter(columns.mapping, insertSender);
  }

  /** Sends a part and returns the number of its entities. null = it was refused, now or before, and its key is used. */
  async send(bytes: Uint8Array, key: string): Promise<number | null> {
    const { path, idPath } = this.#columns.paths;
    try {
      const answer = await this.#insertSender.post(bytes, key, { path, contentType: ARROW_STREAM });
      return (answer as { readonly 'inserted-entities': number })['inserted-entities'];
    } catch (error) {
      if (error instanceof RemoteError && error.code === KEY_REUSED) return null;
      if (!isRowsError(error)) throw error;
      await this.#insertSender.post(emptyBody(), key, { path: idPath, contentType: ARROW_STREAM });
      return null;
    }
  }

  /** Inserts rows as bodies of rows, by keys that are derived from `key`. */
  async insertRows(blocks: Iterable<RowBlock>, key: string): Promise<Inserted> {
    const { mapping, names, rowName } = this.#columns;
    const cutter = new BodyCutter(mapping, names, rowName);
    const bodies: Body[] = [];
    for (const block of blocks) bodies.push(...cutter.take(block));
    const rest = cutter.rest();
    if (rest !== null) bodies.push(rest);
    const all: Inserted[] = [];
    for (const [index, body] of bodies.entries()) {
      all.push({ entityCount: 0, byteCount: 0, bad: body.bad });
      if (body.rows.length === 0) continue;
      const bytes = Buffer.from(bodyText(mapping, body.rows, isDistinct(body)));
      all.push(await this.#rows.insert(body.rows, bytes, `${key}.r${index}`));
    }
    return sumOf(all);
  }
}

const sumOf = (all: readonly Inserted[]): Inserted => ({
  entityCount: all.reduce((sum, { entityCount }) => sum + entityCount, 0),
  byteCount: all.reduce((sum, { byteCount }) => sum + byteCount, 0),
  bad: all.flatMap(({ bad }) => bad),
});
