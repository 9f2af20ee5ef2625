import t, { type Test } from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { type CustomKey, hashOfKey, type SavedQuery } from '../../../src/catalog/index.js';
import { LIVE_DEFAULTS, type LiveSettings } from '../../../src/http/live/live-hub.js';
import { EventClient } from '../../support/event-client.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import { codeOf, type Front, RawConnection, requestBytes, sendRequest, startFront } from '../harness.js';

const PATH = '/v1/query/saved/q/live';

const customKey = (text: string, filter: CustomKey['filter'] = []): CustomKey => ({
  kind: 'custom',
  hash: hashOfKey(text),
  databaseId: DATABASE_ID,
  name: text,
  level: 'read-only',
  description: '',
  columnsWhitelist: null,
  filter,
  addressesWhitelist: [],
});

const savedQuery = (query: string, version = 1): SavedQuery => ({
  databaseId: DATABASE_ID,
  name: 'q',
  type: 'count/entity',
  query,
  dimension: null,
  cachePeriodSeconds: null,
  creator: null,
  version,
});

const ALL = '[{"entity-id":{"not-equals":"x"}}]';

interface Live {
  readonly front: Front;
  open(key?: string, query?: string, headers?: Record<string, string>): Promise<EventClient>;
  /** The newest data has this count. */
  write(count: number): void;
}

/** A server with the dimension `default` and the saved query `q`. */
async function startLive(t: Test, settings: Partial<LiveSettings> = {}): Promise<Live> {
  const front = await startFront(t, { live: { ...LIVE_DEFAULTS, ...settings } });
  const { engine } = front;
  engine.apply(
    {
      change: 'dimension-created',
      databaseId: DATABASE_ID,
      dimension: { id: 1, apiName: 'default', name: 'default', type: 'fact' },
    } as never,
    { change: 'saved-query-set', savedQuery: savedQuery(ALL) },
  );
  const streams: EventClient[] = [];
  t.teardown(() => {
    for (const stream of streams) stream.close();
  });
  return {
    front,
    async open(key = KEYS.master, query = '?min-interval=10', headers = {}) {
      const at = { port: front.httpsPort, key, path: PATH + query, headers };
      const stream = await EventClient.open(at);
      streams.push(stream);
      return stream;
    },
    write(count) {
      engine.counts = [count];
      engine.send();
    },
  };
}

const countsOf = (stream: EventClient): unknown[] =>
  stream.answers.map(({ data }) => (data.result as { query: number }).query);

t.test('an answer is sent at once and when it changes, with the headers of such a stream', async (t) => {
  const live = await startLive(t, { commentSeconds: 0.05 });
  const stream = await live.open();
  await stream.until(({ answers }) => answers.length === 1);
  t.match(stream.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'transfer-encoding': 'chunked',
  });
  t.strictSame(stream.answers, [
    {
      name: 'message',
      id: 7,
      data: {
        status: 'success',
        type: 'count/entity',
        query: JSON.parse(ALL),
        dimension: 'default',
        result: { query: 42 },
      },
    },
  ]);
  live.write(42);
  live.write(43);
  await stream.until(({ answers }) => answers.length === 2);
  t.strictSame([stream.last?.id, countsOf(stream)], [9, [42, 43]], 'an unchanged answer is not sent');
  await stream.until(({ commentCount }) => commentCount > 2);
  t.equal(stream.isOver, false);
});

t.test('keys with the same rights share evaluations, others do not', async (t) => {
  const live = await startLive(t);
  const { engine } = live.front;
  const filter = [{ dimension: 'default', conditions: '{"entity-id":{"equals":"a"}}' }];
  engine.apply(
    { change: 'key-created', key: customKey('same') },
    { change: 'key-created', key: customKey('less', filter) },
  );
  engine.changed = engine.lsn;
  for (const key of [KEYS.master, 'same', KEYS.master]) await live.open(key);
  t.equal(engine.plans.length, 1);
  const restricted = await live.open('less');
  t.equal(engine.plans.length, 2);
  t.match(engine.plans[1], [{ condition: { op: 'and' } }], 'the filter of the key applies');
  live.write(1);
  await restricted.until(({ last }) => last?.id === 8);
  t.equal(engine.plans.length, 4, 'one evaluation for all streams with the same rights');
});

t.test('the number of streams per key and per database is limited', async (t) => {
  const live = await startLive(t, { streamsPerKeyMax: 2, streamsPerDatabaseMax: 3 });
  live.front.engine.apply({ change: 'key-created', key: customKey('other') });
  const first = await live.open();
  await live.open();
  await t.rejects(live.open(), {
    message: /^429 .*"code":1502,"message":"this key already has 2 live streams"/,
  });
  await live.open('other');
  await t.rejects(live.open('other'), { message: /^429 .*this database already has 3 live streams/ });
  first.close();
  for (;;) {
    const opened = await live.open().catch(() => null);
    if (opened !== null) break;
  }
  t.pass('a stream that ends makes way for another one');
});

t.test('a stream ends with the reason when the rights or the query are gone', async (t) => {
  const live = await startLive(t);
  const { engine } = live.front;
  const keys = ['deleted', 'changed', 'kept'];
  engine.apply(...keys.map((text) => ({ change: 'key-created', key: customKey(text) }) as const));
  const streams = await Promise.all(keys.map((key) => live.open(key)));
  const [deleted, changed, other] = streams;
  await Promise.all(streams.map((stream) => stream.until(({ last }) => last !== undefined)));
  const ends = [deleted.over(), changed.over()];
  engine.apply(
    { change: 'key-deleted', hash: hashOfKey('deleted') },
    { change: 'key-changed', key: { ...customKey('changed'), level: 'write-read' } },
  );
  engine.send();
  await Promise.all(ends);
  t.match(deleted.events.at(-1), { name: 'end', data: { reason: 'key', code: 502 } });
  t.match(changed.events.at(-1), { name: 'end', data: { reason: 'key', code: 502, message: /changed/ } });
  engine.apply({ change: 'saved-query-set', savedQuery: savedQuery('[{"entity-id":{"equals":"b"}}]', 2) });
  engine.send();
  await other.until(({ answers }) => answers.length > 1);
  t.match(
    other.last?.data,
    { query: [{ 'entity-id': { equals: 'b' } }] },
    'a changed query is in the next answer',
  );
  const over = other.over();
  engine.apply({ change: 'saved-query-deleted', databaseId: DATABASE_ID, name: 'q' });
  engine.send();
  await over;
  t.match(other.events.at(-1), { name: 'end', data: { reason: 'query', code: 4023 } });
  t.equal(live.front.logLines.filter((line) => line.includes('unexpected')).length, 0);
});

t.test('a temporary error is reported once, and the stream goes on', async (t) => {
  const live = await startLive(t);
  const { engine } = live.front;
  const stream = await live.open();
  await stream.until(({ last }) => last !== undefined);
  const count = engine.countEntities.bind(engine);
  let failures = 2;
  engine.countEntities = (...request) =>
    failures-- > 0 ? Promise.reject(new QuarryError(9005, 'too slow')) : count(...request);
  live.write(5);
  await stream.until(({ answers }) => answers.length === 2);
  t.strictSame(
    stream.events.map(({ name, data }) => [name, data.code]),
    [
      ['message', undefined],
      ['delayed', 9005],
      ['message', undefined],
    ],
  );
  engine.countEntities = () => Promise.reject(new QuarryError(4008, 'no such column'));
  const over = stream.over();
  live.write(6);
  await over;
  t.match(stream.events.at(-1), { name: 'end', data: { reason: 'query', code: 4008 } });
  await t.rejects(live.open(), { message: /^400 .*4008/ }, 'the first error is an ordinary answer');
});

t.test('the last client that leaves cancels the evaluation', async (t) => {
  const live = await startLive(t);
  const { engine } = live.front;
  const stream = await live.open();
  await stream.until(({ last }) => last !== undefined);
  const cancelled = new Promise<void>((resolve) => {
    engine.countEntities = (_plans, { cancellation }) => {
      cancellation?.onCancel(resolve);
      stream.close();
      return new Promise(() => {});
    };
  });
  live.write(5);
  await cancelled;
  engine.countEntities = (_plans, { cancellation }) =>
    new Promise((_, reject) => cancellation?.onCancel(() => reject(new QuarryError(9005))));
  const connection = await RawConnection.open(live.front.httpsPort, true);
  connection.write(requestBytes({ path: PATH, headers: { Authorization: KEYS.master } }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  connection.socket.destroy();
  engine.countEntities = async () => [9];
  const next = await live.open();
  await next.until(({ last }) => last !== undefined);
  t.strictSame(countsOf(next), [9], 'a client that left before its first answer stops nobody');
  next.close();
  while (engine.reservedBytes > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  t.equal(engine.reservedBytes, 0, 'the memory of all answers is released');
});

t.test('an operator sees an evaluation and stops it, which ends the streams', async (t) => {
  const live = await startLive(t);
  const { engine } = live.front;
  const headers = { Authorization: KEYS.master };
  const path = '/v1/status/queries';
  const queries = async (): Promise<readonly { readonly id: string }[]> =>
    JSON.parse((await sendRequest(live.front, { path, headers })).body).queries;
  const stream = await live.open();
  await stream.until(({ last }) => last !== undefined);
  t.strictSame(await queries(), [], 'a stream that waits is no running query');
  engine.countEntities = (_plans, { cancellation }) =>
    new Promise((_, reject) => cancellation?.onCancel(() => reject(new QuarryError(9005))));
  live.write(5);
  const over = stream.over();
  let found = await queries();
  while (found.length === 0) found = await queries();
  t.match(found, [{ kind: 'live', query: 'q', endpoint: 'GET /v1/query/saved/:query_name/live' }]);
  await sendRequest(live.front, { method: 'DELETE', path: `${path}/${found[0].id}`, headers });
  await over;
  t.match(stream.events.at(-1), { name: 'end', data: { reason: 'query', code: 9007 } });
  t.strictSame(await queries(), []);
});

t.test('hostile requests are refused or ignored', async (t) => {
  const live = await startLive(t);
  const headers = { Authorization: KEYS.master };
  const send = (path: string, more = {}, method = 'GET') =>
    sendRequest(live.front, { method, path, headers: { ...headers, ...more } });
  t.equal(codeOf(await send(`${PATH}?min-interval=1`)), 9101);
  t.equal(codeOf(await send(`${PATH}?x=1`)), 4049);
  t.equal(codeOf(await send('/v1/query/saved/nothing/live')), 4023);
  t.equal(codeOf(await send('/v1/query/saved/%00%ff/live')), 4023);
  t.equal(codeOf(await send(PATH, {}, 'POST')), 1505);
  t.equal((await sendRequest(live.front, { path: PATH, headers, plain: true })).status, 403);
  for (const id of ['x'.repeat(2_000), '-1', '99999999999999999999', '7x', 'null', '[7]', '8']) {
    const stream = await live.open(KEYS.master, '', {
      'Last-Event-ID': id,
      'Content-Length': '3',
      Accept: '\t;;q=x',
    });
    await stream.until(({ last }) => last !== undefined);
    stream.close();
  }
  const known = await live.open(KEYS.master, '', { 'Last-Event-ID': '7' });
  live.write(43);
  await known.until(({ last }) => last !== undefined);
  t.strictSame(countsOf(known), [43], 'an answer that the client has is not sent again');
});
