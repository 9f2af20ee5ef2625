/** The numbers of rows that UPDATE and DELETE answer in a transaction block, which its COMMIT ensures. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { refusal, startPostgres } from '../../site.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

t.test('row counts in transaction blocks', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const other = await fixture.connect();
  const run = async (...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await client.query(text);
  };
  const count = async (text: string): Promise<number | null> => (await client.query(text)).rowCount;
  const rows = async (text: string): Promise<unknown[]> =>
    (await other.query({ text, rowMode: 'array' })).rows;
  await run(
    'CREATE TABLE t (n int, s text)',
    'CREATE TABLE u (k text)',
    `INSERT INTO t ("entity-id", n, s) VALUES ('a', 1, 'x'), ('b', 2, 'x'), ('c', 3, null)`,
    `INSERT INTO u ("entity-id", k) VALUES ('1', 'a'), ('2', 'a'), ('3', 'c'), ('4', 'z')`,
  );

  t.test('a statement answers how many rows it changes', async (t) => {
    for (const [text, expected] of [
      [`UPDATE t SET n = 9 WHERE s = 'x'`, 2],
      ['UPDATE t SET n = 9', 3],
      [`UPDATE t SET n = 9 WHERE s = 'nothing'`, 0],
      [`UPDATE t SET s = NULL WHERE s IS NULL`, 1],
      ['UPDATE t SET n = n + 1 WHERE n % 2 = 1', 2],
      [`UPDATE t SET n = 9 WHERE "entity-id" = 'A'`, 1],
      [`UPDATE t AS own SET s = 'z' WHERE own.n > 1 AND own."entity-id" IN ('a', 'b', 'b', 'c', 'd')`, 2],
      ['DELETE FROM t WHERE "entity-id" IN (SELECT k FROM u)', 2],
      ['DELETE FROM t USING u WHERE u.k = t."entity-id"', 2],
      [`WITH w AS (SELECT k FROM u WHERE k = 'c') DELETE FROM t WHERE "entity-id" IN (SELECT k FROM w)`, 1],
      ['DELETE FROM t', 3],
      ['UPDATE t SET n = 1 WHERE random() < 0.5', null],
      ['TRUNCATE t', null],
      [`INSERT INTO t ("entity-id", n) VALUES ('a', 4), ('e', 5) ON CONFLICT DO NOTHING`, null],
      [
        `INSERT INTO t ("entity-id", n) VALUES ('a', 4), ('e', 5) ON CONFLICT ("entity-id") DO UPDATE SET n = 6`,
        2,
      ],
      [
        `INSERT INTO t ("entity-id", n) VALUES ('a', 4) ON CONFLICT ("entity-id") DO UPDATE SET n = 6 WHERE t.n > 5`,
        null,
      ],
    ] as const) {
      await run('BEGIN');
      t.equal(await count(text), expected, text);
      await run('ROLLBACK');
    }
    const prepared = { text: 'DELETE FROM t WHERE n > $1 AND s = $2', values: [1, 'x'] };
    await run('BEGIN');
    t.equal((await client.query(prepared)).rowCount, 1);
    await run('ROLLBACK');
  });

  t.test(
    'a statement counts the rows that are there after the earlier ones, or answers no number',
    async (t) => {
      await run('BEGIN');
      t.equal(await count(`INSERT INTO t ("entity-id", n) VALUES ('D', 4), ('e', 5)`), 2);
      t.equal(await count(`UPDATE t SET n = 7 WHERE "entity-id" IN ('d', 'a', 'f')`), 2);
      t.equal(await count('UPDATE t SET n = 8 WHERE n = 7'), null);
      t.equal(await count(`UPDATE t SET n = 8 WHERE "entity-id" = 'a' AND n = 7`), null);
      await run('SAVEPOINT s');
      t.equal(await count(`DELETE FROM t WHERE "entity-id" IN ('d', 'b')`), 2);
      t.equal(await count(`UPDATE t SET n = 6 WHERE "entity-id" IN ('b', 'd', 'e')`), 1);
      await run('ROLLBACK TO s');
      t.equal(await count(`UPDATE t SET n = 6 WHERE "entity-id" IN ('b', 'd', 'e')`), 3);
      t.equal(await count('DELETE FROM t WHERE n = 3'), null);
      t.equal(await count(`DELETE FROM t WHERE "entity-id" = 'a'`), null);
      await run('COMMIT');
      t.strictSame(await rows('SELECT "entity-id", n FROM t ORDER BY 1'), [
        ['b', '6'],
        ['d', '6'],
        ['e', '6'],
      ]);
      await run(
        'BEGIN',
        'ALTER TABLE t ADD COLUMN m int',
        'ALTER TABLE t RENAME TO r',
        'CREATE TABLE v (n int)',
      );
      t.equal(await count('UPDATE r SET m = 1 WHERE m IS NULL'), 3);
      t.equal(await count('UPDATE v SET n = 1'), null);
      await run('COMMIT', 'ALTER TABLE r RENAME TO t');
      t.strictSame(await rows('SELECT m, count(*) FROM t GROUP BY m'), [['1', '3']]);
    },
  );

  t.test('a block whose rows were changed meanwhile by others is refused', async (t) => {
    const blocked = async (write: string, between: string): Promise<string | undefined> => {
      await run('BEGIN', write);
      await other.query(between);
      const code = await client.query('COMMIT').then(
        () => undefined,
        (error) => error.code,
      );
      await run('ROLLBACK');
      return code;
    };
    t.equal(
      await blocked(`UPDATE t SET n = 1 WHERE n = 6`, `UPDATE t SET n = 2 WHERE "entity-id" = 'b'`),
      '40001',
    );
    t.equal(
      await blocked(`DELETE FROM t WHERE "entity-id" = 'b'`, `DELETE FROM t WHERE "entity-id" = 'b'`),
      '40001',
    );
    t.equal(await blocked(`UPDATE t SET n = 6 WHERE "entity-id" = 'd'`, `UPDATE t SET n = 2`), undefined);
    t.equal(
      await blocked('UPDATE t SET n = 3 WHERE n = 2', `INSERT INTO t ("entity-id", n) VALUES ('q', 9)`),
      undefined,
    );
    t.strictSame(await rows('SELECT "entity-id", n FROM t ORDER BY 1'), [
      ['d', '6'],
      ['e', '3'],
      ['q', '9'],
    ]);
    await run('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM t');
    await other.query('DELETE FROM t WHERE n = 9');
    t.equal((await refusal(client.query('DELETE FROM t WHERE n = 9'))).code, '40001');
    await run('ROLLBACK');
  });

  t.test('random blocks answer the numbers of a model, beside inserts of others', async (t) => {
    const prng = new Prng(SEED);
    const model = new Map<string, number>();
    const pick = (): string => `k${prng.below(8)}`;
    await run('DELETE FROM t');
    let isOver = false;
    const insert = async (by: typeof other): Promise<void> => {
      for (let n = 0; !isOver; n++)
        await by.query(`INSERT INTO t ("entity-id", n) VALUES ('o${n % 50}', 1000)`);
    };
    const inserters = [other, await fixture.connect(), await fixture.connect(), await fixture.connect()].map(
      insert,
    );
    let answered = 0;
    for (let block = 0; block < 20; block++) {
      await run('BEGIN');
      for (let at = prng.below(6); at >= 0; at--) {
        const [id, second, n] = [pick(), pick(), prng.below(4)];
        const kind = prng.below(5);
        if (kind === 0) {
          await run(`INSERT INTO t ("entity-id", n) VALUES ('${id}', ${n})`);
          model.set(id, n);
          continue;
        }
        const byId = kind < 4;
        const where = byId ? `"entity-id" IN ('${id}', '${second}')` : `n = ${n}`;
        const found = [...model].filter(([key, value]) =>
          byId ? key === id || key === second : value === n,
        );
        const deletes = prng.below(3) === 0;
        const actual = await count(
          deletes ? `DELETE FROM t WHERE ${where}` : `UPDATE t SET n = 3 WHERE ${where}`,
        );
        for (const [key] of found) {
          if (deletes) model.delete(key);
          else model.set(key, 3);
        }
        if (actual === null) continue;
        answered++;
        t.equal(actual, found.length, `block ${block}: ${where}`);
      }
      await run('COMMIT');
    }
    isOver = true;
    await Promise.all(inserters);
    t.ok(answered > 0);
    t.strictSame(
      await rows('SELECT "entity-id", n FROM t WHERE n < 1000 ORDER BY 1'),
      [...model].sort().map(([key, n]) => [key, String(n)]),
    );
  });
});
