/**
 * Every code of the error table, by requests to real servers. Each refusal must have its status and code and a message
 * that names the fault, and leave everything unchanged. Every code is either produced here, or its entry states why it
 * cannot be.
 */
import t, { type Test } from 'tap';
import { ERRORS, type ErrorCode, QuarryError, RETRY_AFTER_SECONDS } from '../../../src/base/index.js';
import { KEYS } from '../../http/fake-engine.js';
import { sendRequest as askFront, startFront } from '../../http/harness.js';
import type { ApiRequest } from '../../support/json-client.js';
import { runCommand } from '../../support/server-process.js';
import { ANSWER_REFUSALS, savedRefusals } from './codes-answers.js';
import { BEHAVIOUR_REFUSALS } from './codes-behaviour.js';
import { COLUMN_REFUSALS, insertRefusals, QUERY_REFUSALS } from './codes-data.js';
import { accessRefusals, DIMENSIONS, type Refusal, TEAM, TRANSPORT } from './codes-general.js';
import { type CodesServer, codesOf, errorsOf, startCodesServer, stateOf } from './codes-server.js';
import { sqlRefusals } from './codes-sql.js';
import { makeDatabase, makeWorld, testDatabase } from './codes-world.js';

const reached = new Set<ErrorCode>();

/** Whether the endpoint never changes anything. */
const isQuery = ({ path }: ApiRequest): boolean =>
  /^\/v1\/(query|data_extraction)\//.test(path) && !path.startsWith('/v1/query/saved');

/** Sends each request, and checks the answer and that the state is unchanged. */
async function refuse(
  t: Test,
  server: CodesServer,
  masters: readonly string[],
  refusals: readonly Refusal[],
) {
  const before = JSON.stringify(await stateOf(server, masters));
  for (const [code, request, names = ''] of refusals) {
    const reply = await server.client.request(request);
    const shown = `${code}: ${request.method ?? 'POST'} ${request.path} ${JSON.stringify(request.body ?? request.text ?? '').slice(0, 100)}`;
    t.strictSame([reply.status, ...codesOf(reply)], [ERRORS[code].status, code], shown);
    if (reply.status === 200) continue;
    const [{ message }] = errorsOf(reply);
    t.ok(message.includes(names), `${shown} names ${names} in: ${message}`);
    reached.add(code);
    if (isQuery(request)) continue;
    const after = JSON.stringify(await stateOf(server, masters));
    if (after !== before) t.equal(after, before, `${shown} changed something`);
  }
}

async function quarry(server: CodesServer, ...words: string[]): Promise<string> {
  const { code, stdout, output } = await runCommand([...words, '--data-dir', server.dir]);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${output}`);
  return stdout.trim();
}

t.setTimeout(180_000);

t.test('a refused request answers its code, names the fault, and changes nothing', async (t) => {
  const server = await startCodesServer(t);
  const world = await makeWorld(server, await quarry(server, 'keys', 'create', 'powerless'));
  const groups: Readonly<Record<string, readonly Refusal[]>> = {
    'keys and addresses': accessRefusals(world),
    'paths, headers and bodies': TRANSPORT,
    dimensions: DIMENSIONS,
    'inserts and updates': insertRefusals(world, Date.now()),
    'columns and relations': COLUMN_REFUSALS,
    queries: QUERY_REFUSALS,
    'events, values and rows': ANSWER_REFUSALS,
    behaviour: BEHAVIOUR_REFUSALS,
    'saved queries': savedRefusals(world),
    SQL: sqlRefusals(world),
    'the team': TEAM.map(([code, request, names]) => [code, { ...request, key: world.team }, names]),
  };
  for (const [name, refusals] of Object.entries(groups)) {
    await t.test(name, (t) => refuse(t, server, [server.keys.master, world.full], refusals));
  }

  await t.test('a repeated Idempotency-Key', async (t) => {
    const headers = { 'idempotency-key': 'once' };
    await server.client.succeed({ path: '/v1/insert', body: { u3: { name: 'x' } }, headers });
    const other = { path: '/v1/insert', body: { u4: { name: 'x' } }, headers };
    await refuse(t, server, [server.keys.master], [[9001, other, 'Idempotency-Key']]);
  });

  await t.test('a query that exceeds the available memory', async (t) => {
    const key = await makeDatabase(server.client, world.team, testDatabase('wide'));
    await server.client.succeed({ path: '/v1/column', key, body: { name: 'word', type: 'string' } });
    const insert = (request: number): Promise<unknown> => {
      const ids = Array.from({ length: 1_000 }, (_, index) => (request * 1_000 + index).toString(36));
      const body = Object.fromEntries(ids.map((id) => [`u${id}`, { word: id }]));
      return server.client.succeed({ path: '/v1/insert', key, body });
    };
    // On a busy machine, the server would close some of many connections as idle before it reads them.
    for (let from = 0; from < 265; from += 5) {
      await Promise.all(Array.from({ length: 5 }, (_, index) => insert(from + index)));
    }
    // While a query runs, each of these conditions uses a bit per distinct string of the one shard.
    const counted = (conditionCount: number): ApiRequest => {
      const conditions = Array(conditionCount).fill({ word: { in: ['a', 'b'] } });
      const query = conditions.flatMap((condition) => ['and', condition]).slice(1);
      return { path: '/v1/query/count/entity', key, body: { 'query-name': 'q', query } };
    };
    await refuse(t, server, [key], [[9006, counted(250), 'distinct strings']]);
    t.match(await server.client.succeed(counted(1)), { result: { q: 2 } }, 'smaller queries still run');
  });
});

t.test('limits, memory and the state of the account', async (t) => {
  const flags = ['--limits', 'spec', '--memory-limit', '1MiB', '--idempotency-entries', '1'];
  const server = await startCodesServer(t, flags);
  const { client, keys } = server;
  const key = await makeDatabase(client, keys.team, testDatabase('small'));

  await t.test('memory is full', async (t) => {
    const insert = { path: '/v1/insert', body: { u1: { name: 'x'.repeat(2 ** 20) } } };
    await refuse(t, server, [keys.master], [[9003, insert, 'memory']]);
  });

  await t.test('the table of Idempotency-Keys is full', async (t) => {
    await client.succeed({ path: '/v1/column', body: { name: 'name', type: 'string' } });
    const insert = { path: '/v1/insert', body: { u1: { name: 'x' } } };
    await client.succeed({ ...insert, headers: { 'idempotency-key': 'one' } });
    const second = { ...insert, headers: { 'idempotency-key': 'two' } };
    await refuse(t, server, [keys.master], [[9003, second, 'Idempotency-Key']]);
    await client.succeed({ ...insert, headers: { 'idempotency-key': 'one' } });
  });

  await t.test('more requests in a minute than a limit', async (t) => {
    const body = { 'query-name': 'q', query: [{ 'entity-id': { equals: 'x' } }] };
    const count = { path: '/v1/query/count/entity', key, body };
    for (let index = 0; index < 60; index++) await client.succeed(count);
    const { headers, ...reply } = await client.request(count);
    t.strictSame(codesOf(reply), [1502]);
    t.match(errorsOf(reply)[0].message, /60/);
    t.match(headers, { 'ratelimit-limit': '60', 'ratelimit-remaining': '0' });
    t.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60, 'Retry-After');
    t.match(
      await client.request({ ...count, key: keys.master }),
      { status: 200 },
      'other databases are still served',
    );
    reached.add(1502);
  });

  const states = [
    [1000, 'no-payment-method'],
    [1001, 'suspended'],
    [1002, 'banned'],
    [1003, 'disabled'],
  ] as const;
  await t.test('an account that is not active', async (t) => {
    for (const [code, state] of states) {
      t.equal(await quarry(server, 'account', state), state);
      for (const key of [keys.master, keys.team]) {
        t.strictSame(codesOf(await client.request({ path: '/v1/dimension', key })), [code], state);
      }
      reached.add(code);
    }
    await quarry(server, 'account', 'active');
    t.match(await client.request({ path: '/v1/dimension' }), { status: 200 });
  });
});

t.test('faults of the machine', async (t) => {
  const front = await startFront(t);
  const { engine } = front;
  const diskFull = () => Promise.reject(new QuarryError(9002, 'disk full: nothing was written'));
  const send = async (method: string, path: string, key: string, body: unknown) => {
    const headers = { Authorization: key, 'Content-Type': 'application/json' };
    const reply = await askFront(front, { method, path, headers, body: JSON.stringify(body) });
    return { ...reply, body: JSON.parse(reply.body) };
  };
  const expect = (code: ErrorCode, reply: Awaited<ReturnType<typeof send>>) => {
    t.strictSame(codesOf(reply), [code]);
    reached.add(code);
    if (reply.status === 503) t.equal(reply.headers['retry-after'], String(RETRY_AFTER_SECONDS), `${code}`);
  };
  const query = { 'query-name': 'q', query: [{ 'entity-id': { equals: 'x' } }] };

  engine.countEntities = () => Promise.reject(new Error('a secret of the implementation'));
  const unexpected = await send('POST', '/v1/query/count/entity', KEYS.master, query);
  expect(1, unexpected);
  t.notMatch(JSON.stringify(unexpected), /secret/, 'internal details are not revealed');

  engine.aggregate = () => Promise.reject(new QuarryError(9005));
  const top = { q: { 'entity-id': 5 } };
  expect(9005, await send('POST', '/v1/query/top_values', KEYS.master, top));

  engine.aggregate = (_plans, { cancellation }) =>
    new Promise((_, reject) => cancellation?.onCancel(() => reject(new QuarryError(9005))));
  const stopped = send('POST', '/v1/query/top_values', KEYS.master, top);
  const running = async (): Promise<readonly { readonly id: string }[]> => {
    const { body } = await send('GET', '/v1/status/queries', KEYS.master, undefined);
    return (body as { readonly queries: readonly { readonly id: string }[] }).queries;
  };
  let queries = await running();
  while (queries.length === 0) queries = await running();
  await send('DELETE', `/v1/status/queries/${queries[0].id}`, KEYS.master, undefined);
  expect(9007, await stopped);

  engine.onInsert = diskFull;
  expect(9002, await send('POST', '/v1/insert', KEYS.master, { u1: { name: 'x' } }));
  engine.change = diskFull;
  const deletion = await send('DELETE', '/v1/database', KEYS.team, { database: { name: 'quarry' } });
  expect(189, deletion);
  t.match(deletion.body, {
    errors: [{ message: 'request failed', 'more-info': 'database deletion request error' }],
  });

  engine.ready = false;
  expect(9004, await send('POST', '/v1/insert', KEYS.master, { u1: { name: 'x' } }));
});

t.test('every code of the table is produced, or its entry states in a sentence why not', async (t) => {
  const codes = Object.keys(ERRORS).map((code) => Number(code) as ErrorCode);
  const explained = codes.filter((code) => ERRORS[code].never !== undefined);
  const expected = codes.filter((code) => !explained.includes(code));
  t.comment(`${reached.size} codes produced: ${codes.filter((code) => reached.has(code)).join(' ')}`);
  t.comment(`${explained.length} explained: ${explained.join(' ')}`);
  t.strictSame(
    [...reached].sort((one, other) => one - other),
    expected,
  );
  for (const code of explained) {
    t.match(ERRORS[code].never, /^[A-Z].*\.$/, `${code}: a sentence`);
  }
});
