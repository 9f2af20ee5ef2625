/**
 * The inlet for Elasticsearch, with its official client for Node and the module of rsyslog. To run the kills at length:
 * node dist/test/http/inlets/elasticsearch.test.js --events 100000 --kills 20 --seed 1
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, HttpConnection } from '@elastic/elasticsearch';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SqlStore, temporaryDir } from '../../crash/client/sql-store.js';
import { killOptions, MortalStore } from './mortal-store.js';

const { events, kills, seed } = killOptions({ events: 600, kills: 1 });
t.comment(`seed ${seed}`);
t.setTimeout(120_000 + events * 20);

const RSYSLOG = ['/usr/sbin/rsyslogd', '/usr/lib/x86_64-linux-gnu/rsyslog/omelasticsearch.so'];
const missing = RSYSLOG.filter((file) => !fs.existsSync(file));

async function storeWithInlet(t: Test): Promise<SqlStore> {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--inlets', 'elasticsearch'] });
  t.teardown(() => store.server.end());
  return store;
}

const clientOf = ({ httpPort }: Pick<SqlStore, 'httpPort'>, key: string): Client =>
  new Client({
    node: `http://127.0.0.1:${httpPort}`,
    auth: { username: 'quarry', password: key },
    Connection: HttpConnection,
  });

t.test('the client for Node indexes documents in bulk', async (t) => {
  const store = await storeWithInlet(t);
  const client = clientOf(store, store.server.keys().write);
  t.match(await client.info(), { tagline: 'You Know, for Search' });
  t.equal(await client.ping(), true);
  const documents = Array.from({ length: 2_500 }, (_, n) => ({
    n,
    big: 9_007_199_254_740_000 + n,
    http: { path: `/${n}` },
  }));
  const result = await client.helpers.bulk({
    datasource: documents,
    onDocument: ({ n }) => ({ index: { _index: 'web-2026.01.05', _id: `doc ${n}` } }),
    onDrop: ({ error }) => t.fail(JSON.stringify(error)),
  });
  t.match(result, { total: 2_500, successful: 2_500, failed: 0 });
  t.strictSame(
    await store.rows(
      'SELECT COUNT(*) AS all, SUM(n) AS sum, MIN([entity-id]) AS first FROM [web-2026-01-05] WHERE [http-path] IS NOT NULL',
    ),
    [{ all: 2_500, sum: (2_499 * 2_500) / 2, first: 'doc 0' }],
  );
  const { items } = await client.bulk({ index: 'web', operations: [{ create: {} }, { a: 1 }] });
  t.match(items, [{ create: { status: 201, _index: 'web', _id: /^[0-9a-f-]{36}$/ } }]);
  t.strictSame(await store.rows('SELECT a FROM [web]'), [{ a: 1 }]);
  const refused = async (key: string): Promise<unknown> =>
    clientOf(store, key)
      .bulk({ operations: [{ index: {} }, {}] })
      .catch((error) => error);
  t.match(await refused('nobody'), { statusCode: 401 });
  t.match(await refused(store.server.keys().read), {
    ...{ statusCode: 403, meta: { body: { error: { type: 'security_exception' } } } },
  });
});

t.test('each action of a bulk has its own result', async (t) => {
  const store = await storeWithInlet(t);
  const send = async (text: string | Uint8Array<ArrayBuffer>, at = '/_bulk') => {
    const response = await fetch(`http://127.0.0.1:${store.httpPort}${at}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        authorization: `Bearer ${store.server.keys().write}`,
      },
      body: text,
    });
    const answer = (await response.json()) as {
      items: Record<string, { status: number }>[];
      errors: boolean;
    };
    return { status: response.status, product: response.headers.get('x-elastic-product'), ...answer };
  };
  t.match(await send('{"index":{"_index":"a","_id":"0"}}\n{"n":0}\n'), { status: 200, errors: false });
  const lines = [
    ...['{"index":{"_index":"a","_id":"1"}}', '{"n":1}'],
    ...['{"delete":{"_index":"a","_id":"1"}}'],
    ...['{"create":{"_index":"b"}}', '{}', ''],
    ...['{"update":{"_index":"a","_id":"1"}}', '{"doc":{"n":2}}'],
    ...['{"index":{"_index":"a","_id":"2"}}', '{"n":"no number"}'],
    ...['{"index":{"_index":"a","_id":"3"}}', '[1]'],
    ...['{"index":{"_index":"...","_id":"3"}}', '{}'],
    ...['{"index":{"_index":"a","_id":"4"}}', '{"n":4, "__proto__": {"x": 1}}'],
  ];
  const answer = await send(lines.join('\n'));
  t.match(answer, { status: 200, product: 'Elasticsearch', errors: true });
  t.strictSame(
    answer.items.map((item) => Object.entries(item).map(([action, { status }]) => [action, status])[0]),
    [
      ...[
        ['index', 201],
        ['delete', 400],
        ['create', 201],
        ['update', 400],
      ],
      ...[
        ['index', 201],
        ['index', 201],
        ['index', 400],
        ['index', 201],
      ],
    ],
  );
  t.strictSame(await store.rows('SELECT [entity-id] AS id, n FROM [a] ORDER BY id'), [
    { id: '0', n: 0 },
    { id: '1', n: 1 },
    { id: '4', n: 4 },
  ]);
  t.strictSame(await store.rows('SELECT COUNT(*) AS n FROM [a-quarantine]'), [{ n: 2 }]);
  const invalid = Buffer.from([...Buffer.from('{"index":{}}\n{"x":"'), 0xff, ...Buffer.from('"}\n')]);
  t.match(await send(new Uint8Array(invalid), '/raw/_bulk'), { status: 200, errors: false });
  const [{ line }] = await store.rows<{ line: string[] }>('SELECT line FROM [raw-quarantine]');
  t.match(line.join(''), 'not valid UTF-8');
  for (const wrong of ['{"index":{}}', 'x\n{}', '{"index":1}\n{}', '{}\n{}', '[]\n{}']) {
    t.match(await send(wrong), { status: 400, error: { type: 'illegal_argument_exception' } }, wrong);
  }
});

t.test(
  `rsyslog sends each of ${events} lines of a file once, over ${kills} kills of the server`,
  { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` },
  async (t) => {
    const store = await MortalStore.open(t, '--inlets', 'elasticsearch');
    const random = new Prng(seed);
    const dir = temporaryDir(t);
    const file = path.join(dir, 'lines.log');
    const lines = Array.from({ length: events }, (_, at) => `line ${at} "quoted" \\ ü`);
    fs.writeFileSync(file, `${lines.slice(0, events / 2).join('\n')}\n`);
    fs.writeFileSync(path.join(dir, 'rsyslog.conf'), configOf(store, dir, file));
    const files = ['-f', path.join(dir, 'rsyslog.conf'), '-i', path.join(dir, 'pid')];
    const rsyslog = spawn(RSYSLOG[0], ['-n', ...files], { stdio: 'ignore' });
    const ended = new Promise((resolve) => rsyslog.on('close', resolve));
    try {
      const stored = async (): Promise<number> => {
        const rows = await store.current
          .rows<{ n: number }>('SELECT COUNT(*) AS n FROM [syslog-test]')
          .catch(() => [{ n: 0 }]);
        return rows[0].n;
      };
      while ((await stored()) === 0) await pause(50);
      fs.appendFileSync(file, `${lines.slice(events / 2).join('\n')}\n`);
      for (let kill = 0; kill < kills; kill++) {
        await pause(random.between(1, 400));
        await store.restart();
      }
      while ((await stored()) < events) await pause(100);
      // What is sent again would arrive within the time of a batch.
      await pause(2_000);
      const rows = await store.current.rows<{ message: string }>('SELECT message FROM [syslog-test]');
      t.strictSame(rows.map(({ message }) => message).sort(), lines.sort(), 'each line once');
    } finally {
      rsyslog.kill('SIGKILL');
      await ended;
    }
  },
);

const configOf = ({ httpPort, current }: MortalStore, dir: string, file: string): string => `
global(workDirectory="${dir}")
module(load="imfile" mode="polling" pollingInterval="1")
module(load="omelasticsearch")
input(type="imfile" file="${file}" tag="test:")
template(name="document" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}
template(name="id" type="list") { property(name="uuid") }
action(type="omelasticsearch" server="127.0.0.1" serverport="${httpPort}" uid="quarry" pwd="${current.server.keys().write}"
  searchIndex="syslog-test" searchType="" bulkmode="on" template="document" bulkid="id" dynbulkid="on" queue.type="linkedList" queue.timeoutEnqueue="86400000"
  queue.dequeueBatchSize="200" queue.minDequeueBatchSize="50" queue.minDequeueBatchSize.timeout="200" action.resumeRetryCount="-1" action.resumeInterval="1")
`;
