/** INSERT ... ON CONFLICT and WITH before writes, compared with PostgreSQL, and over HTTP. */
import { PGlite } from '@electric-sql/pglite';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { refusal, startPostgres } from '../../pg/site.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const TABLE = `CREATE TABLE item ("entity-id" text PRIMARY KEY, n bigint, word text, price numeric(12, 2), born date)`;
const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'word', type: 'string' },
  { name: 'price', type: 'decimal', 'decimal-places': 2 },
  { name: 'born', type: 'date' },
  { name: 'visit', type: 'string-event' },
];
const ALL = 'SELECT "entity-id", n, word, price::float8 AS price, born::text AS born FROM item ORDER BY 1';

t.test('ON CONFLICT and WITH', async (t) => {
  const fixture = await startPostgres(t);
  const columns = COLUMNS.map((column) => ({ ...column, dimension: 'item' }));
  const made = await fixture.https.request({ method: 'POST', path: '/v1/column', body: columns });
  t.equal(made.status, 200);
  const client = await fixture.connect();
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  await postgres.exec(TABLE);

  /** Sends a statement to both and compares number, returned rows and the whole table; false = both refuse it. */
  async function same(t: Test, text: string): Promise<boolean> {
    const expected = await postgres.query(text).catch((error: Error) => error);
    const found = await client.query(text).catch((error: Error) => error);
    if (expected instanceof Error || found instanceof Error) {
      t.ok(expected instanceof Error && found instanceof Error, `${text}: ${expected} / ${found}`);
    } else {
      t.strictSame(sorted(found.rows), sorted(expected.rows), text);
      t.equal(found.rowCount, Math.max(expected.affectedRows ?? 0, expected.rows.length), text);
    }
    t.strictSame(
      (await client.query(ALL)).rows.map(plain),
      (await postgres.query(ALL)).rows.map(plain),
      text,
    );
    return !(expected instanceof Error);
  }

  t.test('written statements', async (t) => {
    for (const text of [
      `INSERT INTO item ("entity-id", n, word) VALUES ('a', 1, 'one'), ('b', 2, 'two') ON CONFLICT DO NOTHING`,
      `INSERT INTO item ("entity-id", n, word) VALUES ('a', 7, 'x'), ('c', 3, NULL), ('c', 4, 'y') ON CONFLICT ("entity-id") DO NOTHING RETURNING "entity-id", n`,
      `INSERT INTO item ("entity-id", n, word) VALUES ('a', NULL, 'x'), ('d', 4, 'z') ON CONFLICT ("entity-id") DO UPDATE SET n = EXCLUDED.n, word = item.word || excluded.word RETURNING *`,
      `INSERT INTO item AS i ("entity-id", n, price) VALUES ('b', 10, 1.50), ('e', 5, 2.25) ON CONFLICT ("entity-id") DO UPDATE SET n = i.n + EXCLUDED.n, born = DATE '2020-02-03' WHERE i.n < 5 RETURNING "entity-id", n, born::text`,
      `INSERT INTO item AS i ("entity-id", n) VALUES ('b', 10) ON CONFLICT ("entity-id") DO UPDATE SET n = i.n + EXCLUDED.n WHERE i.n < 5 RETURNING "entity-id"`,
      `INSERT INTO item ("entity-id", n) VALUES ('a', 1), ('a', 2) ON CONFLICT ("entity-id") DO UPDATE SET n = EXCLUDED.n`,
      `INSERT INTO item ("entity-id", n) SELECT "entity-id" || 'x', n + 1 FROM item ON CONFLICT ("entity-id") DO UPDATE SET n = 0`,
      `INSERT INTO item ("entity-id", n, word) SELECT "entity-id", n + 1, 'again' FROM item WHERE n IS NOT NULL ON CONFLICT ("entity-id") DO UPDATE SET (n, word) = (EXCLUDED.n, (SELECT max(word) FROM item)) RETURNING "entity-id", n, word`,
      `WITH more AS (SELECT "entity-id" AS id, n FROM item WHERE n > 3) INSERT INTO item ("entity-id", n) SELECT id || 'y', n FROM more ON CONFLICT DO NOTHING`,
      `WITH more (id) AS (SELECT "entity-id" FROM item WHERE n > 3) UPDATE item SET word = 'many' FROM more WHERE item."entity-id" = more.id RETURNING word`,
      `WITH few AS (SELECT min(n) AS least FROM item) DELETE FROM item WHERE n = (SELECT least FROM few) RETURNING "entity-id"`,
      `WITH lone AS (SELECT 9 AS n) INSERT INTO item ("entity-id", n) VALUES ('a', 1), ('w', 2) ON CONFLICT ("entity-id") DO UPDATE SET n = (SELECT n FROM lone)`,
      `INSERT INTO item ("entity-id", born) VALUES ('w', '2021-01-01'), ('v', NULL) ON CONFLICT ("entity-id") DO UPDATE SET born = coalesce(EXCLUDED.born, item.born), price = EXCLUDED.price RETURNING "entity-id", born::text, price`,
    ]) {
      await same(t, text);
    }
  });

  t.test('generated statements', async (t) => {
    const prng = new Prng(SEED);
    const id = (): string => `'${prng.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])}'`;
    const number = (): string => prng.pick(['NULL', '0', '1', '-5', '42']);
    const word = (): string => prng.pick(['NULL', `'x'`, `'why'`]);
    const value = (): string => prng.pick(['EXCLUDED.n', 'item.n', 'item.n + EXCLUDED.n', '7', 'NULL']);
    let answered = 0;
    for (let round = 0; round < 40; round++) {
      const rows = Array.from({ length: prng.between(1, 4) }, () => `(${id()}, ${number()}, ${word()})`);
      const hasDistinctIds = new Set(rows.map((row) => row.slice(0, 4))).size === rows.length;
      const source = prng.chance(0.7)
        ? `VALUES ${rows.join(', ')}`
        : `SELECT "entity-id", n * 2, word FROM item WHERE n > ${prng.between(-6, 20)}`;
      // With a condition, PostgreSQL refuses an ID that occurs twice only if both rows meet it.
      const where = hasDistinctIds
        ? prng.pick(['', ' WHERE item.n IS NOT NULL', ' WHERE EXCLUDED.n > item.n'])
        : '';
      const set = prng.pick(['n = ', 'word = EXCLUDED.word, n = ', 'word = NULL, n = ']);
      const action = prng.chance(0.3) ? 'NOTHING' : `UPDATE SET ${set}${value()}${where}`;
      const returning = prng.pick(['', ' RETURNING "entity-id", n, word']);
      const text = `INSERT INTO item ("entity-id", n, word) ${source} ON CONFLICT ("entity-id") DO ${action}${returning}`;
      if (await same(t, text)) answered++;
    }
    t.ok(answered >= 20, `${answered} answered`);
  });

  t.test('what is refused says why and changes nothing', async (t) => {
    for (const [text, message] of [
      [`INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT (n) DO NOTHING`, /takes the entity ID only/],
      [`INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT (nix) DO NOTHING`, /no column/],
      [
        `INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT ON CONSTRAINT k DO NOTHING`,
        /constraints have no names/,
      ],
      [`INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT DO UPDATE SET n = 1`, /names the entity ID/],
      [
        `INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT ("entity-id") DO UPDATE SET n = EXCLUDED.nix`,
        /no column/,
      ],
      [
        `INSERT INTO item ("entity-id") VALUES ('a') ON CONFLICT ("entity-id") DO UPDATE SET "entity-id" = 'b'`,
        /cannot be changed/,
      ],
      [`WITH x AS (DELETE FROM item RETURNING n) SELECT * FROM x`, /inside WITH is not available/],
    ] as const) {
      const before = (await client.query(ALL)).rows;
      t.match(await refusal(client.query(text)), { message }, text);
      t.strictSame((await client.query(ALL)).rows, before, text);
    }
  });

  t.test('events of entities that exist stay as they are', async (t) => {
    const insert = (n: number, visit: string, action: string): Promise<unknown> =>
      client.query(
        `INSERT INTO item ("entity-id", n, "visit.1.value", "visit.1.date") VALUES ('seen', ${n}, '${visit}', '2024-01-0${n}') ON CONFLICT ("entity-id") DO ${action}`,
      );
    await insert(1, 'first', 'NOTHING');
    await insert(2, 'second', 'NOTHING');
    await insert(3, 'third', 'UPDATE SET n = EXCLUDED.n');
    const { rows } = await client.query(
      `SELECT i.n::int AS n, v.value FROM item i JOIN visit v ON v."entity-id" = i."entity-id" WHERE i."entity-id" = 'seen'`,
    );
    t.strictSame(rows, [{ n: '3', value: 'first' }]);
    await client.query(`DELETE FROM item WHERE "entity-id" = 'seen'`);
  });

  t.test('several in one body', async (t) => {
    const upsert = (rows: string, action = 'UPDATE SET n = item.n + EXCLUDED.n'): string =>
      `INSERT INTO item ("entity-id", n) VALUES ${rows} ON CONFLICT ("entity-id") DO ${action}`;
    const set = `UPDATE SET n = (SELECT max(n) FROM item)`;
    const fine = [
      upsert(`('u1', 1), ('u2', 2)`),
      `INSERT INTO item ("entity-id", n) VALUES ('u3', 3)`,
      upsert(`('u4', 4)`, 'NOTHING'),
      upsert(`('U5', 5), ('a', 7)`),
    ];
    const all = async (): Promise<unknown> => (await client.query(ALL)).rows;
    for (const texts of [fine, fine.slice(0, 1).concat(fine.slice(2).reverse())]) {
      await postgres.exec(['BEGIN', ...texts.map((text) => text.replace('U5', 'u5')), 'COMMIT'].join(';'));
      for (const text of ['BEGIN', ...texts, 'COMMIT']) await client.query(text);
      t.strictSame((await client.query(ALL)).rows.map(plain), (await postgres.query(ALL)).rows.map(plain));
    }
    const other = fine.filter((_text, at) => at !== 1).map((text) => text.replaceAll('u', 'v'));
    const sent = await fixture.https.request({
      ...{ path: '/v1/sql', text: other.join(';\n'), headers: { 'content-type': 'application/sql' } },
    });
    t.equal(sent.status, 200, JSON.stringify(sent.body));
    await postgres.exec(other.map((text) => text.replace('U5', 'u5')).join(';'));
    t.strictSame((await client.query(ALL)).rows.map(plain), (await postgres.query(ALL)).rows.map(plain));

    const before = await all();
    for (const [first, second] of [
      [upsert(`('u1', 1)`), upsert(`('x', 1), ('U1', 2)`)],
      [`INSERT INTO item ("entity-id", n) VALUES ('x', 3)`, upsert(`('x', 1)`, 'NOTHING')],
      [`DELETE FROM item WHERE "entity-id" = 'u1'`, upsert(`('u2', 1)`)],
      [`UPDATE item SET n = 1 WHERE n = 2`, upsert(`('u2', 1)`, 'NOTHING')],
      [upsert(`('u1', 1)`), upsert(`('u2', 1)`, set)],
      [upsert(`('u1', 1)`), `INSERT INTO item ("entity-id") SELECT 'q' ON CONFLICT DO NOTHING`],
    ]) {
      await client.query('BEGIN');
      await client.query(first);
      t.match(await refusal(client.query(second)), { message: /which an earlier statement writes/ }, second);
      await client.query('ROLLBACK');
    }
    await client.query('BEGIN');
    await client.query('SAVEPOINT s');
    await client.query(upsert(`('u1', 1)`));
    await client.query('ROLLBACK TO s');
    await client.query(upsert(`('u1', 0)`));
    await client.query('COMMIT');
    t.strictSame(await all(), before);
  });

  t.test('in a block, and with rows that are stored in lower case', async (t) => {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO item ("entity-id", n) VALUES ('A', 1), ('NEW', 2) ON CONFLICT ("entity-id") DO UPDATE SET n = 77`,
    );
    await client.query('COMMIT');
    const { rows } = await client.query(
      `SELECT "entity-id" AS id, n::int AS n FROM item WHERE "entity-id" IN ('a', 'new') ORDER BY 1`,
    );
    t.match(rows, [
      { id: 'a', n: 77 },
      { id: 'new', n: 2 },
    ]);
    await client.query('BEGIN');
    await client.query(`INSERT INTO item ("entity-id", n) VALUES ('z', 1)`);
    t.match(
      await refusal(client.query(`INSERT INTO item ("entity-id", n) VALUES ('z', 1) ON CONFLICT DO NOTHING`)),
      { message: /which an earlier statement writes/ },
    );
    await client.query('ROLLBACK');
  });

  t.test('over HTTP', async (t) => {
    const sql = (text: string): Promise<{ readonly status: number; readonly body: unknown }> =>
      fixture.https.request({
        ...{ method: 'POST', path: '/v1/sql', text },
        headers: { 'content-type': 'application/sql' },
      });
    const done = await sql(
      `INSERT INTO item ([entity-id], n) VALUES ('http', 1), ('a', 5) ON CONFLICT ([entity-id]) DO UPDATE SET n = item.n + EXCLUDED.n`,
    );
    t.match(done, { status: 200, body: { result: { 'inserted-entities': 2 }, count: 2 } });
    t.match(await sql(`SELECT n FROM item WHERE [entity-id] IN ('a', 'http') ORDER BY n`), {
      body: { result: [{ n: 1 }, { n: 82 }] },
    });
    t.match(
      await sql(`WITH x AS (SELECT 'http' AS id) DELETE FROM item WHERE [entity-id] IN (SELECT id FROM x)`),
      { body: { result: { deleted: 1 } } },
    );
  });
});

const plain = (row: unknown): unknown =>
  JSON.parse(
    JSON.stringify(row, (_key, value) =>
      typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
    ),
  );
const sorted = (rows: readonly unknown[]): readonly unknown[] =>
  rows.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
