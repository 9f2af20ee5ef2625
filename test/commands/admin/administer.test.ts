import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { hashOfKey, secretsOfKey, TEAM_PERMISSIONS } from '../../../src/catalog/index.js';
import {
  type AdminAnswer,
  type AdminRequest,
  DATABASE_KEY_KINDS,
} from '../../../src/commands/admin/admin-request.js';
import { administer } from '../../../src/commands/admin/administer.js';
import { SEED, setUp } from '../catalog-engine.js';

const idOf = (kind: string, text: string): string => `${kind}-${hashOfKey(text).slice(0, 8)}`;

t.test('the list names every key as the logs do, and contains neither its text nor its hash', async (t) => {
  const { engine, dependencies } = setUp();
  t.strictSame(await administer(dependencies, { do: 'list-keys' }), {
    answer: 'keys',
    keys: {
      team: [{ id: idOf('team', 'team'), name: 'first', permissions: ['list', 'update', 'delete'] }],
      databases: [
        {
          name: 'quarry',
          type: 'production',
          keys: [{ id: idOf('master', 'master') }, { id: idOf('read', 'read') }],
          custom: [],
        },
        {
          name: 'trial',
          type: 'test',
          keys: [{ id: idOf('master', 'master 2') }],
          custom: [{ id: idOf('custom', 'custom'), name: 'report', level: 'read-only' }],
        },
      ],
    },
  });
  t.strictSame(engine.records, []);
});

t.test(
  'a rotation is one record that creates the new key and revokes all earlier keys of its kind',
  async (t) => {
    const { engine, dependencies } = setUp();
    const before = engine.catalog().keys;
    const answer = await administer(dependencies, { do: 'rotate-key', kind: 'master', database: 'quarry' });
    if (answer.answer !== 'key') throw new Error(answer.answer);
    t.match(answer.text, /^[\w-]{43}$/);
    t.equal(answer.voided, 1);
    const secrets = secretsOfKey(answer.text);
    t.strictSame(engine.records, [
      [
        { change: 'key-created', key: { kind: 'master', ...secrets, databaseId: 1 } },
        { change: 'key-deleted', hash: hashOfKey('master') },
      ],
    ]);
    const after = new Map(before);
    after.delete(hashOfKey('master'));
    after.set(secrets.hash, { kind: 'master', ...secrets, databaseId: 1 });
    t.strictSame(engine.catalog().keys, after);
  },
);

t.test(
  'a rotation creates a key of a kind that the database lacks, but a demo key only in a test database',
  async (t) => {
    const { engine, dependencies } = setUp();
    t.match(await administer(dependencies, { do: 'rotate-key', kind: 'demo', database: 'trial' }), {
      answer: 'key',
      voided: 0,
    });
    t.match(await administer(dependencies, { do: 'rotate-key', kind: 'demo', database: 'quarry' }), {
      answer: 'refused',
      message: /type production: only databases of type test/,
    });
    t.match(await administer(dependencies, { do: 'rotate-key', kind: 'read', database: 'other' }), {
      answer: 'refused',
      message: 'there is no database named "other"',
    });
    t.equal(engine.records.length, 1);
  },
);

t.test('the last team key is deleted only with force', async (t) => {
  const { engine, dependencies } = setUp();
  t.match(await administer(dependencies, { do: 'delete-key', name: 'first', force: false }), {
    answer: 'refused',
    message: /"first" is the last team key.*--force/,
  });
  t.strictSame(engine.records, []);
  t.strictSame(await administer(dependencies, { do: 'delete-key', name: 'first', force: true }), {
    answer: 'deleted',
  });
  t.strictSame(engine.records, [[{ change: 'key-deleted', hash: hashOfKey('team') }]]);
});

t.test('the account state is shown and set, and setting the current state writes no record', async (t) => {
  const { engine, dependencies } = setUp();
  const account = async (state: 'active' | 'banned' | null): Promise<unknown> =>
    administer(dependencies, { do: 'account', state });
  t.strictSame(await account(null), { answer: 'account', state: 'active' });
  t.strictSame(await account('active'), { answer: 'account', state: 'active' });
  t.strictSame(engine.records, []);
  t.strictSame(await account('banned'), { answer: 'account', state: 'banned' });
  t.strictSame(await account(null), { answer: 'account', state: 'banned' });
  t.strictSame(engine.records, [[{ change: 'account-set', state: 'banned' }]]);
});

t.test('retention is shown, and only the first resume writes a record', async (t) => {
  const { engine, dependencies } = setUp();
  const retention = (resume: boolean): Promise<unknown> =>
    administer(dependencies, { do: 'retention', resume });
  t.strictSame(await retention(false), { answer: 'retention', suspended: false });
  t.strictSame(await retention(true), { answer: 'retention', suspended: false });
  t.strictSame(engine.records, [], 'no record is written while retention is active');
  await engine.change(() => ({ changes: [{ change: 'retention-set', suspended: true }], answer: null }));
  t.strictSame(await retention(false), { answer: 'retention', suspended: true });
  t.strictSame(await retention(true), { answer: 'retention', suspended: false });
  t.strictSame(await retention(false), { answer: 'retention', suspended: false });
  t.strictSame(engine.records.at(-1), [{ change: 'retention-set', suspended: false }]);
});

t.test('after random requests exactly the keys that were issued and not revoked are valid', async (t) => {
  const prng = new Prng(SEED);
  const { engine, dependencies } = setUp(SEED + 1);
  const names = ['first', 'a', 'b', 'c'];
  const team = new Map([['first', hashOfKey('team')]]);
  const ofDatabase = new Map([
    ['quarry master', hashOfKey('master')],
    ['quarry read', hashOfKey('read')],
    ['trial master', hashOfKey('master 2')],
  ]);
  const expected = (request: AdminRequest, answer: AdminAnswer): string => {
    switch (request.do) {
      case 'create-key':
        if (team.has(request.name)) return 'refused';
        if (answer.answer === 'key') team.set(request.name, hashOfKey(answer.text));
        return 'key';
      case 'delete-key':
        if (!team.has(request.name) || (team.size === 1 && !request.force)) return 'refused';
        team.delete(request.name);
        return 'deleted';
      case 'rotate-key':
        if (request.kind === 'demo' && request.database === 'quarry') return 'refused';
        if (answer.answer === 'key') {
          ofDatabase.set(`${request.database} ${request.kind}`, hashOfKey(answer.text));
        }
        return 'key';
      default:
        return 'keys';
    }
  };
  for (let step = 0; step < 2_000; step++) {
    const name = prng.pick(names);
    const request: AdminRequest = prng.pick<AdminRequest>([
      { do: 'list-keys' },
      { do: 'create-key', name, permissions: TEAM_PERMISSIONS.filter(() => prng.between(0, 1) === 1) },
      { do: 'delete-key', name, force: prng.between(0, 9) === 0 },
      {
        do: 'rotate-key',
        kind: prng.pick(DATABASE_KEY_KINDS),
        database: prng.pick(['quarry', 'trial']),
      },
    ]);
    const answer = await administer(dependencies, request);
    const context = `seed ${SEED}, step ${step}: ${JSON.stringify(request)}`;
    if (answer.answer !== expected(request, answer)) t.fail(context, { answer });
    const valid = [...team.values(), ...ofDatabase.values(), hashOfKey('custom')].sort();
    const found = [...engine.catalog().keys.keys()].sort();
    if (JSON.stringify(found) !== JSON.stringify(valid)) t.fail(context);
  }
  t.ok(engine.records.length > 500, `${engine.records.length} records`);
});

t.test('a refusal by the engine is returned as an answer, and a temporary one as busy', async (t) => {
  const { engine, dependencies } = setUp();
  engine.refusal = new QuarryError(9004, 'data is being loaded; try again');
  t.strictSame(await administer(dependencies, { do: 'account', state: 'banned' }), {
    answer: 'busy',
    message: 'data is being loaded; try again',
  });
  engine.refusal = new QuarryError(9002);
  t.strictSame(await administer(dependencies, { do: 'create-key', name: 'a', permissions: [] }), {
    answer: 'refused',
    message: 'disk full',
  });
});

t.test(
  'a backup returns its size; a failure is returned as a refusal, and an internal error is thrown',
  async (t) => {
    const { engine, dependencies } = setUp();
    const backUp = (): Promise<AdminAnswer> => administer(dependencies, { do: 'backup', to: '/mnt/b' });
    t.strictSame(await backUp(), { answer: 'backup', lsn: 7, fileCount: 2, bytes: 6 });
    engine.backupFault = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    t.strictSame(await backUp(), {
      answer: 'refused',
      message: 'the backup was not made: ENOSPC: no space left',
    });
    engine.backupFault = new Error('/mnt/b is not empty');
    t.match(await backUp(), { answer: 'refused', message: 'the backup was not made: /mnt/b is not empty' });
    engine.backupFault = new QuarryError(9004, 'a shard is rebuilt');
    t.strictSame(await backUp(), { answer: 'busy', message: 'a shard is rebuilt' });
    engine.backupFault = new TypeError('a bug');
    await t.rejects(backUp(), engine.backupFault);
  },
);
