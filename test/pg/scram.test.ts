/** Clients that present their keys by SCRAM-SHA-256: node-postgres, psql, and one that sends nonsense. */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { psqlFlags, refusal, startPostgres } from './site.js';

const hasPsql = spawnSync('psql', ['--version']).status === 0;

t.test('keys are proved, not sent', async (t) => {
  const fixture = await startPostgres(t, ['--pg-auth', 'scram']);
  const custom = await fixture.https.succeed({
    path: '/v1/database/custom_key',
    key: fixture.keys.team,
    body: {
      'database-name': 'quarry',
      'custom-database-key': { 'key-name': 'one', 'key-type': 'read-only' },
    },
  });
  const { key } = custom as { key: string };

  t.test('every kind of key opens a session, also after it was changed', async (t) => {
    for (const text of [fixture.keys.master, fixture.keys.read, key]) {
      const client = await fixture.connect(text);
      t.strictSame((await client.query('SELECT 1 AS one')).rows, [{ one: '1' }]);
    }
    await fixture.https.succeed({
      method: 'PUT',
      path: '/v1/database/custom_key',
      key: fixture.keys.team,
      body: {
        'database-name': 'quarry',
        'custom-database-key': { 'key-name': 'one', 'new-key-name': 'two' },
      },
    });
    const client = await fixture.connect(key);
    const { rows } = await client.query('SELECT count(*)::int AS n FROM pg_stat_activity');
    t.strictSame(rows, [{ n: 2 }], 'a key sees its own sessions');
    await fixture.https.succeed({
      method: 'DELETE',
      path: '/v1/database/custom_key',
      key: fixture.keys.team,
      body: { 'database-name': 'quarry', 'custom-database-key': { 'key-name': 'two' } },
    });
    t.match(await refusal(client.query('SELECT 1')), { code: '28P01' }, 'a deleted key ends its sessions');
  });

  t.test('wrong keys, other databases and the keys of the team are refused', async (t) => {
    t.match(await refusal(fixture.connect('wrong')), { code: '28P01' });
    t.match(await refusal(fixture.connect(fixture.keys.team)), { code: '28P01' });
    t.match(await refusal(fixture.connect(fixture.keys.master, { database: 'nix' })), { code: '28P01' });
  });

  t.test('psql', { skip: hasPsql ? false : 'psql is not installed' }, async (t) => {
    const env = { ...process.env, PGPASSWORD: fixture.keys.master, PGSSLMODE: 'require' };
    const args = [...psqlFlags(fixture), '-c', 'SELECT 7'];
    const { stdout, status } = spawnSync('psql', args, { env, encoding: 'utf8' });
    t.strictSame([status, stdout], [0, '7\n']);
  });
});
