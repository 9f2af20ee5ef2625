/** `quarry queries` against a real server: a long query is listed, stopped and then listed as slow. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { queriesCommand } from '../../../src/commands/queries/queries-command.js';
import { RemoteClient } from '../../../src/commands/remote/index.js';
import { startServer } from '../../demo/server.js';
import { directoryFor, runnerOf } from '../command-run.js';

const LONG =
  "SELECT COUNT(*) AS n FROM generate_series(1, 100000) AS a (x), generate_series(1, 100000) AS b (y) WHERE x * y % 7 = 3 AND '\u001b' <> ''";

const server = await startServer('--shards', '2', '--workers', '1', '--slow-query', '1');
t.teardown(() => server.stop());
const client = new RemoteClient(server, 2);
t.teardown(() => client.close());
const run = runnerOf(queriesCommand, server, directoryFor(t));

t.test('nothing runs, and nothing was slow', async (t) => {
  t.match(await run([]), { code: 0, err: 'no query runs\n' });
  t.match(await run(['--slow']), { code: 0, err: 'no query was slow\n' });
  t.match(await run(['--stop', 'x-1']), { code: 1, err: 'no query x-1 runs in this database\n' });
});

t.test('a query that runs is listed and stopped, and then a slow one', async (t) => {
  const request = { method: 'POST', path: '/v1/sql', key: server.masterKey, body: LONG } as const;
  const answer = client.json({ ...request, contentType: 'application/sql' }).catch((error: unknown) => error);
  let listed = '';
  while (listed === '') {
    listed = `${(await run([])).out}`;
    await pause(20);
  }
  t.match(
    listed,
    /^[0-9a-f]+-\d+ +[\d,]+ ms {2}(running|waiting-\S+) +master-[0-9a-f]{8} {2}POST \/v1\/sql {2}SELECT .*\n$/,
  );
  t.notMatch(listed, '\u001b', 'control characters are not printed');
  const { queries } = JSON.parse(`${(await run(['--json'])).out}`);
  t.match(queries, [{ kind: 'http', query: LONG }]);
  t.match(await run(['--stop', queries[0].id]), { code: 0, out: Buffer.from(`stopped ${queries[0].id}\n`) });
  t.match(await answer, { status: 409, code: 9007, retryAfterSeconds: null });
  t.match(await run(['--stop', queries[0].id]), { code: 1 });
  let slow = '';
  while (slow === '') slow = `${(await run(['--slow'])).out}`;
  t.match(slow, /^\d{4}-.*Z {2} *[\d,]+ ms {2}error 9007 {2}master-.*\n( {4}.*\n)+$/);
});

t.test('wrong arguments are refused, and keys that may not see the queries of others', async (t) => {
  t.match((await run(['x'])).wrong, /takes no argument/);
  t.match((await run(['--stop', 'a', '--slow'])).wrong, /--stop takes no --slow/);
  const read = runnerOf(queriesCommand, { ...server, masterKey: server.readKey }, directoryFor(t));
  t.match(await read([]), { code: null, error: { code: 503 } });
});
