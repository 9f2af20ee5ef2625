import t from 'tap';
import { hashOfKey } from '../../../src/catalog/index.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import { codeOf, type Front, sendRequest, startFront, type TestRequest } from '../harness.js';

const HEADERS = { Authorization: KEYS.write, 'Content-Type': 'application/json' };
const INSERT: TestRequest = { path: '/v1/insert', headers: HEADERS, body: '{}' };
const DELETE: TestRequest = {
  path: '/v1/delete',
  headers: HEADERS,
  body: '{"query":[{"entity-id":{"equals":"x"}}]}',
};

function withKey(request: TestRequest, text: string): TestRequest {
  return { ...request, headers: { ...request.headers, 'Idempotency-Key': text } };
}

/** The idempotency key that the engine got for the request. */
async function idempotencyIdOf(front: Front, request: TestRequest): Promise<string | null | undefined> {
  const { engine } = front;
  const { status, body } = await sendRequest(front, request);
  if (status !== 200) throw new Error(body);
  return request.path === '/v1/insert'
    ? engine.inserts.at(-1)?.request.idempotencyId
    : engine.mutations.at(-1)?.idempotency?.id;
}

t.test('the stored idempotency key depends only on the database, key, endpoint and header', async (t) => {
  const front = await startFront(t);
  const first = await idempotencyIdOf(front, withKey(INSERT, 'a'));
  t.match(first, /^[\w-]{43}$/);
  t.equal(
    await idempotencyIdOf(front, { ...withKey(INSERT, 'a'), body: '{"x":{}}', path: '/v1/insert' }),
    first,
  );
  t.equal(await idempotencyIdOf(front, { ...withKey(INSERT, 'a'), plain: true }), first);
  front.engine.apply(
    { change: 'database-created', id: 7, name: 'other', type: 'test' },
    { change: 'key-created', key: { kind: 'write', hash: hashOfKey('other'), databaseId: 7 } },
    { change: 'key-created', key: { kind: 'write', hash: hashOfKey('second'), databaseId: DATABASE_ID } },
  );
  const by = (key: string): TestRequest => ({ ...INSERT, headers: { ...HEADERS, Authorization: key } });
  const others = [
    await idempotencyIdOf(front, withKey(INSERT, 'A')),
    await idempotencyIdOf(front, withKey(INSERT, 'a"')),
    await idempotencyIdOf(front, withKey(by('other'), 'a')),
    await idempotencyIdOf(front, withKey(by('second'), 'a')),
    await idempotencyIdOf(front, withKey(DELETE, 'a')),
  ];
  t.equal(new Set([first, ...others]).size, 6);
  t.notMatch(others.join(), 'undefined');
  t.equal(await idempotencyIdOf(front, INSERT), null, 'a request without the header has no idempotency key');
});

t.test('the header has 1 to 255 printable ASCII characters and is checked only for writes', async (t) => {
  const front = await startFront(t);
  for (const text of ['x', 'a b~!', 'x'.repeat(255)]) {
    t.equal((await sendRequest(front, withKey(INSERT, text))).status, 200, text);
  }
  for (const text of ['', 'x'.repeat(256), 'caf\u00e9s', 'a\tb', 'a\u007fb']) {
    const reply = await sendRequest(front, withKey(INSERT, text));
    t.equal(codeOf(reply), 4049, JSON.stringify(text));
    t.match(reply.body, 'Idempotency-Key');
  }
  t.equal(front.engine.inserts.length, 3);
  const headers = { Authorization: KEYS.read, 'Content-Type': 'application/json' };
  const exists: TestRequest = { path: '/v1/query/exists/entity', headers, body: '{"ids":["a"]}' };
  t.equal((await sendRequest(front, withKey(exists, ''))).status, 200);
  t.equal(
    codeOf(await sendRequest(front, withKey({ ...INSERT, headers: { ...headers } }, ''))),
    503,
    'permissions are checked before the header',
  );
});
