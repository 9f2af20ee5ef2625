/** What is exported as the bytes of a file: which questions go to the server, and through what their rows go. */

import { readBatches } from './arrow-batches.js';
import { arrowBytes } from './arrow-bytes.js';
import type { Asker } from './ask.js';
import { compressed } from './compress.js';
import { type CountRows, countLines, csvRowCounter } from './count-rows.js';
import { type DimensionColumn, type DimensionModel, selectAttributes } from './dimension.js';
import type { FileForm } from './format.js';
import { idRanges, insertLines } from './insert-lines.js';
import { byteLengthOf, parquetBytes } from './parquet-bytes.js';

/** Told of rows as they go by. */
export type OnRows = (count: number, bytes: number) => void;

export interface Exported {
  readonly statement: string;
  /** Columns of lists among those that it answers. */
  readonly lists: readonly DimensionColumn[];
  /** The whole dimension, events and all; null = the statement's rows. */
  readonly whole: DimensionModel | null;
}

export const ofStatement = (statement: string): Exported => ({ statement, lists: [], whole: null });

export const ofDimension = (model: DimensionModel): Exported => ({
  statement: selectAttributes(model),
  lists: model.attributes.filter(({ isList }) => isList),
  whole: model,
});

/** The bytes of the file. Reading them rejects as Asker does. */
export async function* exportedBytes(
  asker: Asker,
  exported: Exported,
  form: FileForm,
  onRows: OnRows,
): AsyncGenerator<Uint8Array> {
  const { format, compression } = form;
  if (format === 'parquet') yield* parquetBytes(await batchesOf(asker, exported, onRows), compression);
  else yield* compressed(await plainBytes(asker, exported, form, onRows), compression);
}

async function plainBytes(
  asker: Asker,
  exported: Exported,
  { format }: FileForm,
  onRows: OnRows,
): Promise<AsyncIterable<Uint8Array>> {
  const { statement, whole } = exported;
  switch (format) {
    case 'ndjson':
      return counted(asker.rows(statement, 'ndjson'), countLines, onRows);
    case 'csv':
      return counted(asker.rows(statement, 'csv'), csvRowCounter(), onRows);
    case 'insert':
      if (whole === null) throw new Error('--format insert is of a whole dimension');
      return insertLines(asker, whole, await idRanges(asker, whole), onRows);
    default:
      return arrowBytes(await batchesOf(asker, exported, onRows), format === 'arrow-file');
  }
}

async function* counted(
  parts: AsyncIterable<Uint8Array>,
  count: CountRows,
  onRows: OnRows,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part;
    onRows(count(part), part.length);
  }
}

async function batchesOf(asker: Asker, { statement, lists }: Exported, onRows: OnRows) {
  const rows = await readBatches(asker.rows(statement, 'arrow'), lists);
  async function* batches() {
    for await (const batch of rows.batches) {
      yield batch;
      onRows(batch.numRows, byteLengthOf(batch));
    }
  }
  return { schema: rows.schema, batches: batches() };
}
