/** Inserts that the server cannot take now, at each endpoint and inlet: they can be sent again, after Retry-After. */
import t from 'tap';
import { LineClient, partsIn } from '../../http/line-client.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const BIG = 'x'.repeat(2 ** 20);
const LINES = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };

t.test('inserts over the memory limit get 503 and Retry-After', async (t) => {
  const flags = ['--memory-limit', '1MiB', '--inlets', 'otlp', '--inlets', 'segment', '--inlets', 'posthog'];
  const store = await SqlStore.open(temporaryDir(t), { flags });
  t.teardown(() => store.server.kill());
  const record = JSON.stringify({ id: 'u', name: BIG });
  const log = { body: { stringValue: BIG } };
  const requests = [
    { path: '/v1/insert', body: { u: { name: BIG } } },
    { path: '/v1/insert', text: `${record}\n`, headers: LINES },
    { path: '/v1/insert/lines?id=id', text: `${record}\n`, headers: LINES },
    { path: '/v1/insert/lines?id=id&on-error=quarantine', text: `${record}\n`, headers: LINES },
    { path: '/v1/insert/lines?id=id', text: `[${record}]`, headers: JSON_TYPE },
    { path: '/v1/insert/lines?id=id', text: `id,name\nu,${BIG}\n`, headers: { 'content-type': 'text/csv' } },
    {
      path: '/v1/sql',
      text: `INSERT INTO [default] ([entity-id], name) VALUES ('u', '${BIG}')`,
      headers: { 'content-type': 'application/sql' },
    },
    { path: '/v1/logs', body: { resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] } },
    { path: '/v1/batch', body: { batch: [{ type: 'identify', userId: 'u', traits: { name: BIG } }] } },
    { path: '/batch', body: { batch: [{ distinct_id: 'u', event: 'e', properties: { name: BIG } }] } },
  ];
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'name', type: 'string' }] });
  const { master } = store.server.keys();
  for (const request of requests) {
    const isInlet = /^\/(v1\/logs|v1\/batch|batch)$/.test(request.path);
    const key = isInlet ? `Bearer ${master}` : master;
    const { status, headers } = await store.client.request({ ...request, key, plain: isInlet });
    t.strictSame(
      [status, headers['retry-after']],
      [503, '1'],
      `${request.path} ${JSON.stringify(request.headers ?? '')}`,
    );
  }
});

t.test('the answer tells which parts went in when the table of keys of lines is full', async (t) => {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--line-keys', '1500'] });
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'age', type: 'integer' }] });
  const path = '/v1/insert/lines?id=:uuid&dedupe=seq&unknown=ignore';
  const send = async (first: number) => {
    const sender = new LineClient({ port: store.httpPort, key: store.server.keys().master, path });
    const lines = Array.from({ length: 3_000 }, (_, at) =>
      JSON.stringify({ age: 1, seq: Math.min(first + at, 2_400) }),
    );
    void sender.write(`${lines.join('\n')}\n`);
    sender.end();
    return sender.answer;
  };
  const answer = await send(0);
  t.strictSame([answer.status, answer.headers['retry-after']], [503, '1']);
  t.match(partsIn(answer.text), [
    { part: 1, status: 'success', 'inserted-entities': 1_000 },
    { part: 2, status: 'error', errors: [{ code: 9003, message: /--line-keys/ }], 'retry-after': 1 },
    // 400 new keys, and 599 lines with the last of them.
    { part: 3, status: 'success', 'inserted-entities': 401, 'duplicate-lines': 599 },
  ]);
  const again = partsIn((await send(0)).text);
  t.match(again, [
    { status: 'success', 'inserted-entities': 0, 'duplicate-lines': 1_000 },
    { status: 'error', errors: [{ code: 9003 }] },
    { status: 'success', 'inserted-entities': 0, 'duplicate-lines': 1_000 },
  ]);
});
