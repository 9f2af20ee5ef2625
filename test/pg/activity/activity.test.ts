/** pg_stat_activity, pg_cancel_backend and pg_terminate_backend. */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import t from 'tap';
import { refusal, startPostgres } from '../site.js';

const LONG =
  'SELECT count(*) FROM generate_series(1, 100000) AS a (x), generate_series(1, 100000) AS b (y) WHERE x * y % 7 = 3';

t.test('what runs', async (t) => {
  const fixture = await startPostgres(t);
  const { master, read } = fixture.keys;
  // One after the other: the rows are ordered by process ID.
  const own = await fixture.connect(master);
  const reader = await fixture.connect(read);
  const other = await fixture.connect(read);
  await other.query("SET application_name = 'report'; BEGIN");
  const idOf = async (client: pg.Client): Promise<number> =>
    (await client.query<{ id: number }>('SELECT pg_backend_pid() AS id')).rows.map(({ id }) => Number(id))[0];
  const [ownId, readerId, otherId] = [await idOf(own), await idOf(reader), await idOf(other)];
  const seenBy = async (client: pg.Client): Promise<string> =>
    (
      await client.query<{ line: string }>(
        `SELECT concat_ws('|', pid, state, application_name, query) AS line FROM pg_stat_activity
         WHERE datname = current_database() AND query NOT LIKE '%pg_stat%' ORDER BY pid`,
      )
    ).rows
      .map(({ line }) => line)
      .join('\n');

  t.test('the master key sees all sessions of its database, another key its own', async (t) => {
    const running = refusal(reader.query(LONG));
    while (!(await seenBy(own)).includes('|active|')) await wait(50);
    t.equal(
      await seenBy(own),
      `${readerId}|active||${LONG}\n${otherId}|idle in transaction|report|SELECT pg_backend_pid() AS id`,
    );
    t.equal(await seenBy(other), `${readerId}|active||${LONG}`, 'the other session of the same key');
    const { rows } = await own.query(
      `SELECT usename, client_addr::text AS address, query_start <= now() + interval '1 minute' AS started, backend_type AS kind
       FROM pg_stat_activity WHERE pid = $1`,
      [readerId],
    );
    t.match(rows, [{ usename: 'anybody', address: /^127\.0\.0\.1/, started: true, kind: 'client backend' }]);
    t.strictSame((await own.query(`SELECT pg_cancel_backend(${readerId})`)).rows, [
      { pg_cancel_backend: true },
    ]);
    t.match(await running, { code: '57014' });
    t.match(await seenBy(own), new RegExp(`^${readerId}\\|idle\\|`));
  });

  t.test('POST /v1/sql and the port are listed together, and an operator stops both', async (t) => {
    const { https } = fixture;
    const stop = async (kind: string): Promise<void> => {
      for (;;) {
        const { queries } = (await https.succeed({ method: 'GET', path: '/v1/status/queries' })) as {
          readonly queries: readonly { readonly id: string; readonly kind: string }[];
        };
        const found = queries.find((query) => query.kind === kind);
        if (found !== undefined) {
          t.match(queries, [{ kind, endpoint: 'POST /v1/sql', query: LONG, state: /running|waiting/ }]);
          const path = `/v1/status/queries/${found.id}`;
          t.match(await https.succeed({ method: 'DELETE', path }), { stopped: true });
          return;
        }
        await wait(20);
      }
    };
    const portal = refusal(reader.query(LONG));
    await stop('postgres');
    t.match(await portal, { code: '57014', message: 'the query was stopped' });
    const headers = { 'content-type': 'application/sql' };
    const answer = https.request({ method: 'POST', path: '/v1/sql', headers, text: LONG });
    await stop('http');
    t.match(await answer, { status: 409, body: { errors: [{ code: 9007 }] } });
    const again = https.request({ method: 'POST', path: '/v1/sql', headers, text: LONG });
    while (!(await seenBy(own)).includes('|active|POST /v1/sql|')) await wait(50);
    t.notMatch(await seenBy(reader), 'POST /v1/sql');
    const [{ pid }] = (
      await own.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'POST /v1/sql'",
      )
    ).rows;
    t.match((await reader.query(`SELECT pg_cancel_backend(${pid}) AS done`)).rows, [{ done: false }]);
    t.match((await own.query(`SELECT pg_cancel_backend(${pid}) AS done`)).rows, [{ done: true }]);
    t.match(await again, { status: 409, body: { errors: [{ code: 9007 }] } });
    await own.query(`BEGIN; DECLARE c CURSOR FOR SELECT x FROM generate_series(1, 1000000) AS a (x)`);
    await own.query('FETCH 1 FROM c');
    t.match(await https.succeed({ method: 'GET', path: '/v1/status/queries' }), { count: 1 });
    await own.query('ROLLBACK');
    t.match(await https.succeed({ method: 'GET', path: '/v1/status/queries' }), { count: 0 });
  });

  t.test('a long statement is cut between characters', async (t) => {
    const text = `SELECT '${'😀'.repeat(1_000)}' AS smile`;
    await reader.query(text);
    t.equal(
      await seenBy(own).then((lines) => lines.split('\n')[0]),
      `${readerId}|idle||${text.slice(0, 1_024)}`,
    );
    const shifted = `SELECT  '${'😀'.repeat(1_000)}' AS smile`;
    await reader.query(shifted);
    t.equal(
      await seenBy(own).then((lines) => lines.split('\n')[0]),
      `${readerId}|idle||${shifted.slice(0, 1_023)}`,
    );
  });

  t.test('a key cannot end sessions of other keys', async (t) => {
    for (const id of [ownId, 0, 999_999]) {
      t.strictSame((await reader.query('SELECT pg_terminate_backend($1) AS done', [id])).rows, [
        { done: false },
      ]);
    }
    t.equal((await refusal(reader.query("SELECT pg_cancel_backend('x')"))).code, '22P02');
    t.equal(
      (await refusal(reader.query('SELECT pg_cancel_backend(pid) FROM pg_stat_activity'))).code,
      '42501',
    );
    const ended = new Promise<Error>((resolve) => other.once('error', resolve));
    const done = await own.query('SELECT pg_catalog.pg_terminate_backend($1)', [otherId]);
    t.strictSame(done.rows, [{ pg_terminate_backend: true }]);
    t.match((await ended).message, /terminating connection/);
    t.equal(await seenBy(own), '', 'the session is gone');
  });
});
