/**
 * The parts of a text: each is a block of rows, or what is left of it between the first and the last row that are wanted. Threads
 * make their columns ahead of the inserts.
 * Invariant: as for record batches (insert-columns.ts), a row is inserted once. Rows that the server refuses as columns, or that no
 * column can express, are sent as rows.
 */
import { IdHashes } from '../columns/id-hashes.js';
import { EmptyTexts } from '../formats/empty-texts.js';
import type { SourceText } from '../formats/row-block.js';
import { blocksOfText, type RowFormat } from '../formats/text-rows.js';
import type { TextBlock } from '../text/text-block.js';
import { type ColumnsOfText, rowFormatOf } from '../text/text-columns.js';
import type { TextPlan } from '../text/text-plan.js';
import type { TextThreads } from '../text/text-threads.js';
import type { TextTask } from '../text/thread.js';
import { ColumnSender } from './insert-columns.js';
import type { Inserted } from './insert-rows.js';
import type { InsertSender } from './insert-sender.js';
import { isOrdered, NOTHING, type Part, type PartRange } from './parts.js';

/** Inserts the rows of parts. */
export class TextSender {
  readonly isOrdered: boolean;
  readonly #plan: TextPlan;
  readonly #sender: ColumnSender;

  constructor(plan: TextPlan, insertSender: InsertSender) {
    this.#plan = plan;
    this.isOrdered = isOrdered(plan.mapping);
    this.#sender = new ColumnSender({ ...plan, paths: plan }, insertSender);
  }

  async insert({ block, from, to }: TextTask, columns: ColumnsOfText, key: string): Promise<Inserted> {
    const { body, entityCount, rowCount } = columns;
    if (rowCount === 0) return NOTHING;
    if (body !== null && (await this.#sender.send(body, key)) !== null)
      return { entityCount, byteCount: body.length, bad: [] };
    const format = rowFormatOf(this.#plan, new EmptyTexts(), () => {}) as RowFormat<unknown>;
    const inserted = await this.#sender.insertRows(blocksOfText(block, format, from, to), key);
    // Rows that are bad by themselves are those of the part.
    const known = new Set(columns.bad.map(({ row }) => row));
    return { ...inserted, bad: inserted.bad.filter(({ row }) => !known.has(row)) };
  }
}

class TextPart implements Part {
  readonly #task: TextTask;
  readonly #columns: ColumnsOfText;
  readonly #sender: TextSender;
  readonly #ids: IdHashes | null;

  constructor(task: TextTask, columns: ColumnsOfText, sender: TextSender) {
    this.#task = task;
    this.#columns = columns;
    this.#sender = sender;
    this.#ids = columns.ids === null || !sender.isOrdered ? null : new IdHashes(columns.ids);
  }

  get rowCount(): number {
    return this.#task.to - this.#task.from;
  }

  get lastRow(): number {
    return this.#task.block.firstRow + this.#task.to - 1;
  }

  get bad() {
    return this.#columns.bad;
  }

  get identity(): Uint8Array {
    return this.#columns.digest;
  }

  mustFollow(other: Part): boolean {
    if (this.#ids === null || !(other instanceof TextPart) || other.#ids === null) return false;
    return this.#ids.sharesOneWith(other.#ids);
  }

  insert(key: string): Promise<Inserted> {
    return this.#sender.insert(this.#task, this.#columns, key);
  }
}

/** Ends the threads when all parts were read, or no further one is wanted. */
export async function* textParts(
  text: SourceText,
  threads: TextThreads,
  sender: TextSender,
  range: PartRange,
): AsyncGenerator<Part> {
  const part = async (task: TextTask): Promise<Part> => {
    const { block, columns } = await threads.run(task);
    for (const [column, count] of columns.empties) range.empties.add(column, count);
    for (const [name, line] of columns.late) text.noteLate(name, line);
    return new TextPart({ ...task, block }, columns, sender);
  };
  range.empties.clear();
  const ahead: Promise<Part>[] = [];
  try {
    for await (const block of text.blocks.again()) {
      const task = taskOf(block, range);
      if (task !== null) {
        const made = part(task);
        // A failure of a later part is reported when it is that part's turn.
        made.catch(() => {});
        ahead.push(made);
      }
      if (block.firstRow + block.count > range.upTo) break;
      if (ahead.length > threads.count) yield (await ahead.shift()) as Part;
    }
    for (const one of ahead) yield await one;
  } finally {
    await threads.close();
  }
}

/** The rows of a block in (after, upTo]; null = there is none. */
function taskOf(block: TextBlock, { after, upTo }: PartRange): TextTask | null {
  const from = Math.max(0, after + 1 - block.firstRow);
  const to = Math.min(block.count, upTo + 1 - block.firstRow);
  return from < to ? { block, from, to } : null;
}
