import t from 'tap';
import { hashOfKey } from '../../../src/catalog/index.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import {
  type Front,
  RawConnection,
  requestBytes,
  sendRequest,
  startFront,
  type TestRequest,
} from '../harness.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HEADERS = { ...JSON_TYPE, Authorization: KEYS.master };
const MASTER = { key: `master-${hashOfKey(KEYS.master).slice(0, 8)}`, databaseId: DATABASE_ID };
const QUERY = '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}';
const COUNT: TestRequest = { path: '/v1/query/count/entity', headers: HEADERS, body: QUERY };

type Line = Readonly<Record<string, unknown>>;

/** Waits for `count` lines with the message: the line of a slow query is logged after its answer. */
async function linesOf(front: Front, message: string, count: number): Promise<Line[]> {
  for (;;) {
    const lines = front.logLines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message);
    if (lines.length >= count) return lines;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

t.test(
  'a line names the request and its key, and contains neither the text of the key nor the body',
  async (t) => {
    const front = await startFront(t, { slowQueryMs: null });
    await sendRequest(front, { ...COUNT, headers: { ...HEADERS, 'X-Request-Id': 'mine' } });
    await sendRequest(front, { ...COUNT, body: '{' });
    await sendRequest(front, { ...COUNT, headers: { ...JSON_TYPE, Authorization: 'nobody' } });
    await sendRequest(front, {
      path: '/v1/users',
      headers: { ...JSON_TYPE, Authorization: KEYS.team },
      body: '{',
    });
    const [good, bad, unknown, team] = await linesOf(front, 'answered', 4);
    const endpoint = 'POST /v1/query/count/entity';
    t.match(good, { ...MASTER, requestId: 'mine', client: '127.0.0.1', endpoint, status: 200, level: 20 });
    t.notOk('code' in good);
    t.match(bad, { ...MASTER, endpoint, status: 400, code: 1503 });
    t.match(unknown, { endpoint, status: 401, code: 502 });
    t.notOk('key' in unknown || 'databaseId' in unknown);
    t.match(team, { key: `team-${hashOfKey(KEYS.team).slice(0, 8)}`, keyName: 'first' });
    t.notOk('databaseId' in team);
    const all = front.logLines.join('');
    for (const secret of [
      ...Object.values(KEYS),
      'nobody',
      'query-name',
      ...Object.values(KEYS).map(hashOfKey),
    ]) {
      t.notOk(all.includes(secret), secret);
    }
  },
);

t.test('a slow query is logged with its text, rows and plan; a quick one is not', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  front.engine.outlines = ['scan everything', 'twice'];
  await sendRequest(front, COUNT);
  const [line] = await linesOf(front, 'slow query', 1);
  t.match(line, {
    ...MASTER,
    level: 40,
    endpoint: 'POST /v1/query/count/entity',
    status: 200,
    rows: null,
    query: QUERY,
    plan: ['count: scan everything', 'count: twice'],
  });
  t.type(line.seconds, 'number');
  await sendRequest(front, { ...COUNT, path: '/v1/insert' });
  await sendRequest(front, { path: '/v1/dimension', headers: HEADERS });
  await sendRequest(front, { ...COUNT, headers: { ...JSON_TYPE, Authorization: 'nobody' } });
  await sendRequest(front, COUNT);
  t.equal((await linesOf(front, 'slow query', 2)).length, 2, 'only admitted queries are logged');
  t.match((await sendRequest(front, { path: '/metrics' })).body, 'quarry_slow_queries_total 2\n');
  const patient = await startFront(t, { slowQueryMs: 60_000 });
  await sendRequest(patient, COUNT);
  await linesOf(patient, 'answered', 1);
  t.strictSame(await linesOf(patient, 'slow query', 0), []);
});

t.test('a text is truncated to 2,000 characters, and a text that cannot be bound has no plan', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  const text = `\u{1F600}${'\u00e9'.repeat(5_000)}`;
  await sendRequest(front, {
    path: '/v1/sql',
    headers: { ...HEADERS, 'Content-Type': 'application/sql' },
    body: text,
  });
  const [line] = await linesOf(front, 'slow query', 1);
  t.match(line, { status: 400, code: 6000, plan: [] });
  t.equal(line.query, `${text.slice(0, 2_000)}...`);
});

t.test('rows of a streamed answer are counted', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  front.engine.streams.push([Buffer.from('"result":[]')]);
  front.engine.selectRowCount = 3;
  const headers = { ...HEADERS, 'Content-Type': 'application/sql' };
  await sendRequest(front, { path: '/v1/sql', headers, body: 'select 1' });
  t.match(await linesOf(front, 'slow query', 1), [
    { rows: 3, query: 'select 1', status: 200, plan: ['select: scan'] },
  ]);
});

t.test('the line of a query without a plan gives the reason', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  front.engine.summarizePlan = () => Promise.reject(new Error('a shard is rebuilt'));
  await sendRequest(front, COUNT);
  t.match(await linesOf(front, 'slow query', 1), [{ plan: ['left out: a shard is rebuilt'] }]);
  front.engine.summarizePlan = () => new Promise(() => {});
  for (let index = 0; index < 5; index++) await sendRequest(front, COUNT);
  const [, crowded] = await linesOf(front, 'slow query', 2);
  t.match(crowded, { plan: ['left out: other slow queries are being described'] });
});

t.test('a slow query whose client disconnects is logged as well', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  front.engine.countEntities = () => new Promise(() => {});
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write(requestBytes(COUNT));
  while (front.engine.notedRequests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
  connection.socket.destroy();
  t.match(await linesOf(front, 'slow query', 1), [{ ...MASTER, status: null, query: QUERY }]);
});

t.test('requests without a valid key are logged at debug level only', async (t) => {
  const front = await startFront(t, { slowQueryMs: 0 });
  const requests: TestRequest[] = [
    ...[
      '/v1/users',
      '/v1/column',
      '/v1/sql',
      '/v1/insert',
      '/v1/nowhere',
      '/',
      '/metrics',
      '/readyz',
    ].flatMap((path): TestRequest[] => [
      { path },
      { path, body: '{', headers: JSON_TYPE },
      { path, body: '{}', headers: { ...JSON_TYPE, Authorization: 'nobody' } },
      { path, method: 'DELETE', headers: { Authorization: '' } },
      { path, plain: true },
    ]),
    { path: '/v1/session', headers: JSON_TYPE, body: '{"email":"a@example.org","password":"x"}' },
    { path: '/v1/session', headers: JSON_TYPE, body: '{' },
    { path: '/v1/insert', headers: { ...JSON_TYPE, 'Content-Length': 'ten' }, body: '' },
    { path: '/v1/insert', headers: { ...JSON_TYPE, 'Content-Length': '99999999999999' }, body: '' },
  ];
  for (const one of requests) await sendRequest(front, one);
  front.engine.ready = false;
  for (const one of requests.slice(0, 8)) await sendRequest(front, one);
  t.ok(front.logLines.length >= requests.length);
  t.strictSame(
    front.logLines.filter((line) => (JSON.parse(line) as { level: number }).level > 20),
    [],
  );
});
