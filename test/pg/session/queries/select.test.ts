/** Decimals on the port have the digits that PostgreSQL prints, in text and in the binary format. */
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { numericBytes } from '../../../../src/pg/protocol/numeric.js';
import { int16, int32, message, RawClient } from '../../raw-client.js';
import { refusal, startPostgres } from '../../site.js';

const ROWS = `INSERT INTO "default" ("entity-id", age, pay) VALUES
  ('a', 1, 1.5), ('b', 2, 2.25), ('c', -4, 10), ('d', 0, 0), ('e', 7, -0.05), ('f', 3, 90000000000.1), ('g', NULL, NULL)`;
const QUERIES = [
  'SELECT pay FROM "default" ORDER BY "entity-id"',
  'SELECT pay * 2, pay + 1, pay - 0.5, -pay, abs(pay) FROM "default" ORDER BY "entity-id"',
  'SELECT pay * pay, pay * age, pay::numeric(20, 4), age::numeric(10, 2), age::numeric FROM "default" ORDER BY "entity-id"',
  'SELECT round(pay, 1), round(pay), ceil(pay), floor(pay), trunc(pay, 1) FROM "default" ORDER BY "entity-id"',
  'SELECT sum(pay), min(pay), max(pay), sum(pay) * 2, max(pay) - min(pay), sum(pay * age) FROM "default"',
  'SELECT age, sum(pay) FROM "default" GROUP BY age ORDER BY age',
  'SELECT coalesce(pay, 0.00), CASE WHEN age > 1 THEN pay ELSE 0.50 END FROM "default" ORDER BY "entity-id"',
  'SELECT sum(pay) OVER (ORDER BY "entity-id") FROM "default" ORDER BY "entity-id"',
  'SELECT 1.50, 1.50 + 2, 1.0, -0.10, 100::numeric(6, 3)',
  'SELECT pay::text, pay || \'\', concat(pay, \'x\'), (pay * 1.0)::varchar FROM "default" ORDER BY "entity-id"',
  'SELECT div(pay, 2), mod(pay, 0.4), pay % 2, floor(pay) FROM "default" ORDER BY "entity-id"',
];
/** Quotients and means: PostgreSQL chooses their number of decimal places by value, and we have 16 or more in all rows. */
const QUOTIENTS = [
  'SELECT round(pay, 4), trunc(pay, 3), round(age, 2), round(pay) / 2, sign(pay) / 4, ceil(pay) / 8 FROM "default" WHERE pay < 20 ORDER BY "entity-id"',
  'SELECT avg(age), avg(pay), avg(DISTINCT age) FROM "default" WHERE pay BETWEEN 1 AND 10',
  'SELECT age, avg(pay) FROM "default" WHERE pay BETWEEN 1 AND 10 GROUP BY age ORDER BY age',
  'SELECT avg(age) OVER (ORDER BY "entity-id"), avg(pay) OVER () FROM "default" WHERE pay BETWEEN 1 AND 10 ORDER BY "entity-id"',
  'SELECT pay / 1.5, pay / 3, 7 / pay, -pay / 0.3 FROM "default" WHERE pay BETWEEN 1 AND 10 ORDER BY "entity-id"',
  'SELECT sum(pay) / count(*), sum(age)::numeric / 3 FROM "default" WHERE pay BETWEEN 1 AND 10',
  'SELECT avg(age::float8), avg(1::float8), round(2.5::float8), round(-3.5::float8), 1e15::float8, 1e14::float8, 1.5e-5::float8, 0.0001::float8 FROM "default"',
];

t.test('decimals', async (t) => {
  const fixture = await startPostgres(t);
  const columns = [
    { name: 'age', type: 'integer' },
    { name: 'pay', type: 'decimal', 'decimal-places': 2 },
  ];
  await fixture.https.request({ method: 'POST', path: '/v1/column', body: columns });
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  await postgres.exec(
    'CREATE TABLE "default" ("entity-id" text PRIMARY KEY, age bigint, pay numeric(30, 2))',
  );
  await postgres.exec(ROWS);
  const client = await fixture.connect();
  await client.query(ROWS);

  t.test('have the scale of PostgreSQL', async (t) => {
    for (const text of QUERIES) {
      const found = await client.query({ text, rowMode: 'array' });
      const wanted = await postgres.query(text, [], { rowMode: 'array', parsers: PARSERS });
      t.strictSame(found.rows, wanted.rows, text);
    }
  });

  t.test('have the quotients and means of PostgreSQL', async (t) => {
    const numbers = (rows: readonly unknown[]): unknown =>
      (rows as (string | null)[][]).map((row) => row.map((value) => (value === null ? null : Number(value))));
    for (const text of QUOTIENTS) {
      const found = await client.query({ text, rowMode: 'array' });
      const wanted = await postgres.query(text, [], { rowMode: 'array', parsers: PARSERS });
      t.strictSame(numbers(found.rows), numbers(wanted.rows), text);
    }
    const mean = 'SELECT avg(n), avg(n)::text, 1.0 / 3 FROM (VALUES (1), (2), (2)) v (n)';
    const answer = await client.query({ text: mean, rowMode: 'array' });
    t.strictSame(answer.rows, [['1.6666666666666667', '1.6666666666666667', '0.3333333333333333']]);
    t.equal((await refusal(client.query('SELECT mod(1, 0)'))).code, '22012');
    t.equal((await refusal(client.query('SELECT div(1.5, 0)'))).code, '22012');
  });

  t.test('have the same scale in the binary format, RETURNING and COPY', async (t) => {
    const raw = new RawClient(fixture.port);
    t.teardown(() => raw.close());
    await raw.start('quarry', fixture.keys.master);
    const received = await raw.send(
      'Z',
      message('P', '', `SELECT pay FROM "default" WHERE "entity-id" = 'c'`, int16(0)),
      message('B', '', '', int16(0, 0, 1, 1)),
      message('E', '', int32(0)),
      message('S'),
    );
    const row = received.find(({ kind }) => kind === 'D');
    t.strictSame(row?.body.subarray(6), numericBytes('10.00'));
    const copied = await raw.send(
      'Z',
      message('Q', 'COPY (SELECT pay FROM "default" ORDER BY "entity-id") TO STDOUT'),
    );
    t.equal(
      copied
        .filter(({ kind }) => kind === 'd')
        .map(({ body }) => body.toString())
        .join(''),
      '1.50\n2.25\n10.00\n0.00\n-0.05\n90000000000.10\n\\N\n',
    );
    const update = `UPDATE "default" SET pay = 3 WHERE "entity-id" = 'd' RETURNING pay`;
    t.strictSame((await client.query(update)).rows, [{ pay: '3.00' }]);
  });
});

/** node-postgres returns integers of 64 bits as text. */
const PARSERS = { 20: (text: string): string => text };
