/** Worker clients that record shared memory in the messages of queries, where everything must be bytes. */
import { type CreateWorkerClient, WorkerClient } from '../../src/engine/workers/worker-client.js';
import type { WorkerOp } from '../../src/protocol/index.js';

/** Bodies of inserts reach the workers in shared memory, whatever the exchange. */
const WRITES: ReadonlySet<WorkerOp> = new Set<WorkerOp>(['parse', 'parse-set', 'apply']);

/** The paths of all shared memory in a message. */
export function sharedIn(value: unknown, path: string, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  if (value instanceof SharedArrayBuffer) return [path];
  if (ArrayBuffer.isView(value)) return sharedIn(value.buffer, `${path}.buffer`, seen);
  if (value instanceof Map || value instanceof Set) return sharedIn([...value], path, seen);
  return Object.entries(value).flatMap(([key, member]) => sharedIn(member, `${path}.${key}`, seen));
}

/** Adds to `found` what is shared, and to `ops` the kinds of requests. */
export const unsharedClients =
  (workerFile: string, found: string[], ops: Set<WorkerOp> = new Set()): CreateWorkerClient =>
  (start, onDown) => {
    const { inserts: _, ...ofQueries } = start;
    found.push(...sharedIn(ofQueries, 'start'));
    const worker = new WorkerClient(workerFile, start, onDown);
    const send: WorkerClient['send'] = async (op, request) => {
      ops.add(op);
      if (WRITES.has(op)) return worker.send(op, request);
      found.push(...sharedIn(request, op));
      const answer = await worker.send(op, request);
      found.push(...sharedIn(answer, `answer of ${op}`));
      return answer;
    };
    return new Proxy(worker, {
      get: (target, name) => {
        if (name === 'send') return send;
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
