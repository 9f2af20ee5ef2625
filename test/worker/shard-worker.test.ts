/** Replies of a worker in the thread of the test: order, refusals, and bugs that must end the worker. */
import t from 'tap';
import { bytesOf, NO_DATA_MEMORY } from '../../src/base/index.js';
import { batchBytes, encodeBatch } from '../../src/column/index.js';
import type { Aggregate, Expression, SelectPlan } from '../../src/ir/index.js';
import {
  type DimensionData,
  SpillSpace,
  type WorkerRequest,
  type WorkerStart,
} from '../../src/protocol/index.js';
import { ShardWorker } from '../../src/worker/shard-worker.js';
import { PLAIN } from '../exec/scan/select-rows.js';
import { batchOf, COLUMNS } from '../storage/stored.js';
import { faultyDisk } from '../support/faulty-disk.js';

const START: WorkerStart = {
  workerIndex: 0,
  shards: [1, 3],
  shardCount: 4,
  storeDir: '/store',
  kernels: null,
  exchange: 'shared',
  stops: new SharedArrayBuffer(8),
  inserts: new SharedArrayBuffer(8),
  processBytesMax: Number.POSITIVE_INFINITY,
  spill: {
    ...{ dir: '/store/spool', space: SpillSpace.memory(2, 1), threadCount: 1 },
    ...{ bytesMax: 2 ** 20, queryBytesMax: 2 ** 20 },
  },
};
const KEY = { databaseId: 1, dimensionId: 2 };

const makeWorker = (): ShardWorker => new ShardWorker(START, faultyDisk());

function applyOf(shard: number, ids: readonly string[]): WorkerRequest {
  const batch = batchOf(
    KEY.dimensionId,
    ids.map((id) => ({ id, fields: [{ column: COLUMNS[2], latest: 7n }] })),
  );
  const buffer = new SharedArrayBuffer(batchBytes(batch));
  const byteLength = encodeBatch(batch, buffer, 0);
  return {
    op: 'apply',
    records: [{ databaseId: KEY.databaseId, buffer, batches: [{ shard, offset: 0, byteLength }] }],
  };
}

const COUNT_ALL: WorkerRequest = {
  op: 'count-entities',
  plans: [
    { ...KEY, condition: null },
    { ...KEY, dimensionId: 99, condition: null },
  ],
  bounds: { slot: 1, bytesMax: 2 ** 20 },
};

t.test('requests of a task take effect in order, with one reply each in the same order', async (t) => {
  const worker = makeWorker();
  const { replies } = await worker.run({
    sequence: 0,
    requests: [
      COUNT_ALL,
      applyOf(1, ['a', 'b']),
      COUNT_ALL,
      applyOf(3, ['c']),
      applyOf(1, ['b', 'd']),
      COUNT_ALL,
      { op: 'drop-dimension', ...KEY },
      COUNT_ALL,
    ],
  });
  t.strictSame(
    replies.map((reply) => ('value' in reply ? reply.value : reply)),
    [[0, 0], null, [2, 0], null, null, [4, 0], null, [0, 0]],
  );
});

t.test('memory is reported after every change, and decreases with a dropped dimension', async (t) => {
  const worker = makeWorker();
  const ids = Array.from({ length: 5000 }, (_, index) => `entity-${index}`);
  t.equal((await worker.run({ sequence: 0, requests: [COUNT_ALL] })).memory, null, 'nothing changed');
  const { memory } = await worker.run({ sequence: 1, requests: [applyOf(1, ids)] });
  const reservedBytes = bytesOf(memory ?? {});
  t.ok(reservedBytes > 5000 * 12, `${reservedBytes} bytes`);
  const { replies } = await worker.run({ sequence: 2, requests: [{ op: 'describe-data' }] });
  const [{ value: described }] = replies as [{ value: readonly DimensionData[] }];
  t.match(described, [{ ...KEY, entityCount: 5000, eventCounts: [] }]);
  t.equal(
    described[0].memory.reduce((sum, { bytes }) => sum + bytes, 0),
    reservedBytes,
    'the description in pieces is the same',
  );
  const dropped = await worker.run({ sequence: 3, requests: [{ op: 'drop-dimension', ...KEY }] });
  t.strictSame(dropped.memory, NO_DATA_MEMORY);
});

t.test(
  'a task out of order, a shard of another worker and a step without a checkpoint reject as bugs',
  async (t) => {
    const error = { name: 'InvariantError' };
    await t.rejects(makeWorker().run({ sequence: 1, requests: [COUNT_ALL] }), error);
    await t.rejects(makeWorker().run({ sequence: 0, requests: [applyOf(2, ['a'])] }), error);
    await t.rejects(makeWorker().run({ sequence: 0, requests: [{ op: 'checkpoint-step' }] }), error);
    await t.rejects(
      makeWorker().run({ sequence: 0, requests: [{ op: 'load', files: [] }, COUNT_ALL] }),
      error,
    );
  },
);

t.test('an insert into a deleted database is refused with 8002, and the worker continues', async (t) => {
  const worker = makeWorker();
  const shared = new SharedArrayBuffer(4096);
  const request: WorkerRequest = {
    op: 'parse',
    databaseId: 9,
    shared,
    bodyBytes: 2,
    nowMs: 0,
    customKey: false,
    columnIds: null,
    lines: null,
    idempotencyId: null,
  };
  const { replies } = await worker.run({ sequence: 0, requests: [request, COUNT_ALL] });
  t.match(replies, [{ refusal: { error: { code: 8002 } } }, { value: [0, 0] }]);
});

t.test('a SELECT is removed after its last part, or at its end if its texts may be counted', async (t) => {
  const worker = makeWorker();
  let sequence = 0;
  const send = async (...requests: WorkerRequest[]) =>
    (await worker.run({ sequence: sequence++, requests })).replies;
  await send(applyOf(1, ['a', 'b']), applyOf(3, ['c']));
  const id: Expression = { op: 'input', input: 0, type: { type: 'text' } };
  const rows: SelectPlan = {
    ...PLAIN,
    ...KEY,
    inputs: [{ type: id.type, from: 'entity-id' }],
    outputs: [{ name: 'id', type: id.type, of: id }],
  };
  const counted: Aggregate = {
    function: 'count',
    of: id,
    distinct: true,
    feed: 'rows',
    fraction: null,
    type: { type: 'integer' },
  };
  const grouping = { keys: [], perEntity: false, aggregates: [counted] };
  const bounds = { slot: 0, bytesMax: 2 ** 30 };
  const settings = {
    tables: [],
    format: null,
    profiled: false,
    best: null,
    partitionGroupsMin: null,
    bounds,
  };
  const beginOf = (selectId: number, plan: SelectPlan): WorkerRequest => ({
    op: 'select-begin',
    selectId,
    plan,
    ...settings,
  });
  const nextOf = (selectId: number): WorkerRequest => ({
    op: 'select-next',
    selectId,
    rowsMax: 2,
    bytesMax: 2 ** 20,
    sliceMs: 1_000,
    spare: [],
  });
  const countOf = (selectId: number): WorkerRequest => ({
    op: 'select-count-texts',
    selectId,
    lists: [],
    from: 0,
    to: 1,
  });
  const unknown = { refusal: { error: { code: 9004 } } };
  t.match(await send(beginOf(1, rows), nextOf(1)), [
    { value: null },
    { value: { done: false, rowCount: 2 } },
  ]);
  t.match(await send(beginOf(2, { ...rows, outputs: [], grouping }), nextOf(2)), [
    { value: null },
    { value: { done: true } },
  ]);
  t.match(await send(nextOf(1), nextOf(1)), [{ value: { done: true, rowCount: 1 } }, unknown]);
  t.match(await send(countOf(2), { op: 'select-end', selectId: 2 }, countOf(2)), [
    { value: 0 },
    { value: null },
    unknown,
  ]);
});
