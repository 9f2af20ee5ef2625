/**
 * The answer of a statement: a row description, a stream of rows, and the command tag.
 * Invariant: every answer is either read to its end or abandoned; both end its query.
 */
import { formatsFor, rowsInFormats } from '../protocol/binary.js';
import { dataRow, type RowField, rowDescription } from '../protocol/messages.js';

export interface Answer {
  /** Complete DataRow messages in the requested formats. */
  readonly rows: AsyncIterator<Buffer, void, void>;
  /** RowDescription; null = the statement returns no rows. */
  readonly description: Buffer | null;
  /** NoticeResponse; null = none. */
  readonly notice: Buffer | null;
  tag(rowCount: number): string;
  /** Must be called once, when the answer was read to its end, failed or was abandoned. `error`: null = no failure. */
  over(error: unknown, rowCount: number): void;
}

async function* nothing(): AsyncGenerator<Buffer, void, void> {}

async function* singleRow(rows: () => Buffer): AsyncGenerator<Buffer, void, void> {
  yield rows();
}

const NOT_NOTED = (): void => {};

/** The answer of a statement that returns no rows. */
export function done(tag: string, notice: Buffer | null = null): Answer {
  return { description: null, notice, rows: nothing(), tag: () => tag, over: NOT_NOTED };
}

/** An answer of one row of text values. `values` is called, and has its effect, when the row is read. */
export function oneRow(
  fields: readonly RowField[],
  values: () => readonly (string | null)[],
  formats: readonly number[],
  tag: string,
): Answer {
  const wanted = formatsFor(formats, fields.length);
  const typeIds = fields.map(({ typeId }) => typeId);
  const row = (): Buffer => dataRow(values().map((value) => (value === null ? null : Buffer.from(value))));
  return {
    description: rowDescription(fields, wanted),
    notice: null,
    rows: singleRow(() => rowsInFormats(row(), typeIds, wanted)),
    tag: () => tag,
    over: NOT_NOTED,
  };
}

/** Counts the complete messages in `rows`, up to `rowsMax`, and returns the offset at which they end. */
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
