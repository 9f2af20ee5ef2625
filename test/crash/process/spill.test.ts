/** A server with little memory: filled until it refuses writes, it still answers queries that need more than their share. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { metricsOf } from './process-stats.js';

t.setTimeout(380_000);

const ENTITIES = 1_000;
const BODIES_MAX = 400;
const ROWS = 1_500_000;
/** A divisor of ROWS. */
const DIFFERENT = 150_000;
const GROUPS = 600_000;
const SERIES = `generate_series(1, ${ROWS}) AS s(x)`;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-spill-'));
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
const spoolFiles = (): string[] =>
  fs.existsSync(path.join(dir, 'spool')) ? fs.readdirSync(path.join(dir, 'spool')) : [];

const start = (...flags: readonly string[]): ServerProcess =>
  new ServerProcess({
    dir,
    flags: ['--memory-limit', '300MiB', '--query-timeout', '200', '--workers', '2', ...flags],
  });

async function clientOf(server: ServerProcess): Promise<JsonClient> {
  return new JsonClient(await server.serving, server.keys().master);
}

const query = async (client: JsonClient, sql: string): Promise<unknown> => {
  const headers = { 'Content-Type': 'application/sql' };
  const { status, body } = await client.request({ path: '/v1/sql', text: sql, headers });
  const { result, errors } = body as { result?: unknown; errors?: unknown };
  return status === 200 ? result : errors;
};

/** Inserts different texts until a write is refused; returns the number of entities. */
async function fill(client: JsonClient): Promise<number> {
  for (let body = 0; body < BODIES_MAX; body++) {
    const entities = Array.from({ length: ENTITIES }, (_, index) => {
      const text = `${body * ENTITIES + index} ${'x'.repeat(950)}`;
      return [`e${body * ENTITIES + index}`, { dimension: 'full', t: text, n: index }];
    });
    const { status, body: answer } = await client.request({
      path: '/v1/insert',
      body: Object.fromEntries(entities),
    });
    if (status === 200) continue;
    const { errors } = answer as { errors: readonly { code: number }[] };
    if (errors[0].code !== 9003) throw new Error(JSON.stringify(answer));
    return body * ENTITIES;
  }
  throw new Error('the server never refused a write');
}

t.test('a full server of 300 MiB answers large sorts, groups and joins', async (t) => {
  const server = start();
  const client = await clientOf(server);
  try {
    const columns = [
      { name: 't', 'api-name': 't', dimension: 'full', type: 'string', cardinality: 'high' },
      { name: 'n', 'api-name': 'n', dimension: 'full', type: 'integer' },
    ];
    const { status } = await client.request({ path: '/v1/column', body: columns });
    t.equal(status, 200);
    const entityCount = await fill(client);
    t.comment(`${entityCount} entities`);
    t.strictSame(
      await query(
        client,
        `SELECT SUM(r) AS s FROM (SELECT ROW_NUMBER() OVER (PARTITION BY x % 3 ORDER BY x DESC) AS r, x FROM ${SERIES}) AS w WHERE x <= 3`,
      ),
      [{ s: ROWS }],
      'sort and window',
    );
    t.strictSame(
      await query(
        client,
        `SELECT COUNT(*) AS n, SUM(c) AS c FROM (SELECT DISTINCT x % ${DIFFERENT} AS k, x % 2 AS c FROM ${SERIES}) AS d`,
      ),
      [{ n: DIFFERENT, c: DIFFERENT / 2 }],
      'distinct',
    );
    t.strictSame(
      await query(
        client,
        `SELECT COUNT(*) AS n, MAX(a.x - b.y) AS d FROM (SELECT x FROM ${SERIES}) AS a JOIN (SELECT x AS y FROM ${SERIES}) AS b ON a.x = b.y`,
      ),
      [{ n: ROWS, d: 0 }],
      'join',
    );
    t.strictSame(
      await query(
        client,
        'SELECT COUNT(*) AS n, MAX(r) AS r FROM (SELECT ROW_NUMBER() OVER (ORDER BY t DESC) AS r FROM full) AS w',
      ),
      [{ n: entityCount, r: entityCount }],
      'a window over all stored rows',
    );
    t.strictSame(
      await query(client, 'SELECT COUNT(*) AS n FROM full AS a JOIN full AS b ON a.t = b.t'),
      [{ n: entityCount }],
      'a join of all stored rows with themselves',
    );
    const ordered = (await query(client, 'SELECT n FROM full ORDER BY t')) as readonly unknown[];
    t.equal(ordered.length, entityCount, 'all rows in an order');
    const groups = (await query(
      client,
      `SELECT x % ${GROUPS} AS k, COUNT(*) AS c FROM ${SERIES} GROUP BY x % ${GROUPS}`,
    )) as readonly { readonly k: number; readonly c: number }[];
    t.equal(groups.length, GROUPS, 'many groups');
    t.ok(
      groups.every(({ k, c }, index) => k === index && c === (k > 0 && k <= ROWS % GROUPS ? 3 : 2)),
      'in the order of their keys, with all rows',
    );
    t.strictSame(
      await query(client, 'SELECT COUNT(*) AS n FROM (SELECT t FROM full UNION SELECT t FROM full) AS u'),
      [{ n: entityCount }],
      'a union of all stored texts',
    );
    const metrics = await metricsOf(await server.serving);
    t.ok((metrics.get('quarry_query_spilled_bytes_total') ?? 0) > 0, 'rows were spilled');
    t.equal(metrics.get('quarry_query_spill_bytes'), 0, 'all space is free again');
  } finally {
    t.equal(await server.end(), 0);
  }
});

t.test('a server that is killed while it spills leaves no file, and starts again', async (t) => {
  const server = start();
  const client = await clientOf(server);
  const serving = await server.serving;
  const answer = query(
    client,
    `SELECT SUM(r) AS s FROM (SELECT x, ROW_NUMBER() OVER (PARTITION BY x % 7 ORDER BY x DESC) AS r FROM ${SERIES}) AS w`,
  ).catch(() => 'killed');
  let isSpilling = false;
  for (let tries = 0; tries < 2_000 && !isSpilling; tries++) {
    isSpilling = ((await metricsOf(serving)).get('quarry_query_spill_bytes') ?? 0) > 0;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  t.equal(isSpilling, true, 'the query spills when the server is killed');
  fs.writeFileSync(path.join(dir, 'spool', 'spill-0-1-1'), 'left by an earlier process');
  await server.kill();
  t.equal(await answer, 'killed');
  t.strictSame(spoolFiles(), ['spill-0-1-1'], 'open files have no name');
  const next = start();
  await clientOf(next);
  t.strictSame(spoolFiles(), []);
  t.equal(await next.end(), 0);
});

t.test('a query that needs more disk than it may use is refused with 9006', async (t) => {
  const server = start('--spill-limit', '2MiB');
  const client = await clientOf(server);
  const errors = await query(client, 'SELECT x FROM generate_series(1, 2500000) AS s(x) ORDER BY x DESC');
  t.match(errors, [{ code: 9006, message: /more than the 1048576 bytes of disk of one query/ }]);
  const metrics = await metricsOf(await server.serving);
  t.equal(metrics.get('quarry_query_spill_bytes'), 0);
  t.equal(await server.end(), 0);
});
