/** Entry file of a worker thread, which has one ShardWorker made from its WorkerStart. */
import { workerData } from 'node:worker_threads';
import { NodeFileSystem } from '../io/index.js';
import type { WorkerResult, WorkerStart, WorkerTask } from '../protocol/index.js';
import { ShardWorker } from './shard-worker.js';

/** A checkpoint writes one file at a time, and reading a snapshot requires no more handles. */
const SPARE_HANDLES = 4;

const worker = new ShardWorker(workerData as WorkerStart, new NodeFileSystem(SPARE_HANDLES));

/** Runs one task. A bug is thrown outside of the task, so that it ends this thread and discards its damaged state. */
export default function run(task: WorkerTask): Promise<WorkerResult> {
  return worker.run(task).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
    return new Promise<never>(() => {});
  });
}
