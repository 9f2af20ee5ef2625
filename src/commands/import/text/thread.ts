/** Entry file of a thread of an import, which makes columns of blocks of text. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TextBlock } from './text-block.js';
import { type ColumnsOfText, TextColumns } from './text-columns.js';
import type { TextPlan } from './text-plan.js';

/** Rows [from, to) of a block are read. */
export interface TextTask {
  readonly block: TextBlock;
  readonly from: number;
  readonly to: number;
}

/** The block moves back with the result. */
export interface TextResult {
  readonly block: TextBlock;
  readonly columns: ColumnsOfText;
}

const columns = new TextColumns(workerData as TextPlan);

parentPort?.on('message', ({ block, from, to }: TextTask) => {
  const result: TextResult = { block, columns: columns.read(block, from, to) };
  const { body, ids } = result.columns;
  const moved = [block.bytes.buffer, block.bounds.buffer, ...(body === null ? [] : [body.buffer])];
  const hashes = ids === null ? [] : Object.values(ids).map(({ buffer }) => buffer);
  parentPort?.postMessage(result, [...moved, ...hashes]);
});
