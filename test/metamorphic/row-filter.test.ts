/**
 * A custom key with a row filter gets the answers of a database without the hidden rows, and its inserts reveal nothing
 * about hidden rows: generated requests of every kind are sent to two databases of a real server, also after it was
 * killed and restarted. Other tests check whitelists of columns, and the owner of an Idempotency-Key.
 * A longer run: node dist/test/metamorphic/row-filter.test.js --requests 1000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import type { Json, JsonObject } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import {
  columnJson,
  type GeneratedSchema,
  generateCountBody,
  generateDelete,
  generateId,
  generateInsert,
  generateQuery,
  generateSchema,
  generateUpdate,
  jsonObject,
  jsonText,
  num,
} from '../support/generate.js';
import type { ApiRequest } from '../support/json-client.js';
import { RowModel } from '../support/model.js';
import { ID_COUNT, OPTIONS, Requests } from './filter-requests.js';
import { LiveServer } from './live-server.js';
import { type Filter, makeDatabase, makeKey, Twins } from './twins.js';

const { values: value } = parseArgs({
  options: {
    requests: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
/** Requests to each pair of databases between two starts of the server. */
const [REQUESTS, SEED] = [Number(value.requests), Number(value.seed)];
t.comment(`seed ${SEED}, ${REQUESTS} requests`);
t.setTimeout(120_000 + REQUESTS * 2_000);

const server = await LiveServer.start(t);

// Filters

const WINDOW: Json = ['2016-01-01', '2016-01-07'];
const conditions = (fields: Readonly<Record<string, Readonly<Record<string, Json>>>>): JsonObject =>
  jsonObject(Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, jsonObject(one)])));

/** The rows that each filter admits in the default dimension, and in some cases in the second one. */
const FILTERS: Readonly<Record<string, (prng: Prng, schema: GeneratedSchema) => JsonObject>> = {
  equals: (prng) => conditions({ boolean: { equals: prng.chance(0.5) } }),
  range: (prng) => conditions({ integer: { range: [num(prng.between(-3, 2)), num(prng.between(7, 2000))] } }),
  text: (prng) => conditions({ string: { [prng.pick(['contains', 'not-contains'])]: ['a', 'IN'] } }),
  'a list of values': (prng) =>
    conditions({ 'string-list': { 'not-equals': prng.pick(['RED', 'wine', 'a']) } }),
  events: (prng) =>
    conditions({
      'integer-event': { gte: num(prng.below(3)), between: WINDOW, minfreq: num(prng.between(1, 3)) },
    }),
  'no matter which event': () => conditions({ 'string-event': { 'not-equals': 'red', between: WINDOW } }),
  'two columns': (prng) =>
    conditions({
      decimal: { gte: num('-0.5') },
      date: prng.chance(0.5) ? { gt: '1969-12-31' } : { 'not-in': ['2016-01-01', '2016-02-29'] },
    }),
  'a column and events': () =>
    conditions({ enumerated: { lte: num(100) }, 'decimal-event': { lt: num(50), between: WINDOW } }),
  'the entity ID': (prng) => conditions({ 'entity-id': { 'not-contains': [String(prng.below(10)), '3'] } }),
  'any condition': (prng, schema) => {
    for (;;) {
      const [head] = generateQuery(prng, schema, 'default', { ...OPTIONS, depthMax: 1 }) as Json[];
      if (head instanceof Map && !head.has('freqgroup')) return head as JsonObject;
    }
  },
};

/** A filter that hides some rows and shows others. */
function chooseFilter(
  prng: Prng,
  schema: GeneratedSchema,
  rows: RowModel,
  make: (prng: Prng, schema: GeneratedSchema) => JsonObject,
): Filter {
  for (let tries = 0; tries < 300; tries++) {
    const conditions = make(prng, schema);
    const query = [...conditions].flatMap(([column, one], index): Json[] => [
      ...(index === 0 ? [] : ['and']),
      jsonObject({ [column]: one }),
    ]);
    const visible = rows.select(query, 'default', 0).length;
    if (visible < 6 || rows.total(['default']) - visible < 6) continue;
    const other = jsonObject({ 'entity-id': jsonObject({ 'not-ends-with': '5' }) });
    return new Map([['default', conditions], ...(prng.chance(0.2) ? [['second', other] as const] : [])]);
  }
  throw new Error('no filter hides some rows and shows others');
}

async function makeTwins(prng: Prng, name: string): Promise<Twins> {
  const schema = generateSchema(prng);
  const rows = Array.from({ length: 4 }, () =>
    generateInsert(prng, schema, { entityCount: 40, idCount: ID_COUNT, undated: 0 }),
  );
  const model = new RowModel();
  model.createColumns(schema.body);
  for (const body of rows) model.insert(body, 0);
  const filter = chooseFilter(prng, schema, model, FILTERS[name]);
  return Twins.make(server.client, server.team, name, schema, rows, filter);
}

t.test('a key with a row filter is answered as if the hidden rows did not exist', async (t) => {
  const prng = new Prng(SEED);
  const pairs: { readonly name: string; readonly twins: Twins; readonly requests: Requests }[] = [];
  for (const name of Object.keys(FILTERS)) {
    const twins = await makeTwins(prng, name);
    pairs.push({ name, twins, requests: new Requests(prng, twins) });
  }
  for (const start of ['first', 'kill -9', 'clean'] as const) {
    if (start !== 'first') await server.restart(start);
    for (const { name, twins, requests } of pairs) {
      twins.reconnect(server.client);
      const wrong: string[] = [];
      for (let sent = 0; sent < REQUESTS && wrong.length === 0; sent++) {
        wrong.push(...[await requests.next()].filter((text) => text !== null));
      }
      wrong.push(...[await requests.all()].filter((text) => text !== null));
      t.strictSame(wrong, [], `filter by ${name}, ${start} start`);
    }
  }
  const taken = new Map<string, number>();
  for (const { requests } of pairs) {
    for (const [kind, count] of requests.taken) taken.set(kind, (taken.get(kind) ?? 0) + count);
  }
  const hidden = pairs.map(({ twins }) => twins.hidden('default').length);
  t.comment(`accepted: ${JSON.stringify([...taken])}; hidden at the end: ${hidden}`);
  t.notOk(taken.has('broken'), 'invalid requests are refused');
  const reads = ['count', 'events', 'aggregation', 'top', 'rows', 'score', 'saved', 'run'];
  for (const kind of [...reads, 'total', 'exists', 'insert', 'update', 'delete', 'list']) {
    t.ok((taken.get(kind) ?? 0) > REQUESTS / 5, `${kind} was accepted`);
  }
});

// Pages

t.test('the pages of an extraction are those of a database without the hidden rows', async (t) => {
  const { client, team } = server;
  const columns = ['number', 'rank'].map((apiName) => ({
    dimension: 'default',
    apiName,
    type: 'integer',
    storage: 'latest-value' as const,
    decimalPlaces: 0,
    bounds: [],
  }));
  const schema = { columns, dimensions: ['default'], body: columns.map(columnJson) };
  const prng = new Prng(SEED + 2);
  const rowsOf = (prefix: string, count: number): Json =>
    new Map(
      Array.from({ length: count }, (_, index): [string, Json] => [
        `${prefix}${index}`,
        jsonObject({
          number: num(prng.below(10)),
          ...(prng.chance(0.8) ? { rank: num(prng.below(40)) } : {}),
        }),
      ]),
    );
  const rows = Array.from({ length: 5 }, (_, index) => rowsOf(`${index}-`, 900));
  const filter = new Map([['default', jsonObject({ number: jsonObject({ lt: num(7) }) })]]);
  const twins = await Twins.make(client, team, 'pages', schema, rows, filter);
  t.ok(twins.visible('default').size > 2_500, 'three pages');
  const hide = async (page: number): Promise<void> => {
    const hidden = Array.from({ length: 300 }, (_, index): [string, Json] => [
      `hidden-${page}-${index}`,
      jsonObject({ number: num(9), rank: num(index % 40) }),
    ]);
    const body = new Map(hidden);
    await client.succeed({ path: '/v1/insert', key: twins.whole.master, text: jsonText(body) });
    const [, [id]] = hidden;
    const query = [jsonObject({ 'entity-id': jsonObject({ equals: id }) })];
    await client.succeed({
      path: '/v1/delete',
      key: twins.whole.master,
      text: jsonText(jsonObject({ query })),
    });
  };
  const all = { query: [jsonObject({ 'entity-id': jsonObject({ 'not-equals': 'x' }) })] };
  const orders: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
    none: {},
    'a column': { order: [jsonObject({ rank: 'asc' })] },
    'a column, falling': { order: [jsonObject({ rank: 'desc' }), jsonObject({ number: 'asc' })] },
    'the ID': { order: [jsonObject({ 'entity-id': 'desc' })] },
  };
  for (const [name, order] of Object.entries(orders)) {
    for (const limit of [1_500, 5_000]) {
      const body = jsonObject({ ...all, ...order, columns: ['entity-id', 'rank'], limit: num(limit) });
      const found = await twins.pages('read-only', '/v1/data_extraction/result', body, hide);
      t.equal(
        found,
        Math.ceil(Math.min(limit, twins.visible('default').size) / 1_024),
        `${name}, ${limit} rows`,
      );
    }
  }
});

t.test('a cached answer of a saved query for one filter is not returned for another', async (t) => {
  const { client, team } = server;
  const { name, master } = await makeDatabase(client, team, 'remembered');
  await client.succeed({ path: '/v1/column', key: master, body: [{ name: 'n', type: 'integer' }] });
  const rows = Array.from({ length: 10 }, (_, index) => [`e${index}`, { n: index }]);
  await client.succeed({ path: '/v1/insert', key: master, body: Object.fromEntries(rows) });
  const below = (bound: number): Json =>
    jsonObject({ default: jsonObject({ n: jsonObject({ lt: num(bound) }) }) });
  const keyOf = (keyName: string, more: Readonly<Record<string, Json>>): Promise<string> =>
    makeKey(client, team, name, { 'key-name': keyName, 'key-type': 'read-only', ...more });
  const keys: readonly (readonly [key: string, count: number])[] = [
    [master, 10],
    [await keyOf('three', { filter: below(3) }), 3],
    [await keyOf('five', { filter: below(5) }), 5],
    [await keyOf('three more', { filter: below(3) }), 3],
    [await keyOf('no filter', {}), 10],
    [await keyOf('columns', { 'columns-whitelist': jsonObject({ default: [] }) }), 10],
  ];
  const query = [{ 'entity-id': { 'not-equals': 'x' } }];
  const saved = { 'cache-period': 600, type: 'count/entity', query };
  for (const [first] of keys.entries()) {
    const path = `/v1/query/saved/first-${first}`;
    await client.succeed({
      path: '/v1/query/saved',
      key: master,
      body: { ...saved, name: `first-${first}` },
    });
    for (const offset of [...keys.keys(), ...keys.keys()]) {
      const [key, count] = keys[(first + offset) % keys.length];
      const answer = await client.succeed({ method: 'GET', path, key });
      t.match(answer, { result: { query: count } }, `the key that sees ${count}, ${offset} after the first`);
    }
  }
});

// Filters that no longer fit

const COUNT = '/v1/query/count/entity';
const TOTAL = '/v1/query/count/entity/total';
const EXISTS = '/v1/query/exists/entity';

/** The codes of an answer; `[]` for a success. */
async function codesOf(request: ApiRequest): Promise<readonly number[]> {
  const { status, body } = await server.client.request(request);
  if (status === 200) return [];
  return (body as { errors: { code: number }[] }).errors.map(({ code }) => code);
}

t.test('a filter whose column is deleted or deactivated admits no rows', async (t) => {
  const { client, team } = server;
  const { name, master } = await makeDatabase(client, team, 'broken filters');
  const succeed = (
    path: string,
    body: unknown,
    method: 'POST' | 'PUT' | 'DELETE' = 'POST',
  ): Promise<unknown> => server.client.succeed({ method, path, key: master, body });
  const column = (apiName: string, type: string) => ({ name: apiName, 'api-name': apiName, type });
  await succeed('/v1/column', [
    ...[column('number', 'integer'), column('text', 'string'), column('visits', 'integer-event')],
    column('always', 'integer-event'),
    { ...column('text', 'string'), dimension: 'other' },
  ]);
  const visits = [{ value: 1, date: '2016-01-02' }];
  await succeed('/v1/insert', {
    ...{ a: { number: 1, text: 'seen', visits }, b: { number: 2, text: 'hidden' } },
    c: { dimension: 'other', text: 'seen' },
  });
  const seen = { number: { equals: 1 } };
  const filters = {
    number: seen,
    visits: { visits: { equals: 1, between: ['2016-01-01', '2016-01-07'] } },
    'number and text': { number: { gt: 0 }, text: { equals: 'seen' } },
  };
  const keys = new Map<string, string>();
  for (const [what, conditions] of Object.entries(filters)) {
    const body = {
      'database-name': name,
      'custom-database-key': { 'key-name': what, 'key-type': 'write-read', filter: { default: conditions } },
    };
    const path = '/v1/database/custom_key';
    keys.set(what, (await client.succeed<{ readonly key: string }>({ path, key: team, body })).key);
  }
  const everyone = [{ 'entity-id': { 'not-equals': 'x' } }];
  const always = { always: { equals: 1, between: ['2016-01-01', '2016-01-07'] } };
  const saved = { type: 'count/entity', query: everyone };
  await succeed('/v1/query/saved', { ...saved, name: 'everyone' });
  await succeed('/v1/query/saved', { ...saved, name: 'remembered', 'cache-period': 600 });
  /** Requests of every kind that read or change rows. The last two would find rows that no filter hides. */
  const requests: Readonly<Record<string, Omit<ApiRequest, 'key'>>> = {
    count: { path: COUNT, body: { 'query-name': 'q', query: everyone } },
    'count in a list': {
      path: COUNT,
      body: [
        { 'query-name': 'p', dimension: 'other', query: everyone },
        { 'query-name': 'q', query: everyone },
      ],
    },
    total: { path: TOTAL, body: { dimensions: ['default'] } },
    'total of all': { path: TOTAL, method: 'GET' },
    exists: { path: EXISTS, body: { ids: ['a'] } },
    events: { path: '/v1/query/count/event', body: { 'query-name': 'q', query: [always] } },
    'events by day': {
      path: '/v1/query/count/event',
      body: { 'query-name': 'q', query: [always], interval: 'days' },
    },
    aggregation: { path: '/v1/query/aggregation', body: { query: [{ 'entity-id': 5 }] } },
    metric: { path: '/v1/query/aggregation', body: { filter: everyone, query: [{ 'entity-id': 'count' }] } },
    'top values': { path: '/v1/query/top_values', body: { q: { 'entity-id': 5 } } },
    rows: { path: '/v1/data_extraction/result', body: { query: everyone, columns: ['entity-id'] } },
    score: { path: '/v1/data_extraction/score', body: { query: everyone, columns: 'all' } },
    'a saved query': { path: '/v1/query/saved/everyone', method: 'GET' },
    'a saved query that may be remembered': { path: '/v1/query/saved/remembered', method: 'GET' },
    update: {
      path: '/v1/update',
      body: { query: [{ 'entity-id': { equals: 'x' } }], set: { text: 'changed' } },
    },
    delete: { path: '/v1/delete', body: { query: [{ 'entity-id': { equals: 'x' } }] } },
  };
  const expect = async (expected: Readonly<Record<string, number | null>>, when: string): Promise<void> => {
    for (const [what, code] of Object.entries(expected)) {
      const key = keys.get(what);
      for (const [request, sent] of Object.entries(requests)) {
        // A key that may not run a saved query does not see it.
        const refusal = sent.path.startsWith('/v1/query/saved/') ? 4023 : code;
        t.strictSame(
          await codesOf({ ...sent, key }),
          code === null ? [] : [refusal],
          `${what}, ${when}: ${request}`,
        );
      }
      const other = { path: TOTAL, body: { dimensions: ['other'] }, key };
      t.strictSame(await codesOf(other), [], `${what}, ${when}: another dimension`);
      const insert = { path: '/v1/insert', body: { d: { text: 'new' } }, key };
      t.strictSame(await codesOf(insert), [], `${what}, ${when}: an insert is not filtered`);
    }
  };
  const fits = { number: null, visits: null, 'number and text': null };
  await expect(fits, 'as made');
  await succeed('/v1/column', { 'api-name': 'number', active: false }, 'PUT');
  await expect({ ...fits, number: 506, 'number and text': 506 }, 'number put aside');
  await server.restart('kill -9');
  await expect({ ...fits, number: 506, 'number and text': 506 }, 'number put aside, after a kill');
  await succeed('/v1/column', { 'api-name': 'number', active: true }, 'PUT');
  await expect(fits, 'number taken up');
  await succeed('/v1/column', { 'api-name': 'text' }, 'DELETE');
  await succeed('/v1/column', column('text', 'string'));
  await succeed('/v1/column', { 'api-name': 'visits' }, 'DELETE');
  await succeed('/v1/column', { 'api-name': 'number' }, 'DELETE');
  const none = { number: 506, visits: 506, 'number and text': 506 };
  await expect(none, 'columns deleted');
  await server.restart('clean');
  await expect(none, 'columns deleted, after a restart');
  await succeed('/v1/column', [column('number', 'string'), column('visits', 'string')]);
  await expect({ visits: 506, 'number and text': 506 }, 'columns of other types made');
  for (const apiName of ['number', 'visits']) await succeed('/v1/column', { 'api-name': apiName }, 'DELETE');
  await succeed('/v1/column', [column('number', 'integer'), column('visits', 'integer-event')]);
  await expect(fits, 'columns made anew');
  for (const key of keys.values()) {
    const total = await server.client.succeed({ path: TOTAL, key, body: { dimensions: ['default'] } });
    t.match(total, { result: { total: 0 } }, 'columns created again have no value that a filter admits');
  }
});

// Whitelists

/** Names of the columns of a query list. */
function columnsOf(query: Json): string[] {
  if (Array.isArray(query)) return query.flatMap(columnsOf);
  if (!(query instanceof Map)) return [];
  const [name] = [...query.keys()].filter((key) => key !== 'minfreq');
  return name === 'freqgroup' ? columnsOf(query.get(name) as Json) : [name];
}

/** The columns that a body names, as `dimension column`. */
function namesIn(kind: string, body: Json): string[] {
  const inQuery = (object: JsonObject): string[] => {
    const set = (object.get('set') ?? new Map()) as JsonObject;
    return [...columnsOf(object.get('query') as Json), ...set.keys()].map(
      (column) => `${object.get('dimension') ?? 'default'} ${column}`,
    );
  };
  if (kind !== 'insert') return ((Array.isArray(body) ? body : [body]) as JsonObject[]).flatMap(inQuery);
  return [...(body as JsonObject).values()].flatMap((fields) =>
    [...(fields as JsonObject).keys()]
      .filter((column) => column !== 'dimension')
      .map((column) => `${(fields as JsonObject).get('dimension') ?? 'default'} ${column}`),
  );
}

t.test('a key with a whitelist gets 506 for every other column, and for no column in it', async (t) => {
  const prng = new Prng(SEED + 1);
  const { client, team } = server;
  const schema = generateSchema(prng);
  const { name, master } = await makeDatabase(client, team, 'whitelists');
  const model = new RowModel();
  model.createColumns(schema.body);
  await client.succeed({ path: '/v1/column', key: master, text: jsonText(schema.body) });
  const related = ['left', 'right'].map((column) => ({ name: column, type: 'integer-event' }));
  await client.succeed({ path: '/v1/column', key: master, body: related });
  const relation = { name: 'pair', columns: ['left', 'right'] };
  await client.succeed({ path: '/v1/column/relation', key: master, body: relation });
  const tally = { granted: 0, refused: 0 };
  for (const share of [0, 0.3, 0.6, 0.9]) {
    const allowed = schema.columns.filter(
      ({ apiName }) => (share > 0 && apiName === 'string') || prng.chance(share),
    );
    const isAllowed = new Set(allowed.map(({ dimension, apiName }) => `${dimension} ${apiName}`));
    const listOf = (dimension: string): string[] =>
      allowed.filter((column) => column.dimension === dimension).map(({ apiName }) => apiName);
    const whitelist = jsonObject({ default: [...listOf('default'), 'left'], second: listOf('second') });
    const fields = { 'key-name': `${share}`, 'key-type': 'write-read', 'columns-whitelist': whitelist };
    const key = await makeKey(client, team, name, fields);
    const inside: GeneratedSchema = {
      columns: allowed,
      dimensions: schema.dimensions.filter((dimension) => listOf(dimension).length > 0),
      body: [],
    };
    const wrong: string[] = [];
    for (let requestCount = 0; requestCount < REQUESTS * 2; requestCount++) {
      const from = share > 0 && prng.chance(0.6) ? inside : schema;
      const bodies = {
        count: () => generateCountBody(prng, from, OPTIONS),
        update: () => generateUpdate(prng, from, OPTIONS),
        delete: () => generateDelete(prng, from, OPTIONS),
        insert: () =>
          generateInsert(prng, from, { entityCount: prng.between(1, 6), idCount: ID_COUNT, undated: 0 }),
      };
      const kind = prng.pick(['count', 'update', 'delete', 'insert', 'insert'] as const);
      const body = bodies[kind]();
      const path = kind === 'count' ? COUNT : `/v1/${kind}`;
      const grants = namesIn(kind, body).every(
        (column) => column.endsWith(' entity-id') || isAllowed.has(column),
      );
      const found = await client.request({ path, key, text: jsonText(body) });
      const codes = ((found.body as { errors?: { code: number }[] }).errors ?? []).map(({ code }) => code);
      const isRight = grants
        ? found.status === 200
        : found.status === 403 && codes.length > 0 && codes.every((code) => code === 506);
      if (!isRight) wrong.push(`${grants ? 'not granted' : 'granted'} ${kind} ${jsonText(body)}: ${codes}`);
      if (grants && kind !== 'count') model[kind](body as JsonObject, 0);
      tally[grants ? 'granted' : 'refused']++;
    }
    t.strictSame(wrong.slice(0, 2), []);
    const ids = Array.from({ length: 40 }, () => generateId(prng, ID_COUNT));
    const exists = { path: EXISTS, key, text: jsonText(jsonObject({ ids })) };
    const there = ids.filter((_, index) => model.exists(ids)[index]);
    t.match(await client.succeed(exists), { exists: there }, 'exists names no column');
    t.match(await client.succeed({ path: TOTAL, key }), { result: { total: model.total() } });
    const listed = await client.succeed<Record<string, { active: { 'api-name': string }[] }>>({
      path: '/v1/column',
      key,
    });
    for (const dimension of schema.dimensions) {
      const names = listed[dimension].active.map((column) => column['api-name']);
      const left = dimension === 'default' ? ['left'] : [];
      t.strictSame(names.sort(), ['entity-id', ...listOf(dimension), ...left].sort());
    }
    const relations = JSON.stringify(await client.succeed({ path: '/v1/column/relation', key }));
    t.match(relations, '"left"');
    t.notMatch(relations, '"right"');
    const create = { path: '/v1/insert', key, body: { 'auto-create': ['column'], x: { more: 1 } } };
    t.strictSame(await codesOf(create), [505]);
  }
  t.ok(tally.granted > REQUESTS && tally.refused > REQUESTS, JSON.stringify(tally));
  const query = jsonObject({
    'query-name': 'q',
    query: ['not', jsonObject({ string: jsonObject({ equals: 'red' }) })],
  });
  const counted = await client.succeed({ path: COUNT, key: master, text: jsonText(query) });
  t.match(counted, { result: { q: model.count(query, 0).get('q') } }, 'a refused request changed nothing');
});

// Idempotency-Key

t.test('an Idempotency-Key of one key never answers for another key, endpoint or database', async (t) => {
  const { client, team } = server;
  const made = await makeDatabase(client, team, 'once');
  const other = await makeDatabase(client, team, 'once more');
  for (const { master } of [made, other]) {
    await client.succeed({ path: '/v1/column', key: master, body: [{ name: 'n', type: 'integer' }] });
    const rows = Array.from({ length: 10 }, (_, index) => [`e${index}`, { n: index }]);
    await client.succeed({ path: '/v1/insert', key: master, body: Object.fromEntries(rows) });
  }
  const make = (name: string, more: Readonly<Record<string, Json>>): Promise<string> =>
    makeKey(client, team, made.name, { 'key-name': name, 'key-type': 'write-read', ...more });
  const filter = (bound: number): Json =>
    jsonObject({ default: jsonObject({ n: jsonObject({ lt: num(bound) }) }) });
  const [three, five, blind, reader] = [
    await make('three', { filter: filter(3) }),
    await make('five', { filter: filter(5) }),
    await make('blind', { 'columns-whitelist': jsonObject({ default: [] }) }),
    await make('reader', { 'key-type': 'read-only' }),
  ];
  const body = { query: [{ 'entity-id': { 'not-equals': 'x' } }], set: { n: 0 } };
  const send = async (
    key: string,
    path: string,
    sent: object = body,
    idempotencyKey = 'the same',
  ): Promise<unknown> => {
    const headers = { 'idempotency-key': idempotencyKey };
    const { body: answer } = await server.client.request({ path, key, body: sent, headers });
    const { errors, result, 'inserted-entities': inserted } = answer as Record<string, unknown>;
    return errors === undefined
      ? (result ?? inserted)
      : (errors as { code: number }[]).map(({ code }) => code);
  };
  const answers = async (): Promise<unknown[]> => [
    await send(three, '/v1/update'),
    await send(five, '/v1/update'),
    await send(blind, '/v1/update'),
    await send(reader, '/v1/update'),
    await send('nobody', '/v1/update'),
    await send(made.master, '/v1/update'),
    await send(other.master, '/v1/update'),
    await send(three, '/v1/insert', { new: { n: 1 } }),
    await send(blind, '/v1/insert', { new: { n: 1 } }),
    await send(three, '/v1/delete', { query: body.query }),
    await send(five, '/v1/delete', { query: body.query }),
    await send(made.master, '/v1/delete', { query: body.query }),
    await send(three, '/v1/update', { ...body, set: { n: 1 } }),
    await send(five, '/v1/delete', { query: [{ 'entity-id': { equals: 'e1' } }] }),
  ];
  const expected = [
    ...[{ updated: 3 }, { updated: 5 }, [506], [507], [502], { updated: 10 }, { updated: 10 }],
    ...[1, [506], { deleted: 11 }, { deleted: 0 }, { deleted: 0 }, [9001], [9001]],
  ];
  t.strictSame(await answers(), expected, 'initially');
  t.strictSame(await answers(), expected, 'again');
  await server.restart('kill -9');
  t.strictSame(await answers(), expected, 'after a kill');
  await server.restart('clean');
  t.strictSame(await answers(), expected, 'after a restart');
  const total = await server.client.succeed({ path: TOTAL, key: made.master });
  t.match(total, { result: { total: 0 } }, 'the deleted entity was not inserted again');
});
