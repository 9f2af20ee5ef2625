import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { WorkerQueue } from '../../../src/engine/workers/worker-queue.js';
import { LARGE_OPS, type WorkerOp } from '../../../src/protocol/index.js';

const SEED = 27_182;
t.comment(`seed ${SEED}`);

interface Waiting {
  readonly request: { readonly op: WorkerOp };
  readonly number: number;
}

const OPS: readonly WorkerOp[] = ['parse', 'apply', 'count-entities', 'aggregate', 'select-next', 'mutate'];

const opsOf = (task: readonly Waiting[]): WorkerOp[] => task.map(({ request }) => request.op);

t.test('all but bodies leave in order, large answers end a task, and nobody waits for long', async (t) => {
  const prng = new Prng(SEED);
  const queue = new WorkerQueue<Waiting>();
  let sent = 0;
  let lastOrdered = -1;
  let lastParse = -1;
  let parsesWaiting = 0;
  let tasksWithout = 0;
  for (let round = 0; round < 5_000; round++) {
    for (let more = prng.below(6); more > 0; more--) {
      const op = prng.pick(OPS);
      if (op === 'parse') parsesWaiting++;
      queue.push({ request: { op }, number: sent++ });
    }
    if (queue.isEmpty) continue;
    const task = queue.take();
    const ops = opsOf(task);
    if (task.length === 0 || task.length > 66) t.fail(`a task of ${task.length}`);
    if (ops.slice(0, -1).some((op) => LARGE_OPS.has(op))) t.fail(`large within ${ops}`);
    const parses = task.filter(({ request }) => request.op === 'parse');
    if (parses.length > 2) t.fail(`${parses.length} bodies in one task`);
    if (parses.length > 0 && ops.some((op) => op !== 'parse' && op !== 'apply'))
      t.fail(`bodies beside ${ops}`);
    for (const { request, number } of task) {
      const last = request.op === 'parse' ? lastParse : lastOrdered;
      if (number <= last) t.fail(`${request.op} ${number} behind ${last}`);
      if (request.op === 'parse') lastParse = number;
      else lastOrdered = number;
    }
    parsesWaiting -= parses.length;
    tasksWithout = parses.length > 0 || parsesWaiting === 0 ? 0 : tasksWithout + 1;
    if (tasksWithout > 1) t.fail('bodies stood back twice in a row');
  }
  while (!queue.isEmpty) queue.take();
  t.ok(sent > 10_000);
});

t.test('bodies and queries that never cease take turns', async (t) => {
  const queue = new WorkerQueue<Waiting>();
  const kinds: WorkerOp[] = [];
  for (let round = 0; round < 10; round++) {
    queue.push({ request: { op: 'count-entities' }, number: round });
    queue.push({ request: { op: 'parse' }, number: round });
    kinds.push(opsOf(queue.take())[0]);
  }
  t.strictSame(new Set(kinds), new Set(['count-entities', 'parse']));
  t.ok(
    kinds.every((kind, at) => at === 0 || kind !== kinds[at - 1]),
    kinds.join(),
  );
});

t.test('who drains gets all that waits', async (t) => {
  const queue = new WorkerQueue<Waiting>();
  for (const [number, op] of OPS.entries()) queue.push({ request: { op }, number });
  t.strictSame(
    queue
      .drain()
      .map(({ number }) => number)
      .sort(),
    [0, 1, 2, 3, 4, 5],
  );
  t.ok(queue.isEmpty);
});
