/**
 * An Arrow stream and a Parquet file, sent again after kills of the server with their Idempotency-Keys: each row is inserted once, as it
 * would be as JSON. To run again: node dist/test/crash/client/arrow-rows.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { RecordBatchStreamWriter, type Table } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LineClient, partsIn, sendLines } from '../../http/line-client.js';
import { parquetOf } from '../../http/parquet/parquet-files.js';
import { makeTable } from '../../ingest/columnar/arrow-tables.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(2);
t.setTimeout(60_000 + KILLS * 10_000);

const BATCHES = 8;
const ROWS = 4_000;
const TYPE = 'application/vnd.apache';
const BY = 'id=user+id&event=visit:path:ts&event=response:code:ts';

const streamOf = (tables: readonly Table[]): Uint8Array =>
  RecordBatchStreamWriter.writeAll(tables.flatMap(({ batches }) => batches)).toUint8Array(true);

/** Tables of one schema. */
function tablesOf(table: Table): Table[] {
  return Array.from({ length: BATCHES }, (_, at) => table.slice(at * ROWS, (at + 1) * ROWS));
}

const COLUMNS = ['name', 'status', 'share', 'ratio', 'is-new', 'born', 'seen', 'tags', 'level'];

t.test('after kills, each row is inserted once', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  const { table, records } = makeTable(random, Date.now(), BATCHES * ROWS);
  const bodies = [
    {
      dimension: 'default',
      type: `${TYPE}.arrow.stream`,
      encoding: 'identity',
      body: streamOf(tablesOf(table)),
    },
    {
      dimension: 'parquet',
      type: `${TYPE}.parquet`,
      encoding: 'gzip',
      body: gzipSync(parquetOf(table, ROWS)),
    },
  ];
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  const types = {
    name: 'string',
    status: 'integer',
    'is-new': 'boolean',
    born: 'date',
    seen: 'datetime',
    level: 'integer',
  };
  const events = { visit: 'string-event', response: 'integer-event' };
  for (const dimension of ['default', 'json', 'parquet']) {
    if (dimension !== 'default')
      await store.client.succeed({ path: '/v1/dimension', body: { 'api-name': dimension, name: dimension } });
    await store.client.succeed({
      path: '/v1/column',
      body: [
        ...Object.entries({ ...types, ...events }).map(([name, type]) => ({ name, type, dimension })),
        { name: 'share', type: 'decimal', 'decimal-places': 4, dimension },
        { name: 'ratio', type: 'decimal', 'decimal-places': 5, dimension },
        { name: 'tags', type: 'string', storage: 'list-of-values', dimension },
        { name: 'exact', type: 'string', case: 'preserve', dimension },
      ],
    });
  }
  const key = store.server.keys().master;
  for (let kills = 0; kills <= KILLS; kills++) {
    const senders = bodies.map(({ dimension, type, encoding, body }) => {
      const headers = { 'Idempotency-Key': dimension, 'Content-Type': type, 'Content-Encoding': encoding };
      const path = `/v1/insert?${BY}&dimension=${dimension}`;
      const sender = new LineClient({ port: store.httpPort, key, path, headers });
      void sender.write(body);
      sender.end();
      return sender;
    });
    if (kills < KILLS) {
      await pause(random.between(5, 400));
      await store.server.kill();
    }
    const answers = await Promise.all(senders.map(({ answer }) => answer));
    if (kills < KILLS) store = await SqlStore.open(dir);
    else
      for (const { status, text } of answers) {
        t.equal(status, 200, text);
        t.equal(partsIn(text).length, BATCHES);
      }
  }
  await store.server.kill();
  store = await SqlStore.open(dir);
  const sent = await sendLines(
    { port: store.httpPort, key, path: `/v1/insert/lines?${BY}&dimension=json` },
    records.join('\n'),
  );
  t.equal(sent.status, 200, sent.text);
  for (const select of [
    `SELECT [entity-id], exact, ${COLUMNS.map((name) => `[${name}]`).join(', ')} FROM # ORDER BY [entity-id]`,
    'SELECT [entity-id], COUNT([visit.value]) AS n, MIN([visit.date]) AS d FROM # GROUP BY [entity-id] ORDER BY [entity-id]',
    'SELECT COUNT([response.value]) AS n, SUM([response.value]) AS s FROM #',
  ]) {
    const rows = (dimension: string): Promise<unknown[]> => store.rows(select.replace('#', `[${dimension}]`));
    const expected = await rows('json');
    for (const { dimension } of bodies)
      t.strictSame(await rows(dimension), expected, `${dimension}: ${select}`);
  }
});
