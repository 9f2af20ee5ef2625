import t from 'tap';
import { customKeysOf, hashOfKey } from '../../../../src/catalog/index.js';
import {
  handleChangeCustomKey,
  handleCreateCustomKey,
  handleDeleteCustomKey,
  handleListCustomKeys,
} from '../../../../src/http/endpoints/handlers/custom-key.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';
import { answerTo, mentions, teamCallOf, userIn } from '../../team-call.js';

const bodyOf = (key: object) => ({ 'database-name': 'quarry', 'custom-database-key': key });
const NEW = bodyOf({ 'key-name': '__proto__', 'key-type': 'read-only' });

t.test('a custom key keeps its text from creation to deletion', async (t) => {
  const engine = new FakeEngine();
  const created = (await answerTo(handleCreateCustomKey, teamCallOf(engine, NEW))) as Record<string, unknown>;
  t.strictSame(Object.keys(created), ['custom-keys', 'key']);
  t.strictSame(created['custom-keys'], ['__proto__']);
  const text = String(created.key);
  t.match(engine.catalog().keys.get(hashOfKey(text)), {
    kind: 'custom',
    level: 'read-only',
    databaseId: DATABASE_ID,
  });
  t.equal(mentions(engine.catalog(), text), false);
  await t.rejects(answerTo(handleCreateCustomKey, teamCallOf(engine, NEW)), { code: 8003 });
  const lastUsedMs = (hash: string): number | null => (hash === hashOfKey(text) ? 0 : null);
  t.match(await answerTo(handleListCustomKeys, { ...teamCallOf(engine), lastUsedMs }), {
    'custom-keys': ['__proto__'],
    databases: { quarry: ['__proto__'] },
    keys: [{ 'key-type': 'read-only', 'last-used': '1970-01-01T00:00:00.000Z' }],
  });
  const change = bodyOf({ 'key-name': '__proto__', 'new-key-name': 'ours', 'key-type': 'write-read' });
  t.strictSame(await answerTo(handleChangeCustomKey, teamCallOf(engine, change)), {
    'custom-keys': ['ours'],
  });
  t.match(engine.catalog().keys.get(hashOfKey(text)), { name: 'ours', level: 'write-read' });
  const deletion = bodyOf({ 'key-name': 'ours' });
  t.strictSame(await answerTo(handleDeleteCustomKey, teamCallOf(engine, deletion)), {
    'custom-keys': ['ours'],
  });
  t.equal(customKeysOf(engine.catalog(), DATABASE_ID).size, 0);
  await t.rejects(answerTo(handleDeleteCustomKey, teamCallOf(engine, deletion)), { code: 8004 });
});

t.test('only one of two concurrent requests with the same name creates the key', async (t) => {
  const engine = new FakeEngine();
  const settled = await Promise.allSettled([0, 1].map(() => handleCreateCustomKey(teamCallOf(engine, NEW))));
  t.strictSame(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

t.test('an answer waits for the lookup of new host names, and for nothing else', async (t) => {
  const engine = new FakeEngine();
  let waited = 0;
  const addressesResolved = async (): Promise<void> => {
    waited++;
  };
  const send = (handler: typeof handleCreateCustomKey, key: object) =>
    handler(teamCallOf(engine, bodyOf(key), { addressesResolved }));
  const key = { 'key-name': 'k', 'key-type': 'read-only' };
  await send(handleCreateCustomKey, { ...key, 'addresses-whitelist': ['10.0.0.1'] });
  t.equal(waited, 0);
  await send(handleCreateCustomKey, { ...key, 'key-name': 'l', 'addresses-whitelist': ['office.example'] });
  await send(handleChangeCustomKey, { 'key-name': 'k', 'addresses-whitelist': ['office.example'] });
  t.equal(waited, 2);
  await send(handleDeleteCustomKey, { 'key-name': 'k' });
  t.equal(waited, 2);
});

t.test('a user reaches only the keys of the databases of the group', async (t) => {
  const engine = new FakeEngine();
  await handleCreateCustomKey(teamCallOf(engine, NEW));
  const caller = userIn(engine, []);
  t.strictSame(await answerTo(handleListCustomKeys, teamCallOf(engine, {}, { caller })), {
    ...{ 'custom-keys': [], databases: {}, keys: [] },
  });
  const other = bodyOf({ 'key-name': 'mine', 'key-type': 'write-read' });
  await t.rejects(answerTo(handleCreateCustomKey, teamCallOf(engine, other, { caller })), { code: 503 });
  for (const handler of [handleChangeCustomKey, handleDeleteCustomKey]) {
    await t.rejects(answerTo(handler, teamCallOf(engine, bodyOf({ 'key-name': '__proto__' }), { caller })), {
      code: 503,
    });
  }
  userIn(engine, [DATABASE_ID]);
  t.match(await answerTo(handleCreateCustomKey, teamCallOf(engine, other, { caller })), {
    'custom-keys': ['mine'],
  });
});
