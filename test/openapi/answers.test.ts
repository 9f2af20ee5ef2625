/**
 * Checks the requests and answers of a real server against the document: each endpoint over a socket, and many more
 * bodies, valid and damaged, without sockets. To repeat a run: node dist/test/openapi/answers.test.js --seed 1 --bodies
 * 20000
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { ENDPOINTS } from '../../src/http/endpoints/endpoints.js';
import { BODIES, MODEL, QUERY_NAME } from '../conformance/codes/codes-bodies.js';
import { startCodesServer } from '../conformance/codes/codes-server.js';
import { hostileArb, makeWorld } from '../fuzz/bodies.js';
import { type ValidRequest, validRequests } from '../fuzz/grammar.js';
import { InProcessServer } from '../fuzz/in-process-server.js';
import type { ApiRequest } from '../support/json-client.js';
import { Checker, sentDocument } from './checker.js';

const { values: value } = parseArgs({
  options: {
    bodies: { type: 'string', default: '800' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [BODY_COUNT, SEED] = [Number(value.bodies), Number(value.seed)];
t.comment(`seed ${SEED}, ${BODY_COUNT} bodies`);
t.setTimeout(240_000 + BODY_COUNT * 20);

const checker = new Checker(sentDocument());

t.test('every success and every refusal of an endpoint matches the document', async (t) => {
  const site = await startCodesServer(t);
  const { client, keys } = site;
  for (const request of MODEL) await client.succeed(request);
  const checkAnswer = async (request: ApiRequest, verb: string, wanted: 200 | 'refused'): Promise<void> => {
    const { status, body } = await client.request(request);
    const operation = `${verb} ${request.path}`;
    t.equal(checker.answer(verb, request.path, status, body), null, `${operation} ${status}`);
    t.equal(status === 200, wanted === 200, `${operation}: ${JSON.stringify(body).slice(0, 200)}`);
  };
  const saved: ApiRequest = {
    path: '/v1/query/saved',
    body: { name: QUERY_NAME, type: 'count/entity', query: [{ name: { equals: 'ann' } }] },
  };
  const segment: ApiRequest = { path: '/v1/segment', body: { name: QUERY_NAME, ids: ['e1'] } };
  // Bodies of records are answered with lines: see the next test.
  for (const { method, path, scope, isLive } of ENDPOINTS.filter(({ takesRecords }) => !takesRecords)) {
    const { body, before = [] } = BODIES[`${method} ${path}`] ?? {};
    const key = scope === 'database' ? keys.master : keys.team;
    const at = path.replace(/:\w+/, QUERY_NAME);
    const asSql = path === '/v1/sql';
    const headers = asSql ? { 'content-type': 'application/sql' } : undefined;
    const text = asSql ? 'SELECT name, age FROM [default]' : undefined;
    if (at !== path) await client.request(path.includes(':segment_name') ? segment : saved);
    for (const request of before) await client.request({ ...request, key });
    const sent: ApiRequest = {
      method,
      path: at,
      key,
      body,
      headers,
      ...(text === undefined ? {} : { text }),
    };
    // A stream of answers has no end: see test/http/live.
    if (!isLive) await checkAnswer(sent, method, 200);
    if (scope !== 'open') await checkAnswer({ ...sent, key: 'nobody' }, method, 'refused');
    if (body === undefined && !asSql) continue;
    await checkAnswer({ ...sent, headers: { 'content-type': 'text/html' } }, method, 'refused');
    if (body !== undefined) await checkAnswer({ ...sent, body: 5 }, method, 'refused');
  }
});

t.test('answers to SQL and to lines match the document', async (t) => {
  const { client, keys } = await startCodesServer(t);
  for (const request of MODEL) await client.succeed(request);
  const statements = [
    'SELECT COUNT(*) FROM [default]; SELECT name FROM [default]',
    'EXPLAIN ANALYZE SELECT name FROM [default]',
    "INSERT INTO [default] ([entity-id], name) VALUES ('s1', 'x')",
    "UPDATE [default] SET age = 5 WHERE [entity-id] = 's1'",
    "INSERT INTO [default] ([entity-id], name) VALUES ('s2', 'x'); DELETE FROM [default] WHERE [entity-id] = 's1'",
    'SELECT nothing FROM [default]',
  ];
  for (const text of statements) {
    const { status, body } = await client.request({
      path: '/v1/sql',
      text,
      headers: { 'content-type': 'application/sql' },
    });
    t.equal(checker.answer('POST', '/v1/sql', status, body), null, text);
  }
  const schemaOf = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const lines = ['{"id": "l1", "name": "x"}', '{"id": "l2", "age": "no number"}'];
  for (const [index, line] of lines.entries()) {
    t.equal(checker.fault(schemaOf('Line'), JSON.parse(line)), null);
    const { status, body } = await client.request({
      path: '/v1/insert',
      text: line,
      key: keys.master,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    t.equal(status, [200, 400][index]);
    t.equal(checker.fault(schemaOf('PartAnswer'), body), null, JSON.stringify(body));
  }
  for (const [id, wanted] of [
    ['name', 200],
    ['user', 400],
  ] as const) {
    const { status, body } = await client.request({
      path: `/v1/insert/lines?id=${id}`,
      text: 'name,age\r\nx,5\r\n',
      key: keys.master,
      headers: { 'content-type': 'text/csv' },
    });
    t.equal(status, wanted);
    t.equal(checker.fault(schemaOf('PartAnswer'), body), null, JSON.stringify(body));
  }
  const refused = await client.request({ path: '/v1/insert/lines', text: '', key: keys.master });
  t.equal(checker.answer('POST', '/v1/insert/lines', refused.status, refused.body), null);
  t.equal(refused.status, 400, 'without an ID');
});

/** A body in the form that its schema describes; undefined if it is not JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

t.test('accepted bodies match the schemas, and bodies that do not match are refused', async (t) => {
  const server = await InProcessServer.open(await makeWorld(SEED), SEED, 2);
  t.teardown(() => server.close());
  const counts = { accepted: 0, refused: 0, bySchema: 0 };
  const faults: string[] = [];
  const check = async ({ method, path, who }: ValidRequest, bytes: Uint8Array): Promise<void> => {
    const answer = await server.request({ method, path, key: server.keys[who], body: bytes });
    if (answer === null) throw new Error(`no answer of ${method} ${path}`);
    const { status } = answer;
    const body = parsed(bytes);
    const mayBeEmpty = checker.operation(method, path).requestBody?.required === false;
    const isLeftOut = mayBeEmpty && bytes.length === 0;
    const wrong = body === undefined && !isLeftOut ? 'no JSON' : checker.request(method, path, body ?? {});
    const operation = `${method} ${path}`;
    if (status === 200) counts.accepted++;
    else counts.refused++;
    if (wrong !== null && status !== 200) counts.bySchema++;
    if (wrong !== null && status === 200) faults.push(`${operation} was accepted, but ${wrong}`);
    const strange = checker.answer(method, path, status, JSON.parse(answer.body.toString('utf8')));
    if (strange !== null) faults.push(`${operation} answered ${strange}`);
  };
  const options = { seed: SEED, numRuns: BODY_COUNT };
  for (const request of fc.sample(validRequests(), options)) {
    for (const { method, path, body } of request.before) {
      const bytes = Buffer.from(JSON.stringify(body ?? {}));
      await server.request({ method: method ?? 'POST', path, key: server.keys[request.who], body: bytes });
    }
    await check(request, Buffer.from(JSON.stringify(request.body)));
  }
  for (const request of fc.sample(hostileArb, options)) await check(request, request.bytes);
  t.strictSame([...new Set(faults)].slice(0, 8), []);
  t.comment(JSON.stringify(counts));
  t.ok(counts.accepted > BODY_COUNT / 5, 'many bodies are accepted');
  t.ok(counts.bySchema > BODY_COUNT / 20, 'the schemas refuse many bodies');
});
