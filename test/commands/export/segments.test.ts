/** Segments that were exported and imported into another server have the same members. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { exportCommand } from '../../../src/commands/export/export-command.js';
import { importCommand } from '../../../src/commands/import/import-command.js';
import { RemoteClient } from '../../../src/commands/remote/index.js';
import { type RunningServer, startServer } from '../../demo/server.js';
import { directoryFor, runnerOf } from '../command-run.js';

const QUERIES = {
  // In the order of their names, each needs the next.
  adults: '[{"segment":"elders"},"or",{"segment":"vips"}]',
  elders: '[{"age":{"gte":9007199254740993}}]',
};

async function started(): Promise<{ server: RunningServer; client: RemoteClient }> {
  const server = await startServer('--shards', '2', '--workers', '1');
  t.teardown(() => server.stop());
  const client = new RemoteClient(server, 2);
  t.teardown(() => client.close());
  const column = { path: '/v1/column', body: '[{"name":"age","type":"integer"}]' };
  const insert = {
    path: '/v1/insert',
    body: '{"a":{"age":9007199254740993},"b":{"age":9007199254740992},"c":{"age":1}}',
  };
  for (const request of [column, insert]) await post(client, server, request.path, request.body);
  return { server, client };
}

const post = (client: RemoteClient, server: RunningServer, to: string, body: string): Promise<unknown> =>
  client.json({ method: 'POST', path: to, key: server.masterKey, body });

const countOf = (client: RemoteClient, server: RunningServer, name: string): Promise<unknown> =>
  post(client, server, '/v1/query/count/entity', `{"query-name":"q","query":[{"segment":"${name}"}]}`);

t.test('segments are exported and imported', async (t) => {
  const [from, to] = [await started(), await started()];
  const dir = directoryFor(t);
  const file = path.join(dir, 'segments.ndjson');
  await post(from.client, from.server, '/v1/segment', '{"name":"vips","ids":["B","nobody"]}');
  await post(from.client, from.server, '/v1/segment', '{"name":"nobodies","ids":[]}');
  await post(from.client, from.server, '/v1/segment', `{"name":"elders","query":${QUERIES.elders}}`);
  await post(from.client, from.server, '/v1/segment', `{"name":"adults","query":${QUERIES.adults}}`);
  const ran = await runnerOf(exportCommand, from.server, dir)(['--segments', '-o', file]);
  t.equal(ran.code, 0, String(ran.error));
  t.match(ran.err, /segment "vips": 1 IDs of no entity are not exported/);
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  t.strictSame(lines, [
    '{"name":"vips","dimension":"default","ids":["b"]}',
    '{"name":"nobodies","dimension":"default","ids":[]}',
    `{"name":"elders","dimension":"default","query":${QUERIES.elders}}`,
    `{"name":"adults","dimension":"default","query":${QUERIES.adults}}`,
  ]);
  fs.writeFileSync(
    file,
    [...lines.reverse(), '{"name":"vips","dimension":"default","ids":["c"]}', ''].join('\n'),
  );
  const run = runnerOf(importCommand, to.server, dir);
  t.equal((await run(['--segments', file])).code, 0);
  for (const [name, count] of [
    ['vips', 2],
    ['nobodies', 0],
    ['elders', 1],
    ['adults', 3],
  ] as const) {
    t.match(await countOf(to.client, to.server, name), { result: { q: count } }, name);
  }
  t.match(
    (await run(['--segments', file])).error?.message,
    /exist already, and none was made: adults, elders/,
  );
  fs.writeFileSync(file, '{"name":"lost","dimension":"default","query":[{"segment":"nowhere"}]}');
  t.match((await run(['--segments', file])).error?.message, /segment "lost".*nowhere/);
  fs.writeFileSync(file, '{"name":"both"}');
  t.match((await run(['--segments', file])).error?.message, /line 1 is no segment/);
  t.match((await run(['--segments', file, 'x.csv'])).wrong, /takes one file/);
  for (const words of [
    ['trip'],
    ['--sql', 'SELECT 1'],
    ['-o', 'x.csv'],
    ['-o', 'x.ndjson.gz'],
    ['--events', 'nested'],
  ]) {
    const refused = await runnerOf(exportCommand, from.server, dir)(['--segments', ...words]);
    t.match(refused.wrong, /--segments writes NDJSON/, String(words));
  }
});
