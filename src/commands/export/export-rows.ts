/** Produces the bytes of an export: sends the queries and converts their rows to the format. */

import { byteLengthOf, readBatches } from './arrow-batches.js';
import { arrowBytes } from './arrow-bytes.js';
import { compressed } from './compress.js';
import { type CountRows, countLines, csvRowCounter } from './count-rows.js';
import { type DimensionColumn, type DimensionModel, selectAttributes, selectEvents } from './dimension.js';
import type { FileForm } from './format.js';
import { idRanges, insertLines } from './insert-lines.js';
import type { SqlClient } from './sql-client.js';

/** Called with the number of rows and bytes read since the last call. */
export type OnRows = (count: number, bytes: number) => void;

export interface Exported {
  readonly statement: string;
  /** The list columns of the statement's result. */
  readonly lists: readonly DimensionColumn[];
  /** The dimension, if all of it with its events is exported; null = the statement's rows. */
  readonly whole: DimensionModel | null;
}

export const ofStatement = (statement: string): Exported => ({ statement, lists: [], whole: null });

export const ofDimension = (model: DimensionModel): Exported => ({
  statement: selectAttributes(model),
  lists: model.attributes.filter(({ isList }) => isList),
  whole: model,
});

/** The events of a column, a row each. */
export const ofEvents = (model: DimensionModel, column: DimensionColumn): Exported => ({
  ...{ statement: selectEvents(model, column), lists: [], whole: null },
});

/** The bytes of the file. Rejects with the errors of SqlClient. */
export async function* exportedBytes(
  sqlClient: SqlClient,
  exported: Exported,
  form: FileForm,
  onRows: OnRows,
): AsyncGenerator<Uint8Array> {
  const { format, compression } = form;
  if (format === 'parquet') {
    // The package is several megabytes large: it is loaded only where it is used.
    const { parquetBytes } = await import('./parquet-bytes.js');
    yield* parquetBytes(await batchesOf(sqlClient, exported, onRows), compression);
  } else yield* compressed(await plainBytes(sqlClient, exported, form, onRows), compression);
}

async function plainBytes(
  sqlClient: SqlClient,
  exported: Exported,
  { format }: FileForm,
  onRows: OnRows,
): Promise<AsyncIterable<Uint8Array>> {
  const { statement, whole } = exported;
  switch (format) {
    case 'ndjson':
      return counted(sqlClient.rows(statement, 'ndjson'), countLines, onRows);
    case 'csv':
      return counted(sqlClient.rows(statement, 'csv'), csvRowCounter(), onRows);
    case 'insert':
      if (whole === null) throw new Error('--format insert exports only a whole dimension');
      return insertLines(sqlClient, whole, await idRanges(sqlClient, whole), onRows);
    default:
      return arrowBytes(await batchesOf(sqlClient, exported, onRows), format === 'arrow-file');
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

async function batchesOf(sqlClient: SqlClient, { statement, lists }: Exported, onRows: OnRows) {
  const rows = await readBatches(sqlClient.rows(statement, 'arrow'), lists);
  async function* batches() {
    for await (const batch of rows.batches) {
      yield batch;
      onRows(batch.numRows, byteLengthOf(batch));
    }
  }
  return { schema: rows.schema, batches: batches() };
}
