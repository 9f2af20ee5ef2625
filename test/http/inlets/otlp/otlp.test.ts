/** The inlet for OTLP, with the official exporters of OpenTelemetry against a server of its own. */
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import t, { type Test } from 'tap';
import { SqlStore, temporaryDir } from '../../../crash/client/sql-store.js';

interface StoredLog {
  readonly body: string;
  readonly severity: number;
  readonly text: string;
  readonly service: string;
  readonly port: number;
  readonly tags: readonly string[];
  readonly scope: string;
  readonly nanoseconds: string;
  readonly second: string;
}

const STORED = `SELECT body, [severity-number] AS severity, [severity-text] AS text, [resource-service-name] AS service,
  [attributes-net-port] AS port, [attributes-tags] AS tags, [scope-name] AS scope,
  CAST([time-unix-nano] AS VARCHAR) AS nanoseconds, [time] AS second FROM log ORDER BY body`;

async function storeWithInlet(t: Test, ...flags: readonly string[]): Promise<SqlStore> {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--inlets', 'otlp', ...flags] });
  t.teardown(() => store.server.end());
  return store;
}

for (const [encoding, Exporter] of [
  ['JSON', JsonExporter],
  ['Protocol Buffers', ProtobufExporter],
] as const) {
  t.test(`the exporter for ${encoding} stores what it sends`, async (t) => {
    const store = await storeWithInlet(t);
    const exporter = new Exporter({
      url: `http://127.0.0.1:${store.httpPort}/v1/logs`,
      headers: { Authorization: `Bearer ${store.server.keys().write}` },
    });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'service.name': 'checkout' }),
      processors: [new BatchLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('shop', '1.2');
    const time = new Date('2026-01-05T09:30:00.250Z');
    for (let index = 0; index < 3; index++) {
      logger.emit({
        timestamp: time,
        severityNumber: 9,
        severityText: 'INFO',
        body: `message ${index}`,
        attributes: { 'net.port': 8000 + index, tags: ['a', 'b'], nested: { deep: true } },
      });
    }
    await provider.shutdown();
    const logs = await store.rows<StoredLog>(STORED);
    t.strictSame(
      logs,
      [0, 1, 2].map((index) => ({
        body: `message ${index}`,
        severity: 9,
        text: 'info',
        service: 'checkout',
        port: 8000 + index,
        tags: ['a', 'b'],
        scope: 'shop',
        nanoseconds: 1767605400250000000n.toString(),
        second: '2026-01-05T09:30:00Z',
      })),
    );
  });
}

interface SentLogs {
  readonly key?: string | null;
  readonly body: unknown;
  readonly type?: string;
  readonly path?: string;
}

/** A value of OTLP's JSON. */
const logsOf = (...records: readonly object[]): object => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: records }] }],
});
const bodied = (text: string, ...attributes: readonly (readonly [string, object])[]): object => ({
  timeUnixNano: '1767605400000000000',
  body: { stringValue: text },
  attributes: attributes.map(([key, value]) => ({ key, value })),
});

async function post(store: SqlStore, { key, body, type = 'application/json', path = '/v1/logs' }: SentLogs) {
  const sent = key === undefined ? store.server.keys().write : key;
  const response = await fetch(`http://127.0.0.1:${store.httpPort}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...(sent === null ? {} : { authorization: `Bearer ${sent}` }) },
    body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
}

t.test('a record that does not fit goes to the quarantine, and the answer warns', async (t) => {
  const store = await storeWithInlet(t);
  const first = await post(store, { body: logsOf(bodied('one', ['n', { intValue: '9007199254740993' }])) });
  t.strictSame(first, { status: 200, retryAfter: null, text: '{"partialSuccess":{}}' });
  const body = logsOf(
    bodied('two', ['n', { stringValue: 'no number' }]),
    bodied('three', ['n', { intValue: 3 }]),
  );
  const second = await post(store, { body });
  t.equal(second.status, 200);
  t.match(JSON.parse(second.text), {
    partialSuccess: { rejectedLogRecords: '0', errorMessage: /^1 log records are in the quarantine/ },
  });
  const rows = await store.rows(
    'SELECT body, CAST([attributes-n] AS VARCHAR) AS n FROM log ORDER BY [time-unix-nano], body',
  );
  t.strictSame(rows, [
    { body: 'one', n: '9007199254740993' },
    { body: 'three', n: '3' },
  ]);
  const quarantined = await store.rows<{ line: string[]; code: number }>(
    'SELECT line, code FROM [log-quarantine]',
  );
  t.equal(quarantined.length, 1);
  t.equal(quarantined[0].code, 2007);
  t.match(quarantined[0].line.join(''), '"body":"two"');
});

t.test('long texts are divided, and values without a column form are text', async (t) => {
  const store = await storeWithInlet(t);
  const long = 'stack trace '.repeat(200);
  const mixed = { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }] } };
  const { status } = await post(store, { body: logsOf(bodied(long, ['mixed', mixed])) });
  t.equal(status, 200);
  const [row] = await store.rows<{ body: string; more: string[]; mixed: string }>(
    'SELECT body, [body-more] AS more, [attributes-mixed] AS mixed FROM log',
  );
  t.equal([row.body, ...row.more].join(''), long);
  t.equal(row.mixed, '[1,"x"]');
});

t.test('refusals have the form of the protocol', async (t) => {
  const store = await storeWithInlet(t);
  const body = logsOf(bodied('x'));
  const statusOf = async (sent: SentLogs): Promise<[number, unknown]> => {
    const { status, text } = await post(store, sent);
    return [status, JSON.parse(text)];
  };
  t.match(await statusOf({ key: null, body }), [401, { code: 3, message: /Authorization/ }]);
  t.match(await statusOf({ key: 'nobody', body }), [401, { code: 3, message: String }]);
  t.match(await statusOf({ key: store.server.keys().read, body }), [403, { code: 3, message: /read key/ }]);
  t.match(await statusOf({ body: [] }), [400, { code: 3, message: /not an object/ }]);
  t.match(await statusOf({ body, type: 'text/plain' }), [415, { code: 3, message: /Content-Type/ }]);
  const binary = { type: 'application/x-protobuf', body: Buffer.of(0x0a, 0xff) };
  const { status, text } = await post(store, binary);
  t.equal(status, 400);
  t.match(text, /longer than its message/);
  t.strictSame(await post(store, { ...binary, body: Buffer.of() }), {
    status: 200,
    retryAfter: null,
    text: '',
  });
});

t.test('a key that may not create columns gets an error that names what to create', async (t) => {
  const store = await storeWithInlet(t);
  const customKey = { 'key-name': 'sender', 'key-type': 'write-only' };
  const { key } = await store.client.succeed<{ key: string }>({
    path: '/v1/database/custom_key',
    key: store.server.keys().team,
    body: { 'database-name': 'quarry', 'custom-database-key': customKey },
  });
  const body = logsOf(bodied('x'));
  const missing = await post(store, { key, body });
  t.equal(missing.status, 400);
  t.match(missing.text, /dimension \\"log\\" does not exist: create it with POST \/v1\/dimension/);
  await store.client.succeed({ path: '/v1/dimension', body: { name: 'log', 'api-name': 'log' } });
  await store.client.succeed({
    path: '/v1/column',
    body: [{ name: 'body', type: 'string', dimension: 'log' }],
  });
  const quarantined = await post(store, { key, body });
  t.equal(quarantined.status, 200);
  t.match(quarantined.text, /the dimension has no column/);
  t.strictSame(await store.rows('SELECT code FROM [log-quarantine]'), [{ code: 2011 }]);
});

t.test('the exporter sends again what a stopped server did not take', async (t) => {
  const dir = temporaryDir(t);
  const flags = ['--inlets', 'otlp'];
  const first = await SqlStore.open(dir, { flags });
  const { httpPort } = first;
  const exporter = new ProtobufExporter({
    url: `http://127.0.0.1:${httpPort}/v1/logs`,
    headers: { Authorization: first.server.keys().write },
    timeoutMillis: 60_000,
  });
  await first.server.kill();
  const provider = new LoggerProvider({
    processors: [new BatchLogRecordProcessor({ exporter, exportTimeoutMillis: 60_000 })],
  });
  provider.getLogger('late').emit({ body: 'while nobody listened' });
  const flushed = provider.forceFlush();
  const second = await SqlStore.open(dir, { flags, httpPort });
  t.teardown(() => second.server.end());
  await flushed;
  t.strictSame(await second.rows('SELECT body FROM log'), [{ body: 'while nobody listened' }]);
  await provider.shutdown();
});

t.test('without the option there is no inlet', async (t) => {
  const store = await SqlStore.open(temporaryDir(t));
  t.teardown(() => store.server.end());
  const { status, body } = await store.client.request({ path: '/v1/logs', body: logsOf(bodied('x')) });
  t.equal(status, 404);
  t.match(body, { errors: [{ code: 1505 }] });
});

t.test('the dimension is that of the URL or of the option', async (t) => {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--inlets', 'otlp:requests'] });
  t.teardown(() => store.server.end());
  const body = logsOf(bodied('x'));
  t.equal((await post(store, { body })).status, 200);
  t.equal((await post(store, { body, path: '/v1/logs?dimension=other' })).status, 200);
  t.strictSame(await store.rows('SELECT body FROM requests'), [{ body: 'x' }]);
  t.strictSame(await store.rows('SELECT body FROM other'), [{ body: 'x' }]);
});
