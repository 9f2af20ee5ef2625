/** Inserts that the server cannot take now, at each endpoint and inlet: they can be sent again, after Retry-After. */
import { RecordBatchStreamWriter, tableFromArrays } from 'apache-arrow';
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { parseInlets } from '../../../src/http/inlets/inlet-settings.js';
import { KEYS } from '../../http/fake-engine.js';
import { sendRequest, startFront } from '../../http/harness.js';
import { LineClient, partsIn } from '../../http/line-client.js';
import { parquetOf } from '../../http/parquet/parquet-files.js';
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

const COUNT = 2_000;
const numbers = Array.from({ length: COUNT }, (_, at) => at);
const textOf = (recordOf: (at: number) => object): string =>
  numbers.map((at) => `${JSON.stringify(recordOf(at))}\n`).join('');
const rows = tableFromArrays({ user: numbers.map(String) });
const ARROW = 'application/vnd.apache.arrow.stream';
const arrowBody = RecordBatchStreamWriter.writeAll(
  [rows.slice(0, 1_000), rows.slice(1_000)].flatMap(({ batches }) => batches),
).toUint8Array(true);

/** Bodies of two parts. */
const IN_PARTS: readonly { path: string; type: string; body: string | Uint8Array }[] = [
  { path: '/v1/insert', type: 'application/x-ndjson', body: textOf((at) => ({ id: `${at}` })) },
  {
    path: '/v1/insert?on-error=quarantine',
    type: 'application/x-ndjson',
    body: textOf((at) => ({ id: `${at}` })),
  },
  { path: '/v1/insert?id=user', type: ARROW, body: arrowBody },
  { path: '/v1/insert?id=user&dedupe=user', type: ARROW, body: arrowBody },
  { path: '/v1/insert?id=user', type: 'application/vnd.apache.parquet', body: parquetOf(rows, 1_000) },
  ...['', '&on-error=quarantine', '&dedupe=seq', '&dedupe=:body'].flatMap((more) => {
    const path = `/v1/insert/lines?id=user${more}`;
    const record = (at: number) => ({ user: `${at}`, seq: at });
    return [
      { path, type: 'application/x-ndjson', body: textOf(record) },
      { path, type: 'application/json', body: JSON.stringify(numbers.map(record)) },
      { path, type: 'text/csv', body: `user,seq\n${numbers.map((at) => `${at},${at}\n`).join('')}` },
    ];
  }),
];

/** Bodies that are applied as a whole or record by record, with the answer's form of the inlet. */
const OTHERS: readonly { path: string; body: unknown; form: RegExp }[] = [
  { path: '/v1/insert', body: { u: { age: 1 } }, form: /"code":900\d/ },
  { path: '/v1/delete', body: { query: [{ 'entity-id': { equals: 'u' } }] }, form: /"code":900\d/ },
  {
    path: '/v1/batch',
    body: { batch: numbers.slice(0, 5).map((at) => ({ type: 'track', userId: `${at}`, event: 'e' })) },
    form: /"success":false,"code":900\d/,
  },
  { path: '/v1/track', body: { userId: 'u', event: 'e' }, form: /"success":false,"code":900\d/ },
  { path: '/batch', body: { batch: [{ distinct_id: 'u', event: 'e', uuid: 'x' }] }, form: /900\d/ },
  {
    path: '/v1/logs',
    body: { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'x' } }] }] }] },
    form: /"code":14/,
  },
];

t.test(
  'every endpoint and inlet answers 9002, 9003 and 9004 as retryable, with the parts that are in',
  async (t) => {
    const inlets = parseInlets(['segment', 'posthog', 'elasticsearch', 'otlp']);
    if ('bad' in inlets) throw new Error(`there is no inlet ${inlets.bad}`);
    const front = await startFront(t, { inlets });
    for (const code of [9002, 9003, 9004] as const) {
      for (const { path, type, body } of IN_PARTS) {
        let insertCount = 0;
        front.engine.onInsert = async () => {
          if (++insertCount === 2) throw new QuarryError(code);
          return { entityCount: 1_000, valueCount: 0 };
        };
        const headers = { Authorization: KEYS.master, 'Content-Type': type };
        const reply = await sendRequest(front, { path, headers, body });
        t.strictSame([reply.status, reply.headers['retry-after']], [503, '1'], `${code} ${path} ${type}`);
        t.match(
          partsIn(reply.body),
          [
            { part: 1, lines: 1_000, status: 'success', 'inserted-entities': 1_000 },
            { part: 2, lines: 1_000, status: 'error', errors: [{ code }], 'retry-after': 1 },
          ],
          `${path} ${type}`,
        );
      }
      front.engine.onInsert = () => Promise.reject(new QuarryError(code));
      front.engine.onMutate = () => Promise.reject(new QuarryError(code));
      for (const { path, body, form } of OTHERS) {
        const key =
          path.startsWith('/v1/insert') || path.startsWith('/v1/delete')
            ? KEYS.master
            : `Bearer ${KEYS.master}`;
        const headers = { Authorization: key, 'Content-Type': 'application/json' };
        const {
          status,
          headers: answered,
          body: text,
        } = await sendRequest(front, { path, headers, body: JSON.stringify(body) });
        t.strictSame([status, answered['retry-after']], [503, '1'], `${code} ${path}`);
        t.match(text, form, path);
      }
      let inBulk = 0;
      front.engine.onInsert = async () => {
        if (++inBulk === 2) throw new QuarryError(code);
        return { entityCount: 1, valueCount: 1 };
      };
      const bulk = ['a', 'b'].map((index) => `{"index":{"_index":"${index}"}}\n{"n":1}\n`).join('');
      const reply = await sendRequest(front, {
        path: '/_bulk',
        headers: {
          ...{ Authorization: `Bearer ${KEYS.master}`, 'User-Agent': 'shipper' },
          'Content-Type': 'application/x-ndjson',
        },
        body: bulk,
      });
      const { items } = JSON.parse(reply.body) as { items: { index: { status: number } }[] };
      t.strictSame(
        items.map(({ index }) => index.status),
        [201, 429],
        'a status for each document',
      );
    }
  },
);
