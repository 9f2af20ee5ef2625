import t from 'tap';
import { PasswordHasher } from '../../../../src/http/auth/passwords.js';
import {
  handleChangeUser,
  handleCreateUser,
  handleDeleteUser,
  handleListUsers,
} from '../../../../src/http/endpoints/handlers/user.js';
import { FakeEngine } from '../../fake-engine.js';
import { answerTo, mentions, quickHasher, teamCallOf } from '../../team-call.js';

const ANN = { email: 'Ann@example.org', password: 'correct horse' };

t.test('a user is created, changed and deleted, and the password is stored as a hash', async (t) => {
  const engine = new FakeEngine();
  t.strictSame(await answerTo(handleCreateUser, teamCallOf(engine, ANN)), { users: ['ann@example.org'] });
  const passwordHash = engine.catalog().users.get('ann@example.org')?.passwordHash ?? '';
  t.equal(await quickHasher().fits(ANN.password, passwordHash), true);
  t.equal(await quickHasher().fits('another one', passwordHash), false);
  t.equal(mentions(engine.catalog(), ANN.password), false);
  const change = { email: ANN.email, 'first-name': 'Ann' };
  t.strictSame(await answerTo(handleChangeUser, teamCallOf(engine, change)), { users: ['ann@example.org'] });
  const listed = await answerTo(handleListUsers, teamCallOf(engine));
  t.match(listed, { users: [{ email: 'ann@example.org', 'first-name': 'Ann' }] });
  t.notMatch(JSON.stringify(listed), passwordHash);
  t.match(engine.catalog().users.get('ann@example.org'), { firstName: 'Ann', passwordHash });
  t.strictSame(await answerTo(handleDeleteUser, teamCallOf(engine, { email: ANN.email })), {
    users: ['ann@example.org'],
  });
  t.equal(engine.catalog().users.size, 0);
});

t.test('a request that is refused for another reason hashes no password', async (t) => {
  const engine = new FakeEngine();
  await handleCreateUser(teamCallOf(engine, ANN));
  let hashed = 0;
  const passwords = new PasswordHasher(async () => {
    hashed++;
    return Buffer.alloc(32);
  });
  const bad = [
    ANN,
    { ...ANN, email: 'x' },
    { ...ANN, email: 'b@c', password: 'short' },
    { ...ANN, email: 'b@c', x: 1 },
  ];
  for (const body of bad) {
    await t.rejects(answerTo(handleCreateUser, { ...teamCallOf(engine, body), passwords }), { code: 7050 });
  }
  t.equal(hashed, 0);
});

t.test('only one of two concurrent requests with the same email creates the user', async (t) => {
  const engine = new FakeEngine();
  const settled = await Promise.allSettled([0, 1].map(() => handleCreateUser(teamCallOf(engine, ANN))));
  t.strictSame(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.equal(engine.catalog().users.size, 1);
});

t.test('a request is refused without effect while too many passwords are being hashed', async (t) => {
  const engine = new FakeEngine();
  const passwords = new PasswordHasher(() => new Promise(() => {}));
  for (let index = 0; index < 102; index++) void passwords.fits('x', null);
  await t.rejects(answerTo(handleCreateUser, { ...teamCallOf(engine, ANN), passwords }), { code: 9003 });
  t.equal(engine.catalog().users.size, 0);
});
