/** Reads rows of a text format and collects them into blocks, for CSV and NDJSON. */
import { rowLine, rowText, type TextBlock } from '../text/text-block.js';
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

/** How the text of a row becomes values, and rows become columns. */
export interface RowFormat<V> {
  read(line: number, text: string): TextRow<V>;
  columnsOf(rows: readonly V[]): readonly ArrayLike<SourceValue>[];
}

/** Rows [from, to) of a block. */
export function rowsOf<V>(
  block: TextBlock,
  { read }: Pick<RowFormat<V>, 'read'>,
  from: number,
  to: number,
): TextRow<V>[] {
  const rows: TextRow<V>[] = [];
  let broken = block.broken.findIndex(({ index }) => index >= from);
  for (let index = from; index < to; index++) {
    const isBroken = broken >= 0 && block.broken[broken]?.index === index;
    const line = rowLine(block, index);
    const text = rowText(block, index);
    rows.push(isBroken ? brokenRow(line, text, block.broken[broken++].reason) : read(line, text));
  }
  return rows;
}

/** Rows [from, to) of a block as blocks of values. */
export function* blocksOfText<V>(
  block: TextBlock,
  format: RowFormat<V>,
  from: number,
  to: number,
): Generator<RowBlock> {
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const rows = rowsOf(block, format, start, Math.min(start + BLOCK_ROWS, to));
    yield blockOf(rows, block.firstRow + start, format);
  }
}

/** All rows, some at a time. */
export async function* rowsOfBlocks<V>(
  blocks: AsyncIterable<TextBlock>,
  format: Pick<RowFormat<V>, 'read'>,
): AsyncGenerator<TextRow<V>[]> {
  for await (const block of blocks) {
    for (let from = 0; from < block.count; from += BLOCK_ROWS)
      yield rowsOf(block, format, from, Math.min(from + BLOCK_ROWS, block.count));
  }
}

/** `first` are rows read before `rows`. `columnsOf` converts rows to columns. */
export async function* textBlocks<V>(
  first: readonly TextRow<V>[],
  rows: AsyncGenerator<readonly TextRow<V>[]>,
  skipRows: number,
  format: Pick<RowFormat<V>, 'columnsOf'>,
): AsyncGenerator<RowBlock> {
  let row = 0;
  for (let part = first; ; ) {
    for (let from = 0; from < part.length; from += BLOCK_ROWS) {
      const some = part.slice(from, from + BLOCK_ROWS);
      const wanted = some.slice(Math.min(some.length, Math.max(0, skipRows - row)));
      row += some.length;
      if (wanted.length > 0) yield blockOf(wanted, row - wanted.length + 1, format);
    }
    const next = await rows.next();
    if (next.done === true) return;
    part = next.value;
  }
}

function blockOf<V>(
  rows: readonly TextRow<V>[],
  firstRow: number,
  { columnsOf }: Pick<RowFormat<V>, 'columnsOf'>,
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
