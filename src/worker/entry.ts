/** The file a lane's thread runs: one LaneWorker per thread, made from what the lane was started with. */
import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { NodeFileSystem } from '../io/index.js';
import { type LaneResult, type LaneStart, type LaneTask, movedBuffers } from '../protocol/index.js';
import { LaneWorker } from './lane-worker.js';

const worker = new LaneWorker(workerData as LaneStart, new NodeFileSystem());

/** Runs one task. A bug is thrown outside the task, so that it ends this thread and with it the damaged state. */
export default async function run(task: LaneTask): Promise<LaneResult> {
  const result = await worker.run(task).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
    return new Promise<never>(() => {});
  });
  const moved = movedBuffers(task, result);
  if (moved.length === 0) return result;
  // The pool posts the value, and hands the buffers over.
  return move({ [transferableSymbol]: moved, [valueSymbol]: result }) as unknown as LaneResult;
}
