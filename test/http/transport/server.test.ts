import t from 'tap';
import { HttpServer, nativeFault, type ProxyList, parseProxies } from '../../../src/http/index.js';
import { KEYS } from '../fake-engine.js';
import {
  codeOf,
  parquetThreads,
  RawConnection,
  requestBytes,
  sendRequest,
  startFront,
  type TestRequest,
} from '../harness.js';

const HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
const COUNT: TestRequest = {
  path: '/v1/query/count/entity',
  headers: HEADERS,
  body: '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}',
};

function proxiesOf(...networks: string[]): ProxyList {
  const proxies = parseProxies(networks);
  if ('bad' in proxies) throw new Error(proxies.bad);
  return proxies;
}

t.test('the native binary of uWebSockets.js runs on this platform', (t) => {
  t.equal(nativeFault, null);
  t.end();
});

t.test('plain HTTP serves inserts, probes and metrics, and refuses everything else with 1506', async (t) => {
  const front = await startFront(t);
  const plain = true;
  t.equal(
    (await sendRequest(front, { path: '/v1/insert', headers: HEADERS, body: '{}', plain })).status,
    200,
  );
  t.equal(
    (await sendRequest(front, { path: '/v1/insert/', headers: HEADERS, body: '{}', plain })).status,
    200,
  );
  for (const path of ['/readyz', '/livez', '/metrics', '/metrics/history'])
    t.equal((await sendRequest(front, { path, plain })).status, 200);
  for (const path of ['/v1/dimension', '/v1/query/count/entity', '/v1/nowhere', '/']) {
    const reply = await sendRequest(front, { path, headers: HEADERS, plain });
    t.equal(codeOf(reply), 1506, path);
    t.equal(reply.status, 403);
  }
  t.equal(
    codeOf(await sendRequest(front, { path: '/v1/insert', headers: HEADERS, plain })),
    1505,
    'GET of an insert',
  );
});

t.test('X-Forwarded-Proto is accepted from a trusted proxy only', async (t) => {
  const forwarded = { ...HEADERS, 'X-Forwarded-Proto': 'HTTPS', 'X-Forwarded-For': '1.2.3.4, 203.0.113.9' };
  const trusting = await startFront(t, { proxies: proxiesOf('127.0.0.0/8') });
  t.equal((await sendRequest(trusting, { ...COUNT, headers: forwarded, plain: true })).status, 200);
  t.ok(
    trusting.logLines.some((line) => line.includes('"client":"203.0.113.9"')),
    'the address of the client is the one that the proxy reports',
  );
  t.equal(codeOf(await sendRequest(trusting, { ...COUNT, plain: true })), 1506, 'without the header');
  const http = { ...forwarded, 'X-Forwarded-Proto': 'http' };
  t.equal(
    codeOf(await sendRequest(trusting, { ...COUNT, headers: http, plain: true })),
    1506,
    'the client used HTTP',
  );
  const other = await startFront(t, { proxies: proxiesOf('10.0.0.0/8', '::1') });
  t.equal(
    codeOf(await sendRequest(other, { ...COUNT, headers: forwarded, plain: true })),
    1506,
    'another network',
  );
  const nobody = await startFront(t);
  t.equal(
    codeOf(await sendRequest(nobody, { ...COUNT, headers: forwarded, plain: true })),
    1506,
    'no proxy is trusted',
  );
});

t.test('the last value of repeated X-Forwarded headers is used, because the proxy added it', async (t) => {
  const front = await startFront(t, { proxies: proxiesOf('127.0.0.0/8', '10.0.0.0/8') });
  const through = async (plain: boolean, ...lines: readonly string[]): Promise<number> => {
    const [head, body] = Buffer.from(requestBytes({ ...COUNT, plain }))
      .toString()
      .split('\r\n\r\n');
    const connection = await RawConnection.open(plain ? front.httpPort : front.httpsPort, !plain);
    connection.write(`${[head, ...lines].join('\r\n')}\r\n\r\n${body}`);
    const reply = await connection.reply();
    connection.socket.destroy();
    return reply.status === 200 ? 200 : codeOf(reply);
  };
  const clientOf = async (...lines: readonly string[]): Promise<string> => {
    t.equal(await through(false, ...lines), 200);
    return JSON.parse(front.logLines.at(-1) ?? '{}').client;
  };
  t.equal(await clientOf('X-Forwarded-For: 6.6.6.6', 'x-forwarded-for: 203.0.113.9'), '203.0.113.9');
  t.equal(
    await clientOf(
      'X-Forwarded-For: 6.6.6.6, 7.7.7.7',
      'X-Forwarded-For: 203.0.113.9',
      'X-Forwarded-For: 10.0.0.1',
    ),
    '203.0.113.9',
  );
  const invented = ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For:'];
  t.equal(await clientOf(...invented), '127.0.0.1', 'a proxy that names no client');
  const [http, https] = ['X-Forwarded-Proto: http', 'X-Forwarded-Proto: https'];
  t.equal(await through(true, https, http), 1506);
  t.equal(await through(true, 'X-Forwarded-Proto: https, http'), 1506);
  t.equal(await through(true, http, https), 200);
  t.equal(await through(true, 'X-Forwarded-Proto: http, HTTPS'), 200);
});

t.test('probes need no key and report starting, ready and alive', async (t) => {
  const front = await startFront(t);
  for (const plain of [false, true]) {
    front.engine.ready = false;
    const starting = await sendRequest(front, { path: '/readyz', plain });
    t.equal(starting.status, 503);
    t.equal(starting.headers['retry-after'], '1');
    t.equal((await sendRequest(front, { path: '/livez', plain })).status, 200);
    front.engine.ready = true;
    t.equal((await sendRequest(front, { path: '/readyz', plain })).status, 200);
    t.equal((await sendRequest(front, { path: '/readyz', plain })).body, '{"status":"ready"}');
    front.engine.degraded = [9002, 9003];
    const degraded = await sendRequest(front, { path: '/readyz', plain });
    t.equal(degraded.status, 200);
    t.strictSame(JSON.parse(degraded.body), {
      status: 'ready',
      degraded: [
        { code: 9002, message: 'disk full' },
        { code: 9003, message: 'memory limit reached' },
      ],
    });
    front.engine.degraded = [];
    const posted = await sendRequest(front, { method: 'POST', path: '/readyz', plain });
    t.equal(codeOf(posted), 1505);
  }
});

t.test('HEAD is answered with 1505 without a body, and the connection stays open', async (t) => {
  const front = await startFront(t);
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write('HEAD /v1/dimension HTTP/1.1\r\nHost: quarry\r\n\r\n');
  connection.write('GET /livez HTTP/1.1\r\nHost: quarry\r\nConnection: close\r\n\r\n');
  let text = '';
  connection.socket.on('data', (bytes) => {
    text += bytes.toString();
  });
  await connection.closed;
  t.match(text, /^HTTP\/1\.1 404 .*\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\{"status":"alive"\}$/s);
});

t.test(
  'metrics count by endpoint and status, include the engine, and hold no value from a client',
  async (t) => {
    const front = await startFront(t);
    await sendRequest(front, COUNT);
    await sendRequest(front, { ...COUNT, body: '{' });
    await sendRequest(front, { path: '/v1/secret-path', headers: HEADERS });
    await sendRequest(front, { path: '/v1/insert', headers: HEADERS, body: '{"secret-id":1}' });
    const reply = await sendRequest(front, { path: '/metrics' });
    t.match(reply.headers['content-type'], /^text\/plain; version=0\.0\.4/);
    const count = 'endpoint="POST /v1/query/count/entity",database="1"';
    t.match(reply.body, `quarry_http_requests_total{${count},status="200"} 1\n`);
    t.match(reply.body, `quarry_http_requests_total{${count},status="400"} 1\n`);
    t.match(reply.body, 'quarry_http_requests_total{endpoint="none",database="none",status="404"} 1\n');
    t.match(reply.body, 'quarry_http_request_seconds_count{endpoint="POST /v1/insert"} 1\n');
    t.match(reply.body, 'quarry_log_fsyncs_total 5\n');
    t.match(reply.body, 'quarry_lsn_checkpoint 3\n');
    t.match(reply.body, /quarry_http_body_bytes_total 7\d\n/);
    t.notMatch(reply.body, 'secret');
    const again = await sendRequest(front, { path: '/metrics' });
    t.match(again.body, 'quarry_log_fsyncs_total 5\n', 'counters of the engine are not added up');
  },
);

t.test('a short printable request ID is echoed; otherwise one is generated', async (t) => {
  const front = await startFront(t);
  const idOf = async (id: string | null): Promise<string> => {
    const headers = id === null ? HEADERS : { ...HEADERS, 'X-Request-Id': id };
    return (await sendRequest(front, { ...COUNT, headers })).headers['x-request-id'];
  };
  t.equal(await idOf('Abc 1~'), 'Abc 1~');
  t.equal(await idOf('x'.repeat(128)), 'x'.repeat(128));
  const made = [await idOf(null), await idOf('x'.repeat(129)), await idOf('\u00e9'), await idOf('')];
  for (const id of made) t.match(id, /^test-\d+$/);
  t.equal(new Set(made).size, made.length);
});

t.test('the log never contains a key', async (t) => {
  const front = await startFront(t);
  await sendRequest(front, COUNT);
  await sendRequest(front, { ...COUNT, headers: { ...HEADERS, Authorization: 'almost-a-key' } });
  front.engine.onInsert = () => Promise.reject(new Error('bug'));
  await sendRequest(front, { path: '/v1/insert', headers: HEADERS, body: '{}' });
  t.ok(front.logLines.length >= 3);
  t.notMatch(front.logLines.join(''), KEYS.master);
  t.notMatch(front.logLines.join(''), 'almost-a-key');
});

t.test('a port in use and an invalid certificate fail the start with an error that names them', async (t) => {
  const front = await startFront(t);
  const { settings } = front;
  const dependencies = {
    engine: front.engine,
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    elapsedMs: () => 0,
    log: {} as never,
    instanceId: 'x',
    parquet: parquetThreads(front.engine),
    randomBytes: (count: number) => new Uint8Array(count),
  };
  const taken = new HttpServer({ ...settings, httpPort: front.httpPort }, dependencies);
  t.throws(() => taken.listen(), { message: new RegExp(`127\\.0\\.0\\.1:${front.httpPort}`) });
  const noCertificate = new HttpServer({ ...settings, certFile: '/nowhere/cert.pem' }, dependencies);
  t.throws(() => noCertificate.listen(), { message: /cert\.pem/ });
  t.equal((await sendRequest(front, COUNT)).status, 200, 'the first server still answers');
});

t.test('a stop lets running requests finish, then closes everything', async (t) => {
  const front = await startFront(t);
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    front.engine.onInsert = async () => {
      resolve();
      await new Promise<void>((go) => {
        release = go;
      });
      return { entityCount: 9, valueCount: 9 };
    };
  });
  const idle = await RawConnection.open(front.httpsPort, true);
  idle.write(requestBytes({ path: '/livez' }));
  await idle.reply();
  const busy = await RawConnection.open(front.httpPort, false);
  busy.write(requestBytes({ path: '/v1/insert', headers: HEADERS, body: '{}' }));
  await entered;
  const closed = front.server.close();
  t.equal(front.server.close(), closed, 'a second stop changes nothing');
  await t.rejects(RawConnection.open(front.httpPort, false), { code: 'ECONNREFUSED' });
  idle.write(requestBytes({ path: '/readyz' }));
  const readiness = await idle.reply();
  t.equal(readiness.status, 503);
  t.equal(readiness.headers.connection, 'close');
  release();
  const reply = await busy.reply();
  t.match(reply.body, '"inserted-entities":9');
  await Promise.all([closed, busy.closed, idle.closed]);
});

t.test('a stop does not wait longer than its limit', async (t) => {
  const front = await startFront(t, { closeSecondsMax: 0.2 });
  const entered = new Promise<void>((resolve) => {
    front.engine.onInsert = () => {
      resolve();
      return new Promise(() => undefined);
    };
  });
  const stuck = await RawConnection.open(front.httpPort, false);
  stuck.write(requestBytes({ path: '/v1/insert', headers: HEADERS, body: '{}' }));
  await entered;
  await front.server.close();
  await stuck.closed;
  t.pass('the connection of the stuck request is closed');
});
