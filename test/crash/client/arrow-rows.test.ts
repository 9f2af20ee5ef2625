/**
 * An Arrow stream, sent again after kills of the server with its Idempotency-Key: each row is inserted once, as it would be as
 * JSON. To run again: node dist/test/crash/client/arrow-rows.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import { RecordBatchStreamWriter, type Table } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LineClient, partsIn, sendLines } from '../../http/line-client.js';
import { makeTable } from '../../ingest/columnar/arrow-tables.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(2);
t.setTimeout(60_000 + KILLS * 10_000);

const BATCHES = 8;
const ROWS = 4_000;
const STREAM = 'application/vnd.apache.arrow.stream';
const BY = 'id=user+id&event=visit:path:ts&event=response:code:ts';

const streamOf = (tables: readonly Table[]): Uint8Array =>
  RecordBatchStreamWriter.writeAll(tables.flatMap(({ batches }) => batches)).toUint8Array(true);

/** Tables of one schema. */
function tablesOf(random: Prng): { tables: Table[]; records: string[] } {
  const { table, records } = makeTable(random, Date.now(), BATCHES * ROWS);
  const tables = Array.from({ length: BATCHES }, (_, at) => table.slice(at * ROWS, (at + 1) * ROWS));
  return { tables, records: [...records] };
}

const COLUMNS = ['name', 'status', 'share', 'ratio', 'is-new', 'born', 'seen', 'tags', 'level'];

t.test('after kills, each row is inserted once', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  const { tables, records } = tablesOf(random);
  const body = streamOf(tables);
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
  for (const dimension of ['default', 'json']) {
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
  for (let kills = 0; ; ) {
    const headers = { 'Idempotency-Key': 'all', 'Content-Type': STREAM };
    const sender = new LineClient({ port: store.httpPort, key, path: `/v1/insert?${BY}`, headers });
    void sender.write(body);
    sender.end();
    const isKilled = kills < KILLS;
    if (isKilled) {
      await pause(random.between(5, 200));
      await store.server.kill();
      kills++;
    }
    const answer = await sender.answer;
    if (!isKilled) {
      t.match(answer, { status: 200 }, answer.text);
      t.equal(partsIn(answer.text).length, BATCHES);
      break;
    }
    store = await SqlStore.open(dir);
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
    t.strictSame(await rows('default'), await rows('json'), select);
  }
});
