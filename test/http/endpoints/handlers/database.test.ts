import t from 'tap';
import { type ErrorCode, QuarryError } from '../../../../src/base/index.js';
import { databaseByName, hashOfKey, propertiesOf } from '../../../../src/catalog/index.js';
import {
  handleChangeDatabase,
  handleCreateDatabase,
  handleDeleteDatabase,
  handleDescribeDatabase,
  listDatabases,
} from '../../../../src/http/endpoints/handlers/database.js';
import { callOf } from '../../database-call.js';
import { FakeEngine, KEYS } from '../../fake-engine.js';
import { sendRequest, startFront } from '../../harness.js';
import { answerTo, mentions, teamCallOf, userIn } from '../../team-call.js';

const LOADS = { 'query-load': 'normal', 'insertion-load': 'high' };
const TEST_ONE = { name: 'Mine', type: 'test', ...LOADS };

t.test('a database and its keys exist from creation to deletion', async (t) => {
  const engine = new FakeEngine();
  const created = (await answerTo(handleCreateDatabase, teamCallOf(engine, { database: TEST_ONE }))) as {
    'database-name': string[];
    keys: Record<string, string>;
  };
  t.strictSame(created['database-name'], ['Mine']);
  t.strictSame(Object.keys(created.keys), ['master-key', 'write-key', 'read-key', 'demo-key']);
  t.equal(new Set(Object.values(created.keys)).size, 4, 'all keys differ');
  const { id } = databaseByName(engine.catalog(), 'Mine') ?? { id: 0 };
  for (const [name, text] of Object.entries(created.keys)) {
    const kind = name.slice(0, -'-key'.length);
    t.match(engine.catalog().keys.get(hashOfKey(text)), { kind, databaseId: id });
    t.equal(mentions(engine.catalog(), text), false, 'no key is stored in plain text');
  }
  const renaming = { database: { name: 'Mine', 'new-database-name': 'Yours' } };
  t.strictSame(await answerTo(handleChangeDatabase, teamCallOf(engine, renaming)), {
    'database-name': ['Yours'],
  });
  const deletion = { database: { name: 'Yours' } };
  t.strictSame(await answerTo(handleDeleteDatabase, teamCallOf(engine, deletion)), {
    'database-name': ['Yours'],
  });
  t.equal(engine.catalog().keys.size, 4, 'the keys of the team and of the first database remain');
  await t.rejects(answerTo(handleDeleteDatabase, teamCallOf(engine, deletion)), { code: 8002 });
});

t.test('only one of two concurrent requests with the same name creates the database', async (t) => {
  const engine = new FakeEngine();
  const both = [teamCallOf(engine, { database: TEST_ONE }), teamCallOf(engine, { database: TEST_ONE })];
  const settled = await Promise.allSettled(both.map((call) => handleCreateDatabase(call)));
  t.strictSame(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  t.match(settled[1], { reason: { code: 8001 } });
});

t.test('metadata is an object for the database and an array for the team', async (t) => {
  const engine = new FakeEngine();
  await handleCreateDatabase(teamCallOf(engine, { database: TEST_ONE }));
  const usage = {
    insertedEntityCount: 3,
    insertedValueCount: 4,
    updatedEntityCount: 5,
    day: 0,
    dayWriteCount: 6,
  };
  engine.usages.set(1, { requestCount: 1, queryCount: 2, ...usage });
  const first = (await answerTo(handleDescribeDatabase, callOf(engine, ''))) as Record<string, unknown>;
  t.match(first, {
    name: 'quarry',
    description: '',
    dimensions: ['default'],
    'created-at': '1970-01-01T00:00:00.000000',
    usage: { requests: 1, queries: 2, 'inserted-entities': 3, 'inserted-values': 4, 'writes-today': 6 },
  });
  const all = await answerTo(listDatabases, teamCallOf(engine));
  t.match(all, [first, { name: 'Mine', type: 'test', 'created-at': '2026-05-06T12:00:00.000000' }]);
  engine.apply({ change: 'database-deleted', databaseId: 1 }, { change: 'database-deleted', databaseId: 2 });
  t.equal(await listDatabases(teamCallOf(engine)), '[]');
});

t.test('a deletion that cannot be made durable is answered with 189', async (t) => {
  for (const code of [9002, 9003, 9004] as const satisfies readonly ErrorCode[]) {
    const engine = new FakeEngine();
    engine.change = () => Promise.reject(new QuarryError(code));
    const call = teamCallOf(engine, { database: { name: 'quarry' } });
    const wanted = { code: 189, message: 'request failed', moreInfo: 'database deletion request error' };
    await t.rejects(answerTo(handleDeleteDatabase, call), wanted);
  }
  const bug = new FakeEngine();
  bug.change = () => Promise.reject(new TypeError('a bug'));
  await t.rejects(
    answerTo(handleDeleteDatabase, teamCallOf(bug, { database: { name: 'quarry' } })),
    TypeError,
  );
});

t.test('through the server, 189 is HTTP 503 with more-info, and the database is still there', async (t) => {
  const front = await startFront(t);
  const headers = { Authorization: KEYS.team, 'Content-Type': 'application/json' };
  const deletion = (name: string) =>
    sendRequest(front, {
      method: 'DELETE',
      path: '/v1/database',
      headers,
      body: `{"database":{"name":"${name}"}}`,
    });
  const { change } = FakeEngine.prototype;
  for (const code of [9002, 9003, 9004] as const) {
    front.engine.change = () => Promise.reject(new QuarryError(code));
    const reply = await deletion('quarry');
    t.equal(reply.status, 503);
    t.match(reply.headers['retry-after'], /^\d+$/);
    t.strictSame(JSON.parse(reply.body), {
      errors: [{ code: 189, message: 'request failed', 'more-info': 'database deletion request error' }],
      status: 'error',
    });
  }
  front.engine.change = change;
  t.equal((await deletion('nowhere')).status, 400, 'an error of the client keeps its code');
  const reply = await deletion('quarry');
  t.equal(reply.status, 200);
  t.match(JSON.parse(reply.body), { status: 'success', 'database-name': ['quarry'] });
});

t.test('an answer waits for the lookup of new host names, and for nothing else', async (t) => {
  const engine = new FakeEngine();
  let waited = 0;
  const addressesResolved = async (): Promise<void> => {
    t.strictSame(
      propertiesOf(engine.catalog(), 1).addressesWhitelist,
      ['office.example', '::1'],
      'after the change',
    );
    waited++;
  };
  const change = (more: object) =>
    handleChangeDatabase(
      teamCallOf(engine, { database: { name: 'quarry' }, ...more }, { addressesResolved }),
    );
  await change({ 'addresses-whitelist': ['10.0.0.0/8', '::1'] });
  await change({});
  t.equal(waited, 0);
  await change({ 'addresses-whitelist': ['office.example', '::1'] });
  t.equal(waited, 1);
});

t.test('a user sees and changes only the databases of the group', async (t) => {
  const engine = new FakeEngine();
  await handleCreateDatabase(teamCallOf(engine, { database: TEST_ONE }));
  const caller = userIn(engine, [2]);
  t.match(await answerTo(listDatabases, teamCallOf(engine, {}, { caller })), [{ name: 'Mine' }]);
  const body = { database: { name: 'quarry' } };
  await t.rejects(answerTo(handleChangeDatabase, teamCallOf(engine, body, { caller })), { code: 503 });
  await t.rejects(answerTo(handleDeleteDatabase, teamCallOf(engine, body, { caller })), { code: 503 });
  t.not(databaseByName(engine.catalog(), 'quarry'), undefined);
  // The permissions of the group at the time of the change apply, not those at the time of admission.
  const late = teamCallOf(engine, { database: { name: 'Mine', description: 'x' } }, { caller });
  userIn(engine, []);
  await t.rejects(answerTo(handleChangeDatabase, late), { code: 503 });
});

t.test('a body that is not JSON changes nothing', async (t) => {
  const engine = new FakeEngine();
  const { version } = engine.catalog();
  for (const handler of [handleCreateDatabase, handleChangeDatabase, handleDeleteDatabase]) {
    const call = { ...teamCallOf(engine), body: new TextEncoder().encode('{') };
    await t.rejects(async () => handler(call), { code: 1503 });
  }
  t.equal(engine.catalog().version, version);
});
