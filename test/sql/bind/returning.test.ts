/** INSERT ... SELECT, UPDATE and DELETE with subqueries, and RETURNING on the port, and what keys with restrictions see. */
import t from 'tap';
import { refusal, startPostgres } from '../../pg/site.js';
import type { JsonClient } from '../../support/json-client.js';

const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'pay', type: 'decimal', 'decimal-places': 2 },
  { name: 'born', type: 'date' },
];

async function customKey(https: JsonClient, team: string, fields: object): Promise<string> {
  const { body } = await https.request({
    ...{ method: 'POST', path: '/v1/database/custom_key', key: team },
    body: { 'database-name': 'quarry', 'custom-database-key': fields },
  });
  return String((body as { key: string }).key);
}

t.test('writes that read rows', async (t) => {
  const fixture = await startPostgres(t);
  await fixture.https.request({ method: 'POST', path: '/v1/column', body: COLUMNS });
  const client = await fixture.connect();
  const rows = async (text: string, values: unknown[] = []): Promise<unknown[]> =>
    (await client.query(text, values)).rows;

  t.test('RETURNING has the stored form of the written rows, in their order', async (t) => {
    const {
      command,
      rowCount,
      rows: returned,
      fields,
    } = await client.query(
      `INSERT INTO "default" ("entity-id", name, age, pay, born) VALUES ($1, $2, $3, '2.50', '2001-02-03'), ('a', 'Al', 1 + 1, 3, NULL)
       RETURNING *, age / 2 AS half, upper(name)`,
      ['B', 'Bob', 5],
    );
    t.strictSame([command, rowCount], ['INSERT', 2]);
    t.strictSame(fields.map(({ name }) => name).join(), 'entity-id,name,age,pay,born,half,upper');
    const [b, a] = returned as Record<string, unknown>[];
    t.match(b, { 'entity-id': 'b', name: 'bob', age: '5', pay: '2.5', half: '2', upper: 'BOB' });
    t.match(a, { 'entity-id': 'a', name: 'al', age: '2', pay: '3.0', born: null, half: '1' });
    t.strictSame(
      await rows(
        `UPDATE "default" SET age = age * $1 WHERE pay > (SELECT min(pay) FROM "default") RETURNING "entity-id" AS id, age`,
        [10],
      ),
      [{ id: 'a', age: '20' }],
    );
    t.strictSame(
      await rows(
        `UPDATE "default" d SET pay = o.age FROM "default" o WHERE o."entity-id" = d."entity-id" AND d.name ~ '^b' RETURNING d.pay`,
      ),
      [{ pay: '5.00' }],
    );
    t.strictSame(await rows(`DELETE FROM "default" WHERE "entity-id" = 'nobody' RETURNING name`), []);
  });

  t.test('INSERT ... SELECT and a block of writes take effect whole', async (t) => {
    const copied = await client.query(
      `INSERT INTO "default" ("entity-id", age) (SELECT 'x' || "entity-id", age + 1 FROM "default" WHERE age >= $1)`,
      [5],
    );
    t.strictSame([copied.command, copied.rowCount], ['INSERT', 2]);
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO "default" ("entity-id", age) SELECT 's' || g, g FROM generate_series(1, 3) AS t (g)`,
    );
    t.match(await refusal(client.query(`DELETE FROM "default" WHERE age IN (SELECT 1)`)), {
      message: /earlier statement/,
    });
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await client.query(`UPDATE "default" SET age = age + 1`);
    t.match(await refusal(client.query(`INSERT INTO "default" ("entity-id") VALUES ('r') RETURNING age`)), {
      code: '0A000',
    });
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await client.query(`DELETE FROM "default" WHERE age + 0 = 6`);
    await client.query(
      `INSERT INTO "default" ("entity-id", age) SELECT 's' || g, g FROM generate_series(1, 3) AS t (g)`,
    );
    await client.query('COMMIT');
    t.strictSame(
      await rows(`SELECT string_agg("entity-id", ',' ORDER BY "entity-id") AS ids FROM "default"`),
      [{ ids: 'a,b,s1,s2,s3,xa' }],
    );
  });

  t.test('a key with a whitelist and a row filter sees nothing else through a write', async (t) => {
    const key = await customKey(fixture.https, fixture.keys.team, {
      'key-name': 'some',
      'key-type': 'write-read',
      'columns-whitelist': { default: ['name', 'age'] },
      filter: { default: { age: { in: [1, 2, 3] } } },
    });
    const narrow = await fixture.connect(key);
    for (const text of [
      `UPDATE "default" SET age = pay WHERE name = 'x'`,
      `UPDATE "default" SET pay = age + 1`,
      `UPDATE "default" SET age = 1 WHERE pay + 0 > 1`,
      `UPDATE "default" SET age = (SELECT max(pay) FROM "default")`,
      `DELETE FROM "default" WHERE age + 0 = 1 RETURNING pay`,
      `DELETE FROM "default" USING "default" o WHERE o.pay = 1`,
      `INSERT INTO "default" ("entity-id", age) VALUES ('n', 1) RETURNING pay`,
      `INSERT INTO "default" ("entity-id", age) SELECT 'n', pay FROM "default"`,
    ]) {
      t.match(await refusal(narrow.query(text)), { code: '42501' }, text);
    }
    // xa is outside the row filter: its name stays hidden, and updates and deletes do not reach it.
    await client.query(`UPDATE "default" SET name = 'hidden' WHERE "entity-id" = 'xa'`);
    const { rows: over } = await narrow.query(
      `INSERT INTO "default" ("entity-id", age) VALUES ('xa', 99) RETURNING *`,
    );
    t.strictSame(over, [{ 'entity-id': 'xa', name: null, age: '99' }]);
    t.equal((await narrow.query(`UPDATE "default" SET name = name || '!' RETURNING *`)).rowCount, 3);
    t.equal((await narrow.query(`DELETE FROM "default" WHERE age + 0 > 2 RETURNING age`)).rowCount, 1);
    t.equal((await narrow.query(`SELECT count(*) AS n FROM "default"`)).rows[0].n, '2');
    t.match(await rows(`SELECT name, age FROM "default" WHERE "entity-id" = 'xa'`), [
      { name: 'hidden', age: '99' },
    ]);
    const reader = await fixture.connect(fixture.keys.read);
    for (const text of [
      `DELETE FROM "default" WHERE age IN (SELECT 1)`,
      `INSERT INTO "default" ("entity-id", age) SELECT 'z', 1`,
    ]) {
      t.match(await refusal(reader.query(text)), { code: '42501' }, text);
    }
  });
});
