/**
 * Requests with many parts: the errors of every part and field are reported in order, and a refused request creates
 * nothing. Every limited part is accepted at its limit and refused past it, in characters of any plane.
 */
import t from 'tap';
import type { ErrorCode } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import { type CodesServer, codesOf, errorsOf, startCodesServer, stateOf } from './codes-server.js';
import { makeDatabase, testDatabase } from './codes-world.js';

const string = (name: string, more: object = {}): object => ({ name, type: 'string', ...more });
const strings = (prefix: string, count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => string(`${prefix}-${index}`));

/** The codes of the refusal, after a check that the request changed nothing. */
async function refusalOf(
  server: CodesServer,
  masters: readonly string[],
  request: ApiRequest,
): Promise<readonly ErrorCode[]> {
  const before = JSON.stringify(await stateOf(server, masters));
  const codes = codesOf(await server.client.request(request));
  if (JSON.stringify(await stateOf(server, masters)) !== before)
    throw new Error(`${request.path} changed something`);
  return codes;
}

t.setTimeout(180_000);

t.test('a request of many parts reports the faults of each, in order, and creates nothing', async (t) => {
  const server = await startCodesServer(t);
  const { client, keys } = server;
  const masters = [keys.master];
  await client.succeed({
    path: '/v1/column',
    body: [string('name'), { name: 'visit', type: 'string-event' }],
  });
  await client.succeed({ path: '/v1/insert', body: { u1: { name: 'Ann' } } });
  const refused = (request: ApiRequest): Promise<readonly ErrorCode[]> => refusalOf(server, masters, request);
  const columns = (...body: object[]): Promise<readonly ErrorCode[]> => refused({ path: '/v1/column', body });

  await t.test('columns', async (t) => {
    const badName = string('größe', { storage: 'none' });
    t.strictSame(
      await columns(string('a'), badName, string('b'), { name: 'c', type: 'text' }, string('name')),
      [3008, 3006, 3001, 3003],
    );
    const reply = await client.request({
      path: '/v1/column',
      body: [string('a'), { name: 'c' }, string('name')],
    });
    const messages = errorsOf(reply).map(({ message }) => message);
    t.match(
      messages,
      [/"type" in body\[1\]/, /"name" already exists/],
      'each names its position or its column',
    );
    t.equal((await columns(...Array(100).fill({ name: 'x' }))).length, 20, 'at most 20 are reported');
    t.strictSame(await columns(string('a', { dimension: 'fresh' }), string('b', { colour: 'red' })), [3000]);
  });

  await t.test('fields of one object', async (t) => {
    const request = (path: string, body: object, method: ApiRequest['method'] = 'POST'): ApiRequest => ({
      method,
      path,
      body,
    });
    const column = { name: "'", type: 'zz', description: "'", storage: 'q' };
    t.strictSame(await refused(request('/v1/column', column)), [3008, 3001, 3009, 3006]);
    const change = { 'api-name': 'name', name: "'", description: "'", active: 'yes' };
    t.strictSame(await refused(request('/v1/column', change, 'PUT')), [3008, 3009, 3000]);
    const dimension = { name: 'ü', 'api-name': 'BAD' };
    t.strictSame(await refused(request('/v1/dimension', dimension)), [5001, 5000]);
    const update = { dimension: 5, query: 5, set: 5, x: 1, y: 2 };
    t.strictSame(await refused(request('/v1/update', update)), [4049, 4049, 4049, 5009, 4026]);
    const count = { 'query-name': '', 'bypass-cache': 1, dimension: 'none', query: [] };
    t.strictSame(await refused(request('/v1/query/count/entity', count)), [4047, 5008, 4049]);
    const database = { ...testDatabase('a_b'), x: 1 };
    const team = { ...request('/v1/database', { y: 1, database }), key: keys.team };
    t.strictSame(await refused(team), [8000, 8000, 8000]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 1]));
    const [first, ...others] = await columns({ ...column, ...many }, column);
    t.strictSame([first, others.length], [3000, 19], 'at most 20 are reported');
  });

  await t.test('the same column twice', async (t) => {
    t.strictSame(await columns(string('twin'), string('other'), string('twin')), [3003]);
    t.strictSame(await columns(string('Twin'), string('x', { 'api-name': 'twin' })), [3003], 'one api-name');
    const apart = [string('twin'), string('twin', { dimension: 'elsewhere' })];
    t.match(await client.succeed({ path: '/v1/column', body: apart }), { 'api-name': ['twin', 'twin'] });
    t.strictSame(await columns(string('new'), string('twin', { dimension: 'elsewhere' })), [3003]);
  });

  await t.test('100 columns, and 101', async (t) => {
    t.strictSame(await columns(...strings('wide', 101)), [3004]);
    const made = await client.succeed<{ 'api-name': string[] }>({
      path: '/v1/column',
      body: strings('wide', 100),
    });
    t.strictSame(
      made['api-name'],
      strings('wide', 100).map((column) => (column as { name: string }).name),
    );
    const key = await makeDatabase(client, keys.team, testDatabase('narrow'));
    const inTest = (count: number): ApiRequest => ({ path: '/v1/column', key, body: strings('t', count) });
    await client.succeed({ ...inTest(0), body: strings('first', 50) });
    t.strictSame(await refusalOf(server, [key], inTest(51)), [2021]);
    await client.succeed(inTest(50));
  });

  await t.test('dimensions', async (t) => {
    const body = [
      { name: 'Good', 'api-name': 'good' },
      { name: 'Bad', 'api-name': 'BAD' },
      { name: 'No api-name' },
      { name: 'Again', 'api-name': 'good' },
      { name: 'Star', 'api-name': 'star', 'relational-model-type': 'star' },
    ];
    t.strictSame(await refused({ path: '/v1/dimension', body }), [5000, 5007, 5006, 5010]);
  });

  await t.test('relations, and the columns that a key may use', async (t) => {
    const relation = {
      path: '/v1/column/relation',
      body: { name: 'r', columns: ['name', 'visit', 'none', 'visit'] },
    };
    t.strictSame(await refused(relation), [3001, 3018, 3003]);
    const key = {
      'key-name': 'k',
      'key-type': 'read-only',
      'columns-whitelist': { default: ['none', 'name', 5] },
    };
    const body = { 'database-name': 'quarry', 'custom-database-key': key };
    t.strictSame(await refused({ path: '/v1/database/custom_key', key: keys.team, body }), [3018, 8000]);
  });

  await t.test('queries', async (t) => {
    const query = (name: string, ...list: unknown[]): object => ({ 'query-name': name, query: list });
    const good = { name: { equals: 'ann' } };
    const body = [
      query('good', good),
      query('unknown', { none: { equals: 'x' } }),
      query('good', good),
      query('open', good, 'and'),
      { 'query-name': 'none' },
      5,
    ];
    t.strictSame(await refused({ path: '/v1/query/count/entity', body }), [4008, 4054, 4007, 4010, 4004]);
    const total = { path: '/v1/query/count/entity/total', body: { dimensions: ['default', 'none', 5] } };
    t.strictSame(await refused(total), [5008, 5009]);
    const exists = { path: '/v1/query/exists/entity', body: { ids: ['u1', 5, '', 'x'.repeat(1_001)] } };
    t.strictSame(await refused(exists), [4049, 4049, 4049]);
  });

  await t.test('a total of an empty list', async (t) => {
    const path = '/v1/query/count/entity/total';
    t.match(await client.succeed({ path, text: '', method: 'POST' }), { result: { total: 1 } });
    t.match(await client.succeed({ path, body: {} }), { result: { total: 1 } });
    t.strictSame(await refused({ path, text: ' ' }), [1503]);
  });

  await t.test('inserts and updates', async (t) => {
    const insert = (body: object): Promise<readonly ErrorCode[]> => refused({ path: '/v1/insert', body });
    const made = { u1: { name: 'Eve' }, u2: { fresh: 1, dimension: 'young' }, u3: { fresh: [[1]] } };
    t.strictSame(await insert({ ...made, 'auto-create': ['column', 'dimension'] }), [2007]);
    t.strictSame(await insert({ u1: { name: 'Eve' }, u2: { name: 5 } }), [2007]);
    const update = { query: [{ name: { equals: 'ann' } }], set: { name: 'Eve', none: 1 } };
    t.strictSame(await refused({ path: '/v1/update', body: update }), [2011]);
    const count = { 'query-name': 'q', query: [{ name: { equals: 'ann' } }] };
    t.match(await client.succeed({ path: '/v1/query/count/entity', body: count }), { result: { q: 1 } });
  });
});

/** Names: kind, maximum length, and the codes of a name that is too long and of one outside ASCII; null = accepted. */
const NAMES = [
  ['column', 64, 3014, 3008],
  ['column api-name', 64, 3015, 3007],
  ['description', 256, 3010, null],
  ['dimension', 64, 5003, 5001],
  ['dimension api-name', 64, 5004, 5000],
  ['dimension of a column', 64, 5004, 5000],
  ['database', 64, 8000, 8000],
  ['key', 64, 8000, null],
  ['group', 64, 7000, null],
  ['user', 256, 7050, null],
] as const satisfies readonly (readonly [string, number, ErrorCode, ErrorCode | null])[];
const TEAM: ReadonlySet<string> = new Set(['database', 'key', 'group', 'user']);

/** A name of an object without a description, different for each text. */
const nameFor = (text: string): string => `n${text.length}-${text.codePointAt(0)}`;

/** Requests that create an object with that name or text. */
const naming: Readonly<Record<(typeof NAMES)[number][0], (text: string) => ApiRequest>> = {
  column: (name) => ({ path: '/v1/column', body: string(name, { 'api-name': nameFor(name) }) }),
  'column api-name': (name) => ({ path: '/v1/column', body: string('x', { 'api-name': name }) }),
  description: (description) => ({
    path: '/v1/column',
    body: string(`d${nameFor(description)}`, { description }),
  }),
  dimension: (name) => ({ path: '/v1/dimension', body: { name, 'api-name': nameFor(name) } }),
  'dimension api-name': (name) => ({ path: '/v1/dimension', body: { name: 'D', 'api-name': name } }),
  'dimension of a column': (name) => ({
    path: '/v1/column',
    body: string('in', { dimension: name.replace('xx', 'yx') }),
  }),
  database: (name) => ({ path: '/v1/database', body: { database: testDatabase(name) } }),
  key: (name) => {
    const key = { 'key-name': name, 'key-type': 'read-only' };
    return {
      path: '/v1/database/custom_key',
      body: { 'database-name': 'quarry', 'custom-database-key': key },
    };
  },
  group: (name) => ({ path: '/v1/permission_groups', body: { 'group-name': name } }),
  user: (name) => {
    const email = `${nameFor(name)}@example.org`;
    return { path: '/v1/users', body: { email, password: 'long enough', 'first-name': name } };
  },
};

t.test('every limited part of a request is accepted at its limit and refused past it', async (t) => {
  const server = await startCodesServer(t);
  const { client, keys } = server;
  await client.succeed({
    path: '/v1/column',
    body: [string('name'), string('tags', { storage: 'list-of-values' })],
  });
  const { team } = keys;
  for (const [what, charsMax, tooLong, foreign] of NAMES) {
    const codes = async (text: string) =>
      codesOf(await client.request({ ...naming[what](text), ...(TEAM.has(what) ? { key: team } : {}) }));
    t.strictSame(await codes('x'.repeat(charsMax + 1)), [tooLong], `${what}: one too many`);
    t.strictSame(await codes('x'.repeat(charsMax)), [], `${what}: ${charsMax} characters`);
    for (const text of ['ünï', 'имя', '名前', '😀']) {
      t.strictSame(await codes(text), foreign === null ? [] : [foreign], `${what}: ${text}`);
    }
  }

  await t.test('texts and IDs are measured in code points, and are the same in any case', async (t) => {
    const longest = '😀'.repeat(999);
    const entity = (id: string, name: string): ApiRequest => ({
      path: '/v1/insert',
      body: { [id]: { name, tags: [name] } },
    });
    t.strictSame(codesOf(await client.request(entity(`${longest}É`, `${longest}Σ`))), []);
    t.strictSame(codesOf(await client.request(entity(`${longest}ÉÉ`, 'x'))), [2008]);
    t.strictSame(codesOf(await client.request(entity('x', `${longest}ΣΣ`))), [2009]);
    const ids = [`${longest}é`, `${longest}É`, `${longest}e`];
    t.match(await client.succeed({ path: '/v1/query/exists/entity', body: { ids } }), {
      exists: ids.slice(0, 2),
      'not-exists': ids.slice(2),
    });
    const query = [{ name: { equals: `${longest}σ` } }, 'and', { tags: { 'ends-with': '😀Σ' } }];
    const count = { path: '/v1/query/count/entity', body: { 'query-name': '名前 😀', query } };
    t.match(await client.succeed(count), { result: { '名前 😀': 1 } });
  });

  await t.test('64-bit integers', async (t) => {
    const column = { name: 'whole', type: 'integer' };
    await client.succeed({ path: '/v1/column', body: column });
    const insert = (token: string): ApiRequest => ({
      path: '/v1/insert',
      text: `{"n": {"whole": ${token}}}`,
    });
    for (const token of ['9223372036854775807', '-9223372036854775808']) {
      t.strictSame(codesOf(await client.request(insert(token))), [], token);
      const text = `{"query-name": "q", "query": [{"whole": {"equals": ${token}}}]}`;
      t.match(await client.succeed({ path: '/v1/query/count/entity', text }), { result: { q: 1 } }, token);
    }
    for (const token of ['9223372036854775808', '-9223372036854775809', '1e400', '1.5']) {
      t.strictSame(codesOf(await client.request(insert(token))), [2007], token);
    }
  });
});
