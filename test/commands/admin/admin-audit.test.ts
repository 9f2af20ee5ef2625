import { pino } from 'pino';
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import { administerAudited } from '../../../src/commands/admin/admin-audit.js';
import type { AdminAnswer, AdminRequest } from '../../../src/commands/admin/admin-request.js';
import { Audit } from '../../../src/http/index.js';
import { setUp } from '../catalog-engine.js';

function setUpAudited(by: 'admin socket' | 'command line' = 'admin socket') {
  const { engine, needs } = setUp();
  const lines: string[] = [];
  const audit = new Audit(pino({ level: 'silent' }), { write: (line) => lines.push(line) }, () => 0);
  return {
    ...{ engine, lines },
    ask: (request: AdminRequest): Promise<AdminAnswer> => administerAudited(needs, request, audit, by),
    /** Takes the lines that were written since. */
    told: (): unknown[] => lines.splice(0).map((line) => JSON.parse(line).audit),
  };
}

const idOf = (kind: string, hash: string): string => `${kind}-${hash.slice(0, 8)}`;

t.test('what changes keys, the account or retention has one line that names what was changed', async (t) => {
  const { ask, told, lines } = setUpAudited();
  const made = await ask({ do: 'create-key', name: 'ci', permissions: [] });
  if (made.answer !== 'key') throw new Error(made.answer);
  t.notOk(lines.join('').includes(made.text));
  t.notOk(lines.join('').includes(hashOfKey(made.text)));
  const who = { who: 'admin socket', outcome: 'done' };
  const key = idOf('team', hashOfKey(made.text));
  t.strictSame(told(), [
    { ...who, what: 'create-key', changes: [{ change: 'key-created', key, keyName: 'ci' }] },
  ]);
  await ask({ do: 'delete-key', name: 'ci', force: false });
  t.strictSame(told(), [
    { ...who, what: 'delete-key', changes: [{ change: 'key-deleted', key, keyName: 'ci' }] },
  ]);
  const rotated = await ask({ do: 'rotate-key', kind: 'read', database: 'quarry' });
  if (rotated.answer !== 'key') throw new Error(rotated.answer);
  const place = { databaseId: 1, database: 'quarry' };
  t.strictSame(told(), [
    {
      ...who,
      what: 'rotate-key',
      changes: [
        { change: 'key-created', key: idOf('read', hashOfKey(rotated.text)), ...place },
        { change: 'key-deleted', key: idOf('read', hashOfKey('read')), ...place },
      ],
    },
  ]);
  await ask({ do: 'account', state: 'suspended' });
  t.strictSame(told(), [
    { ...who, what: 'account', changes: [{ change: 'account-set', state: 'suspended' }] },
  ]);
  await ask({ do: 'retention', resume: true });
  await ask({ do: 'backup', to: '/mnt/b' });
  t.strictSame(told(), [
    { ...who, what: 'retention', changes: [] },
    { ...who, what: 'backup', changes: [], to: '/mnt/b' },
  ]);
});

t.test('a refusal has its line, and so has a bug', async (t) => {
  const { engine, ask, told } = setUpAudited();
  await ask({ do: 'create-key', name: 'first', permissions: [] });
  engine.refusal = new QuarryError(9004, 'a shard is rebuilt');
  await ask({ do: 'account', state: 'banned' });
  engine.refusal = null;
  engine.backupFault = new TypeError('a bug');
  await t.rejects(ask({ do: 'backup', to: '/mnt/b' }), { message: 'a bug' });
  const who = { who: 'admin socket', changes: [] };
  t.strictSame(told(), [
    { ...who, what: 'create-key', outcome: 'refused' },
    { ...who, what: 'account', outcome: 'refused' },
    { ...who, what: 'backup', outcome: 'failed', to: '/mnt/b' },
  ]);
});

t.test('what a command does to a store that it opened is told as done by a command', async (t) => {
  const { ask, told } = setUpAudited('command line');
  await ask({ do: 'account', state: 'banned' });
  t.strictSame(told(), [
    {
      who: 'command line',
      what: 'account',
      outcome: 'done',
      changes: [{ change: 'account-set', state: 'banned' }],
    },
  ]);
});

t.test('what only asks has none', async (t) => {
  const { ask, told } = setUpAudited();
  await ask({ do: 'list-keys' });
  await ask({ do: 'account', state: null });
  await ask({ do: 'retention', resume: false });
  t.strictSame(told(), []);
});
