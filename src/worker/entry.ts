/** The file a lane's thread runs: one LaneWorker per thread, made from what the lane was started with. */
import { workerData } from 'node:worker_threads';
import { NodeFileSystem } from '../io/index.js';
import type { LaneResult, LaneStart, LaneTask } from '../protocol/index.js';
import { LaneWorker } from './lane-worker.js';

/** A checkpoint writes one file at a time; reading a snapshot back needs no more. */
const SPARE_HANDLES = 4;

const worker = new LaneWorker(workerData as LaneStart, new NodeFileSystem(SPARE_HANDLES));

/** Runs one task. A bug is thrown outside the task, so that it ends this thread and with it the damaged state. */
export default function run(task: LaneTask): Promise<LaneResult> {
  return worker.run(task).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
    return new Promise<never>(() => {});
  });
}
