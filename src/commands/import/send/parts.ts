/**
 * The parts of a file: what one Idempotency-Key inserts, as bodies of rows or as record batches.
 * Invariant: the same file, mapping and options give the same parts, whichever row an import resumes after.
 */
import { isEventType } from '../../../schema/index.js';
import { columnBody } from '../columns/column-plan.js';
import { IdHashes } from '../columns/id-hashes.js';
import type { EmptyTexts } from '../formats/empty-texts.js';
import type { BatchReader, FileBatch } from '../formats/row-block.js';
import type { Mapping } from '../mapping/mapping.js';
import { type Body, bodyText, isDistinct } from './bodies.js';
import { ColumnInserter, type ImportedColumns } from './insert-columns.js';
import { type Inserted, RowInserter } from './insert-rows.js';
import type { InsertSender } from './insert-sender.js';
import type { BadRow } from './row-converter.js';

export interface Part {
  /** Rows, and bad rows. */
  readonly rowCount: number;
  readonly lastRow: number;
  /** Rows that were not understood, and so are not sent. */
  readonly bad: readonly BadRow[];
  /** From which its Idempotency-Key is derived: the body, or a hash of it. */
  readonly identity: Uint8Array;
  /** Whether it has values of an entity of `other`, so that it must not be sent before `other` is inserted. */
  mustFollow(other: Part): boolean;
  /** Rejects with what InsertSender rejects with. */
  insert(key: string): Promise<Inserted>;
}

export const NOTHING: Inserted = { entityCount: 0, byteCount: 0, bad: [] };

/** Whether rows of one entity must be inserted in their order: later attributes override, events do not. */
export const isOrdered = ({ targets }: Mapping): boolean =>
  targets.some(({ form }) => !isEventType(form.type));

class RowPart implements Part {
  readonly identity: Uint8Array;
  readonly #body: Body;
  readonly #isOrdered: boolean;
  readonly #inserter: RowInserter;

  constructor(body: Body, mapping: Mapping, inserter: RowInserter) {
    this.#body = body;
    this.#isOrdered = isOrdered(mapping);
    this.#inserter = inserter;
    this.identity = Buffer.from(bodyText(mapping, body.rows, isDistinct(body)));
  }

  get rowCount(): number {
    return this.#body.rows.length + this.bad.length;
  }

  get lastRow(): number {
    return this.#body.lastRow;
  }

  get bad(): readonly BadRow[] {
    return this.#body.bad;
  }

  mustFollow(other: Part): boolean {
    const { keys } = this.#body;
    if (!this.#isOrdered || keys === null || !(other instanceof RowPart)) return false;
    for (const key of other.#body.keys ?? []) if (keys.has(key)) return true;
    return false;
  }

  async insert(key: string): Promise<Inserted> {
    const { rows } = this.#body;
    return rows.length === 0 ? NOTHING : this.#inserter.insert(rows, this.identity, key);
  }
}

export async function* rowParts(
  bodies: AsyncGenerator<Body>,
  mapping: Mapping,
  insertSender: InsertSender,
): AsyncGenerator<Part> {
  const inserter = new RowInserter(mapping, insertSender);
  for await (const body of bodies) yield new RowPart(body, mapping, inserter);
}

class ColumnPart implements Part {
  readonly identity: Uint8Array;
  readonly bad: readonly BadRow[] = [];
  readonly #part: FileBatch;
  readonly #inserter: ColumnInserter;
  /** null = no other part has its entities, or their order does not matter. */
  readonly #ids: IdHashes | null;

  constructor(part: FileBatch, columns: ImportedColumns, inserter: ColumnInserter) {
    const { plan, mapping, rowName } = columns;
    const [{ from }] = plan.fields;
    const ids = from === null || !isOrdered(mapping) ? null : part.batch.getChild(from);
    this.#part = part;
    this.#inserter = inserter;
    this.#ids = ids === null ? null : IdHashes.of(ids, mapping.idCase);
    this.identity = columnBody(plan, part, rowName);
  }

  get rowCount(): number {
    return this.#part.batch.numRows;
  }

  get lastRow(): number {
    return this.#part.firstRow + this.rowCount - 1;
  }

  mustFollow(other: Part): boolean {
    if (this.#ids === null || !(other instanceof ColumnPart) || other.#ids === null) return false;
    return this.#ids.sharesOneWith(other.#ids);
  }

  insert(key: string): Promise<Inserted> {
    return this.#inserter.insert(this.#part, this.identity, key);
  }
}

export interface PartRange {
  /** The rows in (after, upTo] of the file. */
  readonly after: number;
  readonly upTo: number;
  /** Empty texts of the parts are counted here. */
  readonly empties: EmptyTexts;
}

export async function* columnParts(
  reader: BatchReader,
  columns: ImportedColumns,
  insertSender: InsertSender,
  { after, upTo, empties }: PartRange,
): AsyncGenerator<Part> {
  const inserter = new ColumnInserter(columns, insertSender);
  const { names, rowsMax } = columns.plan;
  for await (const { batch, firstRow } of reader.batches(after, names, rowsMax)) {
    const left = upTo - firstRow + 1;
    if (left <= 0) return;
    const part = left < batch.numRows ? batch.slice(0, left) : batch;
    empties.addBatch(part, columns.names);
    yield new ColumnPart({ batch: part, firstRow }, columns, inserter);
  }
}
