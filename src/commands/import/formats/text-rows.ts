/** Collects rows of a text format into blocks, for CSV and NDJSON. */
import { BLOCK_ROWS, type BrokenRow, type RowBlock, type SourceValue } from './row-block.js';

/** Characters of a broken row that are kept for the file of bad rows. */
const BROKEN_ROW_CHARS = 65_536;

/** `V` is the type of a parsed row. */
export interface TextRow<V> {
  /** The line on which the row begins, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The parsed row, or the reason why it cannot be parsed. */
  readonly read: { readonly values: V } | { readonly wrong: string };
}

export const brokenRow = (line: number, text: string, wrong: string): TextRow<never> => ({
  line,
  text,
  read: { wrong },
});

export const overlongLine = (line: number, text: string): TextRow<never> =>
  brokenRow(line, text, 'the line is longer than 1 MiB');

/** `first` are rows read before `rows`. `columnsOf` converts rows to columns. */
export async function* textBlocks<V>(
  first: readonly TextRow<V>[],
  rows: AsyncGenerator<readonly TextRow<V>[]>,
  skipRows: number,
  columnsOf: (values: readonly V[]) => readonly ArrayLike<SourceValue>[],
): AsyncGenerator<RowBlock> {
  let row = 0;
  for (let part = first; ; ) {
    for (let from = 0; from < part.length; from += BLOCK_ROWS) {
      const some = part.slice(from, from + BLOCK_ROWS);
      const wanted = some.slice(Math.min(some.length, Math.max(0, skipRows - row)));
      row += some.length;
      if (wanted.length > 0) yield blockOf(wanted, row - wanted.length + 1, columnsOf);
    }
    const next = await rows.next();
    if (next.done === true) return;
    part = next.value;
  }
}

function blockOf<V>(
  rows: readonly TextRow<V>[],
  firstRow: number,
  columnsOf: (values: readonly V[]) => readonly ArrayLike<SourceValue>[],
): RowBlock {
  const values: V[] = [];
  const rowNumbers: number[] = [];
  const lines: number[] = [];
  const texts: string[] = [];
  const broken: BrokenRow[] = [];
  rows.forEach(({ line, text, read }, index) => {
    const row = firstRow + index;
    if ('wrong' in read) {
      broken.push({ row, line, reason: read.wrong, text: text.slice(0, BROKEN_ROW_CHARS) });
      return;
    }
    values.push(read.values);
    rowNumbers.push(row);
    lines.push(line);
    texts.push(text);
  });
  return { count: values.length, columns: columnsOf(values), rowNumbers, lines, texts, broken };
}
