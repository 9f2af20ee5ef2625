/** GET and DELETE /v1/status/queries, GET /v1/status/slow_queries. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import type { QueryOptions, QueryProgress } from '../../../src/engine/index.js';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import type { DatabaseCall } from '../../../src/http/endpoints/handlers/handler.js';
import { SlowQueries, type SlowQuery } from '../../../src/http/observability/slow-queries.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import {
  codeOf,
  type Front,
  RawConnection,
  type Reply,
  requestBytes,
  sendRequest,
  startFront,
} from '../harness.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const QUERIES = '/v1/status/queries';
const MASTER = `master-${hashOfKey(KEYS.master).slice(0, 8)}`;
const READ = `read-${hashOfKey(KEYS.read).slice(0, 8)}`;
const COUNT = '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}';
const OTHER_MASTER = 'other-master-key-text';

interface Listed {
  readonly count: number;
  readonly queries: readonly Readonly<Record<string, unknown>>[];
}

const headersOf = (key: string): Record<string, string> => ({ ...JSON_TYPE, Authorization: key });

async function listed(front: Front, key: string = KEYS.master): Promise<Listed> {
  const { body } = await sendRequest(front, { path: QUERIES, headers: headersOf(key) });
  return JSON.parse(body) as Listed;
}

async function stop(front: Front, id: unknown, key: string = KEYS.master): Promise<boolean> {
  const headers = headersOf(key);
  const reply = await sendRequest(front, { method: 'DELETE', path: `${QUERIES}/${id}`, headers });
  return (JSON.parse(reply.body) as { readonly stopped: boolean }).stopped;
}

const countBy = (front: Front, key: string): Promise<Reply> =>
  sendRequest(front, { path: '/v1/query/count/entity', headers: headersOf(key), body: COUNT });

/** Waits until a query runs, and returns it. */
async function running(front: Front): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const [found] = (await listed(front)).queries;
    if (found !== undefined) return found;
    await pause(5);
  }
}

/** Counts that end only when they are cancelled. `progress`: what the query reports; null = it has not begun. */
function countForever(front: Front, progress: QueryProgress | null = null): void {
  front.engine.countEntities = (_plans: unknown, { cancellation, onBegin }: QueryOptions) => {
    if (progress !== null) onBegin?.(() => progress);
    return new Promise((_, reject) => cancellation?.onCancel(() => reject(new QuarryError(9005))));
  };
}

t.test(
  'a running query is listed with its key, text, state and time, until its answer was sent',
  async (t) => {
    const front = await startFront(t);
    t.match(await listed(front), { status: 'success', count: 0, queries: [] });
    countForever(front, { waitsFor: 'slot', reservedBytes: 77 });
    const reply = countBy(front, KEYS.read);
    const query = await running(front);
    t.match(query, {
      ...{ kind: 'http', endpoint: 'POST /v1/query/count/entity', key: READ, query: COUNT },
      ...{ state: 'waiting-for-slot', 'reserved-bytes': 77 },
    });
    t.match(query['request-id'], /^test-\d+$/);
    t.ok(Math.abs(Date.now() - Date.parse(String(query.started))) < 60_000);
    t.type(query.milliseconds, 'number');
    t.equal(await stop(front, query.id), true);
    t.equal(codeOf(await reply), 9007);
    t.equal((await reply).status, 409);
    t.equal((await reply).headers['retry-after'], undefined, 'the client does not repeat it');
    t.match(await listed(front), { count: 0, queries: [] });
    t.equal(await stop(front, query.id), false, 'it has ended');
  },
);

t.test('a stop is audited with the request that was stopped and its key; looking is not', async (t) => {
  const front = await startFront(t);
  countForever(front);
  const reply = countBy(front, KEYS.read);
  const { id, state, 'request-id': requestId } = await running(front);
  t.equal(state, 'running');
  await stop(front, id);
  await reply;
  const audited = front.logLines
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly audit: object })
    .filter(({ msg }) => msg === 'audit');
  t.match(
    audited.map(({ audit }) => audit),
    [
      {
        who: { key: MASTER },
        what: 'DELETE /v1/status/queries/:query_id',
        outcome: 'done',
        changes: [{ change: 'query-stopped', requestId, key: READ }],
      },
    ],
  );
  t.equal(audited.length, 1);
});

t.test('a key neither sees nor stops queries of another database, and only the master key any', async (t) => {
  const front = await startFront(t);
  front.engine.apply(
    { change: 'database-created', id: 9, name: 'other', type: 'production' },
    { change: 'key-created', key: { kind: 'master', hash: hashOfKey(OTHER_MASTER), databaseId: 9 } },
  );
  countForever(front);
  const reply = countBy(front, KEYS.master);
  const { id } = await running(front);
  t.match(await listed(front, OTHER_MASTER), { count: 0, queries: [] });
  for (const wrong of [id, 'test-', `x${id}`, `${id}0`, '%00', 'NaN']) {
    t.equal(await stop(front, wrong, wrong === id ? OTHER_MASTER : KEYS.master), false, String(wrong));
  }
  for (const key of [KEYS.read, KEYS.write]) {
    const headers = headersOf(key);
    for (const [method, path] of [
      ['GET', QUERIES],
      ['DELETE', `${QUERIES}/${id}`],
      ['GET', '/v1/status/slow_queries'],
    ]) {
      t.equal(codeOf(await sendRequest(front, { method, path, headers })), 503);
    }
  }
  t.equal((await listed(front)).count, 1, 'it still runs');
  t.equal(await stop(front, id), true);
  t.equal(codeOf(await reply), 9007);
});

t.test('an answer whose rows are being sent is cut off', async (t) => {
  let left = 0;
  async function* rows({ cancellation }: DatabaseCall): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        if (cancellation.isCancelled) throw new QuarryError(9005);
        yield new Uint8Array(100_000);
        await pause(1);
      }
    } finally {
      left++;
    }
  }
  const path = '/v1/data_extraction/result';
  const endpoints = ENDPOINTS.map((endpoint) =>
    endpoint.scope === 'database' && endpoint.path === path
      ? {
          ...endpoint,
          handler: (call: DatabaseCall) => ({ rows: { format: 'csv' as const, parts: rows(call) } }),
        }
      : endpoint,
  );
  for (const reads of [true, false]) {
    const front = await startFront(t, {}, { endpoints });
    const connection = await RawConnection.open(front.httpsPort, true);
    connection.write(
      requestBytes({ path, headers: { ...headersOf(KEYS.master), Accept: 'text/csv' }, body: '{}' }),
    );
    if (!reads) connection.socket.pause();
    const { id } = await running(front);
    await pause(200);
    left = 0;
    t.equal(await stop(front, id), true);
    connection.socket.resume();
    await connection.closed;
    while (left === 0) await pause(5);
    t.equal((await listed(front)).count, 0);
    const cutOff = front.logLines.filter((line) => line.includes('answer cut off'));
    t.equal(cutOff.length, 1);
    t.match(cutOff[0], /"code":9007/);
    t.match((await sendRequest(front, { path: '/metrics' })).body, 'quarry_http_requests_open 1\n');
  }
});

t.test('a query whose client disconnects is listed no longer', async (t) => {
  const front = await startFront(t);
  countForever(front);
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write(
    requestBytes({ path: '/v1/query/count/entity', headers: headersOf(KEYS.master), body: COUNT }),
  );
  await running(front);
  connection.socket.destroy();
  while ((await listed(front)).count > 0) await pause(5);
  t.pass('the list is empty');
});

t.test('slow queries are listed as the log has them, the newest first', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  front.engine.outlines = ['scan everything'];
  await countBy(front, KEYS.master);
  front.engine.countEntities = () => Promise.reject(new QuarryError(9006));
  await countBy(front, KEYS.read);
  const path = '/v1/status/slow_queries';
  const { body } = await sendRequest(front, { path, headers: headersOf(KEYS.master) });
  const endpoint = 'POST /v1/query/count/entity';
  t.match(JSON.parse(body), {
    'slow-from-milliseconds': 0,
    queries: [
      { endpoint, key: READ, query: COUNT, 'http-status': 503, code: 9006, rows: null, 'spilled-bytes': 0 },
      { endpoint, key: MASTER, query: COUNT, 'http-status': 200, plan: ['count: scan everything'] },
    ],
  });
  const off = await startFront(t, { slowQueryMs: null });
  await countBy(off, KEYS.master);
  const none = await sendRequest(off, { path, headers: headersOf(KEYS.master) });
  t.match(JSON.parse(none.body), { 'slow-from-milliseconds': null, queries: [] });
});

t.test('the memory of slow queries is limited: per database, in total, and per plan', (t) => {
  const slow = new SlowQueries(1);
  const add = (databaseId: number, query: string, plan: readonly string[] = []): void =>
    slow.add(databaseId, { query, plan } as unknown as SlowQuery);
  add(DATABASE_ID, 'first');
  for (let number = 0; number < 150; number++) add(2, `${number}`);
  const ofTwo = slow.list(2).map(({ query }) => query);
  t.equal(ofTwo.length, 100);
  t.strictSame([ofTwo[0], ofTwo.at(-1)], ['149', '50'], 'the newest ones');
  t.strictSame(
    slow.list(DATABASE_ID).map(({ query }) => query),
    ['first'],
    'of others none is lost',
  );
  for (let database = 3; database < 15; database++) {
    for (let number = 0; number < 100; number++) add(database, 'more');
  }
  const total = Array.from({ length: 15 }, (_, database) => slow.list(database).length);
  t.equal(
    total.reduce((sum, count) => sum + count),
    1_000,
  );
  add(1, 'long', ['x'.repeat(7_000), 'y'.repeat(2_000), 'z']);
  t.strictSame(slow.list(1)[0].plan, ['x'.repeat(7_000), 'and 2 more']);
  t.end();
});
