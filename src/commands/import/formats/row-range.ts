/** Selects a range of rows of a source, and reads the first rows ahead as a sample. */
import { EmptyTexts } from './empty-texts.js';
import type { RowBlock, RowSource, SourceValue } from './row-block.js';

/** The rows with numbers in (after, upTo]. */
export function within(block: RowBlock, after: number, upTo: number): RowBlock {
  const { count, rowNumbers, columns, lines, texts, broken } = block;
  let from = 0;
  while (from < count && rowNumbers[from] <= after) from++;
  let to = count;
  while (to > from && rowNumbers[to - 1] > upTo) to--;
  const retained = broken.filter(({ row }) => row > after && row <= upTo);
  if (from === 0 && to === count && retained.length === broken.length) return block;
  const cut = <T>(list: ArrayLike<T>): ArrayLike<T> => Array.prototype.slice.call(list, from, to) as T[];
  return {
    count: to - from,
    columns: columns.map((column) => cut(column)),
    rowNumbers: cut(rowNumbers),
    lines: lines === null ? null : cut(lines),
    texts: texts === null ? null : texts.slice(from, to),
    broken: retained,
  };
}

const lastRowOf = ({ count, rowNumbers, broken }: RowBlock): number =>
  Math.max(count === 0 ? 0 : rowNumbers[count - 1], broken.at(-1)?.row ?? 0);

export interface Sampled {
  /** Values of the first rows, by column. */
  readonly sample: readonly (readonly SourceValue[])[];
  /** Empty texts of the rows that `blocks` returned so far. */
  readonly empties: EmptyTexts;
  /** Rows in (after, upTo]; called once. */
  readonly blocks: (after: number, upTo: number, used: readonly number[]) => AsyncGenerator<RowBlock>;
}

/** Reads the first `count` rows of a source, independent of its block boundaries. */
export async function sampled(source: RowSource, count: number): Promise<Sampled> {
  const fit = source.columns.flatMap(({ unfit }, index) => (unfit === null ? [index] : []));
  const all = source.blocks(0, fit);
  const first: RowBlock[] = [];
  for (let row = 0; row < count; ) {
    const next = await all.next();
    if (next.done === true) break;
    first.push(next.value);
    row = lastRowOf(next.value);
  }
  source.text?.blocks.stopRecording();
  const values: SourceValue[][] = source.columns.map(() => []);
  for (const block of first) {
    within(block, 0, count).columns.forEach((column, index) => {
      for (let row = 0; row < column.length; row++) values[index].push(column[row]);
    });
  }
  const empties = source.empties ?? new EmptyTexts();
  // A file with random access is read again, with the requested columns only.
  const isAnywhere = source.rowCount !== null;
  if (isAnywhere) await all.return(undefined);
  async function* blocks(after: number, upTo: number, used: readonly number[]): AsyncGenerator<RowBlock> {
    const rows = isAnywhere ? source.blocks(after, used) : continued(first, all);
    for await (const block of rows) {
      const retained = within(block, after, upTo);
      if (source.empties === undefined) empties.addBlock(retained);
      if (retained.count + retained.broken.length > 0) yield retained;
      if (lastRowOf(block) >= upTo) return;
    }
  }
  return { sample: values, blocks, empties };
}

async function* continued(first: RowBlock[], rest: AsyncGenerator<RowBlock>): AsyncGenerator<RowBlock> {
  yield* first.splice(0);
  yield* rest;
}
