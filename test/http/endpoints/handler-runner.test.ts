import t, { type Test } from 'tap';
import { type CatalogChange, type CustomKey, hashOfKey } from '../../../src/catalog/index.js';
import { ENDPOINTS, type Endpoint } from '../../../src/http/endpoints/endpoints.js';
import type { DatabaseCall, TeamCall } from '../../../src/http/endpoints/handlers/handler.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import {
  codeOf,
  type Front,
  RawConnection,
  type Reply,
  requestBytes,
  sendRequest,
  startFront,
  type TestRequest,
} from '../harness.js';

const CUSTOM: CustomKey = {
  kind: 'custom',
  hash: hashOfKey('mine'),
  databaseId: DATABASE_ID,
  name: 'mine',
  level: 'write-read',
  description: '',
  columnsWhitelist: null,
  filter: [],
  addressesWhitelist: [],
};

const HEADERS = { Authorization: 'mine', 'Content-Type': 'application/json' };
const COUNT: TestRequest = { path: '/v1/query/count/entity', headers: HEADERS, body: '{}' };

/** A front end whose handlers record their calls. */
async function startKeeping(
  t: Test,
  lookUpHost?: (host: string) => Promise<readonly string[]>,
): Promise<{ front: Front; calls: DatabaseCall[]; teamCalls: TeamCall[] }> {
  const calls: DatabaseCall[] = [];
  const teamCalls: TeamCall[] = [];
  const keeping = (endpoint: Endpoint): Endpoint => {
    if (endpoint.scope === 'open') return endpoint;
    if (endpoint.scope === 'team') {
      return { ...endpoint, handler: (call: TeamCall) => `"calls":${teamCalls.push(call)}` };
    }
    return { ...endpoint, handler: (call: DatabaseCall) => `"calls":${calls.push(call)}` };
  };
  const front = await startFront(
    t,
    {},
    { endpoints: ENDPOINTS.map(keeping), ...(lookUpHost && { lookUpHost }) },
  );
  front.engine.apply({ change: 'key-created', key: CUSTOM });
  return { front, calls, teamCalls };
}

/** Sends a request and runs `meanwhile` before its last byte. */
async function slowly(front: Front, request: TestRequest, meanwhile: () => void): Promise<Reply> {
  const connection = await RawConnection.open(front.httpsPort, true);
  const bytes = requestBytes(request);
  const { notedRequests } = front.engine;
  const before = notedRequests.length;
  connection.write(bytes.subarray(0, bytes.length - 1));
  while (notedRequests.length === before) await new Promise((resolve) => setImmediate(resolve));
  meanwhile();
  connection.write(bytes.subarray(bytes.length - 1));
  const reply = await connection.reply();
  connection.socket.destroy();
  return reply;
}

t.test('changes that are made while the body arrives apply to the call', async (t) => {
  const { front, calls } = await startKeeping(t);
  const { engine } = front;
  const cases: readonly (readonly [what: string, changes: readonly CatalogChange[], code: number])[] = [
    ['the key was deleted', [{ change: 'key-deleted', hash: CUSTOM.hash }], 502],
    [
      'the level of the key was lowered',
      [{ change: 'key-changed', key: { ...CUSTOM, level: 'write-only' } }],
      507,
    ],
    ['the account was closed', [{ change: 'account-set', state: 'disabled' }], 1003],
    ['the database was deleted', [{ change: 'database-deleted', databaseId: DATABASE_ID }], 502],
  ];
  for (const [what, changes, code] of cases) {
    const reply = await slowly(front, COUNT, () => engine.apply(...changes));
    t.equal(codeOf(reply), code, what);
    if (code === 502 && what === 'the database was deleted') break;
    engine.apply({ change: 'key-changed', key: CUSTOM }, { change: 'account-set', state: 'active' });
  }
  t.equal(calls.length, 0);
});

t.test('a call uses the catalog, model and access of the turn in which it starts', async (t) => {
  const { front, calls } = await startKeeping(t);
  const { engine } = front;
  const filter = [{ dimension: 'default', conditions: '{"entity-id":{"equals":"x"}}' }];
  const reply = await slowly(front, COUNT, () => {
    engine.apply(
      { change: 'database-created', id: 9, name: 'nine', type: 'test' },
      { change: 'key-changed', key: { ...CUSTOM, filter, columnsWhitelist: [] } },
    );
  });
  t.equal(reply.status, 200);
  const [{ catalog, model, access, caller, databaseId, nowMs }] = calls;
  t.equal(catalog, engine.catalog());
  t.equal(model, engine.catalog().databases.get(DATABASE_ID));
  t.equal(caller, engine.catalog().keys.get(CUSTOM.hash));
  t.equal(databaseId, DATABASE_ID);
  t.not(access.columnIds(model), null);
  const dimension = model.dimensions.get('default');
  t.not(dimension === undefined || access.restrict(dimension, null, nowMs), null);
  await sendRequest(front, COUNT);
  t.equal(calls[1].access, access, 'access is computed once per key');
});

t.test('an admitted request is counted once for its database, as a query or not', async (t) => {
  const { front } = await startKeeping(t);
  await sendRequest(front, COUNT);
  await sendRequest(front, { path: '/v1/dimension', headers: HEADERS });
  await sendRequest(front, { ...COUNT, headers: { ...HEADERS, Authorization: KEYS.write } });
  await sendRequest(front, {
    path: '/v1/users',
    headers: { ...HEADERS, Authorization: KEYS.team },
    body: '{}',
  });
  t.strictSame(front.engine.notedRequests, [
    { databaseId: DATABASE_ID, isQuery: true },
    { databaseId: DATABASE_ID, isQuery: false },
  ]);
});

t.test('the name in a path is decoded; a name that cannot be decoded is passed unchanged', async (t) => {
  const { front, calls } = await startKeeping(t);
  for (const name of ['my-query', 'a%20b%2Fc%C3%A9', 'a%zz', 'x/']) {
    await sendRequest(front, { path: `/v1/query/saved/${name}`, headers: HEADERS });
  }
  await sendRequest(front, { path: '/v1/query/saved', headers: HEADERS });
  t.strictSame(
    calls.map(({ pathName }) => pathName),
    ['my-query', 'a b/c\u00e9', 'a%zz', 'x', ''],
  );
});

t.test('a handler can wait for the lookup of the host names that it just set', async (t) => {
  const { front, teamCalls } = await startKeeping(t, async () => ['127.0.0.1']);
  await sendRequest(front, {
    path: '/v1/users',
    headers: { ...HEADERS, Authorization: KEYS.team },
    body: '{}',
  });
  const key = { ...CUSTOM, addressesWhitelist: ['office.example'] };
  front.engine.apply({ change: 'key-changed', key });
  await teamCalls[0].addressesResolved();
  t.equal((await sendRequest(front, COUNT)).status, 200);
  t.equal(teamCalls[0].randomBytes(3).length, 3);
});

t.test('a waiting request whose key is revoked changes nothing', async (t) => {
  const front = await startFront(t);
  const headers = { Authorization: KEYS.team, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email: 'late@example.org', password: 'correct horse' });
  // Hashing the password takes a tenth of a second or more.
  const response = sendRequest(front, { path: '/v1/users', headers, body });
  await new Promise((resolve) => setTimeout(resolve, 30));
  front.engine.apply({ change: 'key-deleted', hash: hashOfKey(KEYS.team) });
  t.equal(codeOf(await response), 502);
  t.equal(front.engine.catalog().users.size, 0);
});
