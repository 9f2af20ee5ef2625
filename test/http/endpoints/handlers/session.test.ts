import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import { hashOfKey, propertiesOf } from '../../../../src/catalog/index.js';
import { PasswordHasher } from '../../../../src/http/auth/passwords.js';
import { permits, Sessions } from '../../../../src/http/auth/sessions.js';
import { SignInAttempts } from '../../../../src/http/auth/sign-in-attempts.js';
import { handleSignIn } from '../../../../src/http/endpoints/handlers/session.js';
import { type ProxyList, parseProxies, SPEC_LIMITS } from '../../../../src/http/index.js';
import { FakeEngine, KEYS } from '../../fake-engine.js';
import { codeOf, type Front, type Reply, sendRequest, startFront } from '../../harness.js';
import { answerTo, cheapHash, NOW_MS, openCallOf, quickHasher, userIn } from '../../team-call.js';

const EMAIL = 'ann@example.org';
const PASSWORD = 'correct horse';

/** Sessions with a fast hasher, and an engine with one user, whose group has one database. */
async function withAnn(databaseIds: readonly number[] = [1], attempts: SignInAttempts | null = null) {
  let calls = 0;
  const random = (count: number): Uint8Array => new Uint8Array(count).fill(++calls);
  const sessions = new Sessions(random, attempts, quickHasher());
  const engine = new FakeEngine();
  userIn(engine, databaseIds, await sessions.passwords.hash(PASSWORD, random));
  const signInWith = (more: object, nowMs = NOW_MS) =>
    answerTo(
      handleSignIn,
      openCallOf(engine, sessions, { email: EMAIL, password: PASSWORD, ...more }, nowMs),
    );
  return { sessions, engine, signInWith };
}

interface SignedIn {
  readonly 'session-key': string;
}

t.test('a sign-in is answered with a key, its expiry and its permissions', async (t) => {
  const { sessions, engine, signInWith } = await withAnn();
  const answer = (await signInWith({ email: 'ANN@example.org' })) as SignedIn;
  const { 'session-key': key, ...rest } = answer;
  t.strictSame(rest, {
    'expires-at': '2026-05-07T00:00:00.000Z',
    permissions: [12, 13, 16],
    databases: ['quarry'],
  });
  const caller = sessions.find(hashOfKey(key), NOW_MS);
  t.match(caller, { kind: 'user', email: EMAIL, databaseId: null });
  t.equal(caller !== null && permits(engine.catalog(), caller, 12, NOW_MS), true);
  const inside = (await signInWith({ 'database-name': 'quarry' })) as SignedIn;
  t.match(sessions.find(hashOfKey(inside['session-key']), NOW_MS), { databaseId: 1 });
});

t.test('a wrong email and a wrong password are refused with the same text', async (t) => {
  const { signInWith } = await withAnn();
  const refusals: unknown[] = [];
  for (const more of [
    { email: 'zzz@example.org' },
    { email: 'x' },
    { email: '' },
    { password: 'wrong' },
    { password: '' },
  ]) {
    await signInWith(more).catch((error: QuarryError) =>
      refusals.push([error.code, error.message, error.moreInfo]),
    );
  }
  t.strictSame(refusals, Array(5).fill([502, 'email or password is wrong', undefined]));
});

t.test('a database outside the group and a missing database are refused with the same text', async (t) => {
  const { signInWith } = await withAnn([]);
  for (const name of ['quarry', 'zzz', '']) {
    const wanted = new QuarryError(503, 'the user may not use this database');
    await t.rejects(signInWith({ 'database-name': name }), wanted);
  }
  await t.rejects(signInWith({ 'database-name': 'quarry', password: 'wrong' }), { code: 502 });
});

t.test('a user without a group gets this reason only if the password is right', async (t) => {
  const { engine, signInWith } = await withAnn();
  engine.apply({ change: 'group-deleted', groupId: 1 });
  await t.rejects(signInWith({}), { code: 503, message: 'the user is in no permission group' });
  await t.rejects(signInWith({ password: 'wrong' }), { code: 502 });
});

t.test('ten failures a minute bar an email in any letter case, also with the right password', async (t) => {
  let elapsedMs = 0;
  const { signInWith } = await withAnn([1], new SignInAttempts(() => elapsedMs));
  for (let index = 0; index < 30; index++) await signInWith({});
  for (let index = 0; index < 10; index++) await t.rejects(signInWith({ password: 'wrong' }), { code: 502 });
  await t.rejects(signInWith({ email: 'ANN@EXAMPLE.org' }), { code: 1502 });
  for (let index = 0; index < 10; index++) await t.rejects(signInWith({ email: 'no@body' }), { code: 502 });
  await t.rejects(signInWith({ email: 'no@body' }), { code: 1502 });
  elapsedMs = 60_000;
  t.type(((await signInWith({})) as SignedIn)['session-key'], 'string');
});

t.test('at most ten of the concurrent attempts are answered as failed', async (t) => {
  const { signInWith } = await withAnn([1], new SignInAttempts(() => 0));
  const codes = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      signInWith({ password: index < 39 ? 'wrong' : PASSWORD }).then(
        () => 200,
        (error: QuarryError) => error.code,
      ),
    ),
  );
  t.strictSame(
    codes,
    codes.map((_, index) => (index < 10 ? 502 : 1502)),
  );
  const { signInWith: signInAgain } = await withAnn([1], new SignInAttempts(() => 0));
  const all = await Promise.all(Array.from({ length: 40 }, () => signInAgain({})));
  t.equal(all.length, 40, 'all attempts with the right password sign in');
});

t.test(
  'a user who is deleted, or deleted and created again, during the password check cannot sign in',
  async (t) => {
    for (const madeAnew of [false, true]) {
      const { engine, signInWith } = await withAnn();
      const answer = signInWith({});
      engine.apply({ change: 'user-deleted', email: EMAIL });
      if (madeAnew) userIn(engine, [1], 'another');
      await t.rejects(answer, { code: 502 });
    }
  },
);

t.test('a key is invalid after its user was deleted, even if the user is created again', async (t) => {
  const { sessions, engine, signInWith } = await withAnn();
  const { 'session-key': key } = (await signInWith({})) as SignedIn;
  const caller = sessions.find(hashOfKey(key), NOW_MS);
  engine.apply({ change: 'user-deleted', email: EMAIL });
  userIn(engine, [1], 'another');
  t.match(caller !== null && permits(engine.catalog(), caller, 12, NOW_MS), 'the user was deleted');
});

t.test('a session over the server follows every change of its database, group and user', async (t) => {
  const front = await startFront(t);
  const { engine } = front;
  const passwordHash = await new PasswordHasher().hash(PASSWORD, randomBytes);
  userIn(engine, [1, 2], passwordHash);
  engine.apply({ change: 'database-created', id: 2, name: 'two', type: 'test' });
  const type = { 'Content-Type': 'application/json' };
  const keyFor = async (database: object): Promise<string> => {
    const body = JSON.stringify({ email: EMAIL, password: PASSWORD, ...database });
    const reply = await sendRequest(front, { path: '/v1/session', headers: type, body });
    return (JSON.parse(reply.body) as SignedIn)['session-key'];
  };
  const inTwo = await keyFor({ 'database-name': 'two' });
  const ofTeam = await keyFor({});
  const answers = async (): Promise<(number | string)[]> => {
    const found: (number | string)[] = [];
    for (const [key, path] of [
      [inTwo, '/v1/database'],
      [ofTeam, '/v1/database/retrieve_all'],
    ]) {
      const reply = await sendRequest(front, { path, headers: { Authorization: key } });
      if (reply.status !== 200) found.push(codeOf(reply));
      else
        found.push(
          [JSON.parse(reply.body)]
            .flat()
            .map(({ name }: { name: string }) => name)
            .join(),
        );
    }
    return found;
  };
  t.strictSame(await answers(), ['two', 'quarry,two']);
  const properties = propertiesOf(engine.catalog(), 2);
  engine.apply({ change: 'database-changed', databaseId: 2, name: 'deux', properties });
  t.strictSame(await answers(), ['deux', 'quarry,deux'], 'a renamed database');
  userIn(engine, [2], passwordHash);
  t.strictSame(await answers(), ['deux', 'deux'], 'a group with fewer databases');
  const before = engine.catalog();
  engine.apply({ change: 'group-deleted', groupId: 1 });
  t.strictSame(await answers(), [503, 503], 'a deleted group');
  engine.apply(...[...before.users.values()].map((user) => ({ change: 'user-set' as const, user })));
  t.strictSame(await answers(), [503, 503], 'a user in a deleted group');
  userIn(engine, [1, 2], passwordHash);
  t.strictSame(await answers(), ['deux', 'quarry,deux']);
  engine.apply({ change: 'database-deleted', databaseId: 2 });
  t.strictSame(await answers(), [502, 'quarry'], 'a deleted database');
  engine.apply({ change: 'database-created', id: 3, name: 'deux', type: 'test' });
  t.strictSame(await answers(), [502, 'quarry'], 'a new database of the same name is not in the group');
  engine.apply({ change: 'user-deleted', email: EMAIL });
  t.strictSame(await answers(), [502, 503], 'a deleted user');
});

t.test('a malformed body is refused before the attempt is counted or the password is hashed', async (t) => {
  const { sessions, engine } = await withAnn();
  for (let index = 0; index < 20; index++) {
    const call = openCallOf(engine, sessions, { email: EMAIL, password: 5 });
    await t.rejects(answerTo(handleSignIn, call), { code: 7050 });
  }
});

function proxiesOf(network: string): ProxyList {
  const proxies = parseProxies([network]);
  if ('bad' in proxies) throw new Error(proxies.bad);
  return proxies;
}

function signInFrom(front: Front, client: string, password: string): Promise<Reply> {
  const body = JSON.stringify({ email: EMAIL, password });
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': client };
  return sendRequest(front, { path: '/v1/session', headers, body });
}

t.test(
  'too many failures answer with the end of their window, and do not lock out other clients',
  async (t) => {
    let elapsedMs = 0;
    const settings = { limits: SPEC_LIMITS, proxies: proxiesOf('127.0.0.0/8') };
    const front = await startFront(t, settings, { elapsedMs: () => elapsedMs });
    userIn(front.engine, [1], cheapHash(PASSWORD));
    t.equal((await signInFrom(front, '192.0.2.1', PASSWORD)).status, 200, 'starts the minute of requests');
    elapsedMs = 30_000;
    for (let index = 0; index < 10; index++) {
      const reply = await signInFrom(front, '192.0.2.1', 'wrong');
      t.equal(codeOf(reply), 502);
      t.match(reply.headers, { 'ratelimit-limit': '60', 'ratelimit-reset': '30' });
    }
    elapsedMs = 45_000;
    const refused = await signInFrom(front, '192.0.2.1', PASSWORD);
    t.equal(codeOf(refused), 1502);
    t.match(refused.headers, {
      'retry-after': '45',
      'ratelimit-limit': '10',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '45',
    });
    t.equal((await signInFrom(front, '192.0.2.2', PASSWORD)).status, 200, 'the user, elsewhere');
  },
);

t.test('without limits no number of failures is answered with 1502', async (t) => {
  const front = await startFront(t);
  userIn(front.engine, [1], cheapHash(PASSWORD));
  for (let index = 0; index < 12; index++) {
    t.equal(codeOf(await signInFrom(front, '192.0.2.1', 'wrong')), 502);
  }
  t.equal((await signInFrom(front, '192.0.2.1', PASSWORD)).status, 200);
});

t.test(
  'signing in accepts 16 KiB, with or without Content-Length, and other endpoints accept more',
  async (t) => {
    const front = await startFront(t);
    const headers = { 'Content-Type': 'application/json' };
    const path = '/v1/session';
    const blank = (bytes: number): Buffer => Buffer.alloc(bytes, ' ');
    const chunked = (bytes: number): Buffer =>
      Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), blank(bytes), Buffer.from('\r\n0\r\n\r\n')]);
    const refusalOf = async (more: Record<string, string>, body: Uint8Array): Promise<string> => {
      const reply = await sendRequest(front, { path, headers: { ...headers, ...more }, body });
      return `${codeOf(reply)} ${JSON.parse(reply.body).errors[0].message}`;
    };
    const most = 16 * 1024;
    const inChunks = { 'Transfer-Encoding': 'chunked' };
    const packed = { 'Content-Encoding': 'gzip' };
    t.match(await refusalOf({}, blank(most)), /^1503 /);
    t.match(await refusalOf(inChunks, chunked(most)), /^1503 /);
    t.match(await refusalOf(packed, gzipSync(blank(most))), /^1503 /);
    t.equal(await refusalOf({}, blank(most + 1)), '1507 the body is larger than 16384 bytes');
    t.equal(await refusalOf(inChunks, chunked(most + 1)), '1507 the body is larger than 16384 bytes');
    t.equal(
      await refusalOf(packed, gzipSync(blank(most + 1))),
      '1507 the body is larger than 16384 bytes once decoded',
    );
    t.equal(
      await refusalOf({ 'Content-Length': '99999999999999' }, blank(1)),
      '1507 the body is larger than 16384 bytes',
    );
    const query = { path: '/v1/query/count/entity', body: blank(most + 1) };
    t.equal(
      codeOf(await sendRequest(front, { ...query, headers: { ...headers, Authorization: KEYS.read } })),
      1503,
    );
  },
);
