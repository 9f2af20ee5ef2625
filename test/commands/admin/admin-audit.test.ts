import { pino } from 'pino';
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import { administerAudited } from '../../../src/commands/admin/admin-audit.js';
import type { AdminAnswer, AdminRequest } from '../../../src/commands/admin/admin-request.js';
import { Audit } from '../../../src/http/index.js';
import { setUp } from '../catalog-engine.js';

function setUpAudited(by: 'admin socket' | 'command line' = 'admin socket') {
  const { engine, dependencies } = setUp();
  const lines: string[] = [];
  const audit = new Audit(pino({ level: 'silent' }), { write: (line) => lines.push(line) }, () => 0);
  return {
    ...{ engine, lines },
    request: (request: AdminRequest): Promise<AdminAnswer> =>
      administerAudited(dependencies, request, audit, by),
    /** Returns the audit entries that were written since the last call. */
    audited: (): unknown[] => lines.splice(0).map((line) => JSON.parse(line).audit),
  };
}

const idOf = (kind: string, hash: string): string => `${kind}-${hash.slice(0, 8)}`;

t.test('a change of keys, account or retention has one audit line that names the object', async (t) => {
  const { request, audited, lines } = setUpAudited();
  const made = await request({ do: 'create-key', name: 'ci', permissions: [] });
  if (made.answer !== 'key') throw new Error(made.answer);
  t.notOk(lines.join('').includes(made.text));
  t.notOk(lines.join('').includes(hashOfKey(made.text)));
  const who = { who: 'admin socket', outcome: 'done' };
  const key = idOf('team', hashOfKey(made.text));
  t.strictSame(audited(), [
    { ...who, what: 'create-key', changes: [{ change: 'key-created', key, keyName: 'ci' }] },
  ]);
  await request({ do: 'delete-key', name: 'ci', force: false });
  t.strictSame(audited(), [
    { ...who, what: 'delete-key', changes: [{ change: 'key-deleted', key, keyName: 'ci' }] },
  ]);
  const rotated = await request({ do: 'rotate-key', kind: 'read', database: 'quarry' });
  if (rotated.answer !== 'key') throw new Error(rotated.answer);
  const database = { databaseId: 1, database: 'quarry' };
  t.strictSame(audited(), [
    {
      ...who,
      what: 'rotate-key',
      changes: [
        { change: 'key-created', key: idOf('read', hashOfKey(rotated.text)), ...database },
        { change: 'key-deleted', key: idOf('read', hashOfKey('read')), ...database },
      ],
    },
  ]);
  await request({ do: 'account', state: 'suspended' });
  t.strictSame(audited(), [
    { ...who, what: 'account', changes: [{ change: 'account-set', state: 'suspended' }] },
  ]);
  await request({ do: 'retention', resume: true });
  await request({ do: 'backup', to: '/mnt/b' });
  t.strictSame(audited(), [
    { ...who, what: 'retention', changes: [] },
    { ...who, what: 'backup', changes: [], to: '/mnt/b' },
  ]);
});

t.test('a refused request and an internal error have an audit line each', async (t) => {
  const { engine, request, audited } = setUpAudited();
  await request({ do: 'create-key', name: 'first', permissions: [] });
  engine.refusal = new QuarryError(9004, 'a shard is rebuilt');
  await request({ do: 'account', state: 'banned' });
  engine.refusal = null;
  engine.backupFault = new TypeError('a bug');
  await t.rejects(request({ do: 'backup', to: '/mnt/b' }), { message: 'a bug' });
  const who = { who: 'admin socket', changes: [] };
  t.strictSame(audited(), [
    { ...who, what: 'create-key', outcome: 'refused' },
    { ...who, what: 'account', outcome: 'refused' },
    { ...who, what: 'backup', outcome: 'failed', to: '/mnt/b' },
  ]);
});

t.test(
  'a change that a command makes without a server is audited as a change by the command line',
  async (t) => {
    const { request, audited } = setUpAudited('command line');
    await request({ do: 'account', state: 'banned' });
    t.strictSame(audited(), [
      {
        who: 'command line',
        what: 'account',
        outcome: 'done',
        changes: [{ change: 'account-set', state: 'banned' }],
      },
    ]);
  },
);

t.test('a request that only reads has no audit line', async (t) => {
  const { request, audited } = setUpAudited();
  await request({ do: 'list-keys' });
  await request({ do: 'account', state: null });
  await request({ do: 'retention', resume: false });
  t.strictSame(audited(), []);
});
