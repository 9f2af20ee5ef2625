/**
 * What a statement answers with: a description, rows as they come, and the tag of its end.
 * Invariant: an answer is taken to its end or left; what makes it then ends.
 */
import { formatsFor, rowsInFormats } from './binary.js';
import { dataRow, type RowField, rowDescription } from './messages.js';

export interface Answer {
  /** Whole DataRow messages, in the formats that were asked for. */
  readonly rows: AsyncIterator<Buffer, void, void>;
  /** RowDescription; null = no rows can come. */
  readonly description: Buffer | null;
  /** NoticeResponse; null = there is nothing to tell. */
  readonly notice: Buffer | null;
  tag(rowCount: number): string;
  /** To be called once, with what ended it (null = nothing), when it was taken to its end or left. */
  over(error: unknown, rowCount: number): void;
}

async function* nothing(): AsyncGenerator<Buffer, void, void> {}

async function* once(rows: () => Buffer): AsyncGenerator<Buffer, void, void> {
  yield rows();
}

const NOT_NOTED = (): void => {};

/** Of a statement that only has an effect. */
export function done(tag: string, notice: Buffer | null = null): Answer {
  return { description: null, notice, rows: nothing(), tag: () => tag, over: NOT_NOTED };
}

/** Of one row, whose cells are text. `cells` has its effect when the row is taken. */
export function oneRow(
  fields: readonly RowField[],
  cells: () => readonly (string | null)[],
  formats: readonly number[],
  tag: string,
): Answer {
  const wanted = formatsFor(formats, fields.length);
  const typeIds = fields.map(({ typeId }) => typeId);
  const row = (): Buffer => dataRow(cells().map((cell) => (cell === null ? null : Buffer.from(cell))));
  return {
    description: rowDescription(fields, wanted),
    notice: null,
    rows: once(() => rowsInFormats(row(), typeIds, wanted)),
    tag: () => tag,
    over: NOT_NOTED,
  };
}

/** So many of the messages in `rows` as are whole, and at most `rowsMax`: how many, and where they end. */
export function rowsWithin(
  rows: Buffer,
  rowsMax: number,
): { readonly rowCount: number; readonly end: number } {
  let rowCount = 0;
  let end = 0;
  while (end < rows.length && rowCount < rowsMax) {
    end += 1 + rows.readInt32BE(end + 1);
    rowCount++;
  }
  return { rowCount, end };
}
