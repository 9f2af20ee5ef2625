/** All inlets with hostile bodies: each is refused or stored, and the server goes on. */
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { SqlStore, temporaryDir } from '../../crash/client/sql-store.js';
import { sendRequest, startFront } from '../harness.js';

t.setTimeout(120_000);

const JSON_TYPE = 'application/json';
const NAMES = 100_000;
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const named = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"p${index}":${index}`).join()}}`;
const PROTOTYPES =
  '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"toString":"z","hasOwnProperty":1}';

/** A body of the inlet around properties, and where it goes. */
const BODIES: readonly { readonly path: string; readonly bodyOf: (properties: string) => string }[] = [
  { path: '/v1/track', bodyOf: (own) => `{"userId":"u","event":"e","properties":${own}}` },
  { path: '/v1/batch', bodyOf: (own) => `{"batch":[{"type":"identify","userId":"u","traits":${own}}]}` },
  { path: '/batch', bodyOf: (own) => `{"batch":[{"distinct_id":"u","event":"e","properties":${own}}]}` },
  { path: '/_bulk', bodyOf: (own) => `{"index":{"_index":"es"}}\n${own}\n` },
  {
    path: '/v1/logs',
    bodyOf: (own) =>
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":${JSON.stringify(own)}}}]}}}]}]}]}`,
  },
];

interface Reply {
  readonly status: number;
  readonly text: string;
}

class Sender {
  readonly #store: SqlStore;
  constructor(store: SqlStore) {
    this.#store = store;
  }

  async send(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(`http://127.0.0.1:${this.#store.httpPort}${path}`, {
      method: 'POST',
      headers: {
        'content-type': JSON_TYPE,
        authorization: `Bearer ${this.#store.server.keys().write}`,
        ...more,
      },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  /** Sends `megabytes` without a Content-Length, as long as the server reads. */
  endless(path: string, megabytes: number): Promise<number> {
    const { httpPort, server } = this.#store;
    const headers = { 'content-type': JSON_TYPE, authorization: server.keys().write };
    return new Promise((resolve, reject) => {
      const request = http.request(
        { port: httpPort, host: '127.0.0.1', path, method: 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      request.on('error', reject);
      const piece = Buffer.alloc(2 ** 20, ' ');
      let left = megabytes;
      const write = (): void => {
        while (left > 0 && !request.destroyed) {
          left--;
          if (!request.write(piece)) return void request.once('drain', write);
        }
        request.end();
      };
      write();
    });
  }
}

async function storeWithInlets(t: Test): Promise<SqlStore> {
  const store = await SqlStore.open(temporaryDir(t), {
    flags: ['--inlets', 'segment,posthog,elasticsearch,otlp'],
  });
  t.teardown(() => store.server.end());
  return store;
}

t.test('hostile bodies are refused or stored, and the server goes on', async (t) => {
  const store = await storeWithInlets(t);
  const sender = new Sender(store);
  for (const { path, bodyOf } of BODIES) {
    const good = await sender.send(path, bodyOf('{"good":1}'));
    t.equal(good.status, 200, `${path}: ${good.text}`);
    const deep = await sender.send(path, bodyOf(nested(10_000)));
    t.ok([200, 400].includes(deep.status), `${path}, nested: ${deep.status}`);
    const many = await sender.send(path, bodyOf(named(NAMES)));
    t.ok([200, 400, 413].includes(many.status), `${path}, many names: ${many.status}`);
    const odd = await sender.send(path, bodyOf(PROTOTYPES));
    t.equal(odd.status, 200, `${path}, names of prototypes: ${odd.text}`);
    for (const wrong of [
      '',
      'null',
      '7',
      '"text"',
      '[[]]',
      '{"batch":{}}',
      '{"batch":null}',
      '{"resourceLogs":7}',
      '{',
      '\0',
    ]) {
      const { status } = await sender.send(path, wrong);
      t.ok([200, 400].includes(status), `${path}, ${JSON.stringify(wrong)}: ${status}`);
    }
    for (const value of ['null', '7', '"text"', '[1]', 'true', '{"a":[{"b":[]}]}', '{"":1,"-":2}']) {
      const { status } = await sender.send(path, bodyOf(value));
      t.equal(status, 200, `${path}, ${value}`);
    }
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(100 * 2 ** 20)));
    t.equal((await sender.send(path, bomb, { 'content-encoding': 'gzip' })).status, 413, `${path}, bomb`);
    t.equal(await sender.endless(path, 100), 413, `${path}, 100 MB`);
  }
  const listed = await store.client.succeed<object>({ method: 'GET', path: '/v1/column' });
  t.match(listed, { user: Object, es: Object, log: Object });
  t.ok(
    JSON.stringify(listed).split('"api-name"').length < 100,
    'fields beyond the limit do not become columns',
  );
  const metrics = await (await fetch(`http://127.0.0.1:${store.httpPort}/metrics`)).text();
  t.match(metrics, '\nquarry_http_body_bytes_held 0\n', 'no memory of bodies is left');
  t.match(metrics, /quarry_http_requests_total\{endpoint="POST \/v1\/track",database="1",status="200"\}/);
});

t.test('one resource with many records does not multiply without a limit', async (t) => {
  const store = await storeWithInlets(t);
  const sender = new Sender(store);
  const long = 'x'.repeat(100_000);
  const attributes = [{ key: 'long', value: { stringValue: long } }];
  const logRecords = Array.from({ length: 3_000 }, () => ({}));
  const body = JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] });
  const { status, text } = await sender.send('/v1/logs', body);
  t.equal(status, 413, text.slice(0, 200));
  t.equal((await sender.send('/v1/logs', '{}')).status, 200);
});

t.test('a body without a key in its head is short', async (t) => {
  const store = await storeWithInlets(t);
  const sender = new Sender(store);
  const { httpPort } = store;
  const long = `{"writeKey":"x","batch":[],"pad":"${'x'.repeat(2 ** 20)}"}`;
  const keyless = await fetch(`http://127.0.0.1:${httpPort}/v1/batch`, { method: 'POST', body: long });
  t.equal(keyless.status, 413);
  t.equal((await sender.send('/v1/batch', long)).status, 200, 'with a key it may be longer');
});

t.test('before the engine is ready, requests are refused so that the client sends again', async (t) => {
  const { parseInlets } = await import('../../../src/http/index.js');
  const inlets = parseInlets(['elasticsearch', 'otlp']);
  if ('bad' in inlets) throw new Error(inlets.bad);
  const front = await startFront(t, { inlets });
  front.engine.ready = false;
  const request = { method: 'POST', path: '/_bulk', body: '{"index":{}}\n{}\n', plain: true };
  const headers = { Authorization: 'master-key-text', 'Content-Type': JSON_TYPE };
  const answer = await sendRequest(front, { ...request, headers: { ...headers, 'User-Agent': 'shipper' } });
  t.equal(answer.status, 503);
  t.equal(answer.headers['retry-after'], '1');
  t.match(answer.body, /"type":"illegal_argument_exception"/);
  await t.rejects(sendRequest(front, { ...request, headers }), /no whole answer: ""/);
  const logs = await sendRequest(front, { ...request, path: '/v1/logs', body: '{}', headers });
  t.equal(logs.status, 503);
  t.match(JSON.parse(logs.body), { code: 14 });
  front.engine.ready = true;
  t.equal((await sendRequest(front, { ...request, headers })).status, 200);
  t.equal(front.engine.inserts.length, 1);
  t.strictSame(parseInlets(['otlp', 'otlp']), { bad: 'otlp' });
  t.strictSame(parseInlets(['other']), { bad: 'other' });
  t.strictSame(parseInlets(['otlp:UPPER']), { bad: 'otlp:UPPER' });
});
