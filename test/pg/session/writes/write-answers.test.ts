/** Writes on the port: INSERT, UPDATE, DELETE, transaction blocks and COPY in both directions. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { kinds, message, RawClient, type ReceivedMessage, textOf } from '../../raw-client.js';
import { refusal, startPostgres } from '../../site.js';

const run = promisify(execFile);
const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'pay', type: 'decimal', 'decimal-places': 2 },
  { name: 'ok', type: 'boolean' },
  { name: 'born', type: 'date' },
  { name: 'seen', type: 'datetime' },
  { name: 'visit', type: 'integer-event' },
];

t.test('writes', async (t) => {
  const fixture = await startPostgres(t);
  await fixture.https.request({ method: 'POST', path: '/v1/column', body: COLUMNS });
  const client = await fixture.connect();
  const other = await fixture.connect();
  const ids = async (): Promise<string> =>
    (await other.query<{ id: string }>('SELECT "entity-id" AS id FROM "default" ORDER BY 1')).rows
      .map(({ id }) => id)
      .join();

  t.test('INSERT, UPDATE and DELETE take effect at once, with parameters of all types', async (t) => {
    const inserted = await client.query(
      `INSERT INTO public."default" ("entity-id", name, age, pay, ok, born, seen) VALUES ($1, $2, $3, $4, $5, $6, $7),
       ('b', 'Bob', -1, '2.50'::numeric, 't', DATE '2001-02-03', '2020-01-02 03:04:05+01')`,
      ['a', "o'neill", 41, '10.25', true, '1990-01-01', new Date('2020-01-02T03:04:05Z')],
    );
    t.strictSame([inserted.command, inserted.rowCount], ['INSERT', 2]);
    const { rows } = await other.query(
      'SELECT name, age, pay, ok, born::text AS born, seen FROM "default" ORDER BY 1',
    );
    t.strictSame(rows, [
      {
        name: 'bob',
        age: '-1',
        pay: '2.50',
        ok: true,
        born: '2001-02-03',
        seen: new Date('2020-01-02T02:04:05Z'),
      },
      {
        name: "o'neill",
        age: '41',
        pay: '10.25',
        ok: true,
        born: '1990-01-01',
        seen: new Date('2020-01-02T03:04:05Z'),
      },
    ]);
    t.equal((await client.query('UPDATE "default" SET age = $1 WHERE age < $2', [7, 0])).rowCount, 1);
    t.equal((await client.query(`DELETE FROM "default" WHERE age = 7`)).rowCount, 1);
    t.equal(await ids(), 'a');
  });

  t.test('a refused write changes nothing and its error gives the reason', async (t) => {
    const wrong: readonly (readonly [text: string, code: string])[] = [
      [`INSERT INTO "default" ("entity-id", age) VALUES ('x', 1), ('y', 'many')`, '22P02'],
      [`INSERT INTO "default" ("entity-id", nix) VALUES ('x', 1)`, '42703'],
      [`INSERT INTO nix ("entity-id") VALUES ('x')`, '42P01'],
      [`INSERT INTO "default" VALUES ('x')`, '42601'],
      [`INSERT INTO "default" ("entity-id") VALUES ('x') ON CONFLICT (nix) DO NOTHING`, '42703'],
      [`INSERT INTO "default" ("entity-id") VALUES ('x') RETURNING nix`, '42703'],
      ['CREATE INDEX x ON y (z)', '0A000'],
      ["NOTIFY x, 'y'", '0A000'],
      ['LISTEN x', '0A000'],
    ];
    for (const [text, code] of wrong) t.match(await refusal(client.query(text)), { code }, text);
    const reader = await fixture.connect(fixture.keys.read);
    for (const text of [`DELETE FROM "default"`, 'COPY "default" FROM STDIN'])
      t.match(await refusal(reader.query(text)), { code: '42501' }, text);
    t.equal(await ids(), 'a');
  });

  t.test('the writes of a block take effect at COMMIT, all or none', async (t) => {
    const insert = (id: string, age: unknown): string =>
      `INSERT INTO "default" ("entity-id", age) VALUES ('${id}', ${age})`;
    await client.query('BEGIN');
    await client.query(insert('t1', 1));
    await client.query(insert('t2', 2));
    await client.query(`UPDATE "default" SET age = 3 WHERE age = 2`);
    t.match(
      await refusal(client.query('SELECT count(*) FROM "default"')),
      { code: '0A000' },
      'unseen writes',
    );
    await client.query('ROLLBACK');
    t.equal(await ids(), 'a');
    await client.query('BEGIN');
    await client.query(insert('t1', 1));
    await client.query('SAVEPOINT s');
    await client.query(insert('t2', 2));
    t.match(await refusal(client.query(insert('t3', 1).replace('age', 'nix'))), { code: '42703' });
    t.match(await refusal(client.query(insert('t4', 1))), { code: '25P02' });
    await client.query('ROLLBACK TO SAVEPOINT s');
    await client.query(`UPDATE "default" SET age = 9 WHERE age = 1`);
    t.equal(await ids(), 'a', 'not yet');
    await client.query('COMMIT');
    t.equal(await ids(), 'a,t1');
    t.strictSame((await other.query(`SELECT age FROM "default" WHERE "entity-id" = 't1'`)).rows, [
      { age: '9' },
    ]);
    await client.query('BEGIN');
    await client.query(insert('t5', 1));
    await client.query(insert('t6', "'many'"));
    t.ok(await refusal(client.query('COMMIT')), 'refused at COMMIT');
    t.equal(await ids(), 'a,t1');
    t.ok(await refusal(client.query(`${insert('m1', 1)}; ${insert('m2', "'x'")}`)), 'several in one message');
    t.equal(await ids(), 'a,t1');
    await client.query(
      `${insert('m1', 1)}; DELETE FROM "default" WHERE "entity-id" = 'm1'; ${insert('m2', 1)}`,
    );
    t.equal(await ids(), 'a,m2,t1');
  });

  t.test('RETURNING of an INSERT in a block returns what the statement will write', async (t) => {
    const before = await ids();
    await client.query('BEGIN');
    const first = await client.query(
      `INSERT INTO "default" ("entity-id", name, pay, born) VALUES ('R1', 'Ann', 1.5, '2001-02-03'), ('r2', NULL, $1, NULL)
       RETURNING "entity-id" AS id, upper(name) AS name, pay * 2 AS twice, born::text AS born`,
      ['7'],
    );
    t.strictSame(
      [first.command, first.rowCount, first.rows],
      [
        'INSERT',
        2,
        [
          { id: 'r1', name: 'ANN', twice: '3.00', born: '2001-02-03' },
          { id: 'r2', name: null, twice: '14.00', born: null },
        ],
      ],
    );
    t.equal(await ids(), before, 'nothing is written before COMMIT');
    t.strictSame(
      (await client.query(`INSERT INTO "default" ("entity-id", age) VALUES ('r3', 1) RETURNING 1 AS one`))
        .rows,
      [{ one: '1' }],
    );
    await client.query('COMMIT');
    t.equal(await ids(), [...before.split(','), 'r1', 'r2', 'r3'].sort().join());
    const refused: readonly (readonly [text: string, code: string])[] = [
      [`INSERT INTO "default" ("entity-id") VALUES ('r4') RETURNING *`, '0A000'],
      [`INSERT INTO "default" ("entity-id") VALUES ('r4') RETURNING age`, '0A000'],
      [
        `INSERT INTO "default" ("entity-id") VALUES ('r4') ON CONFLICT DO NOTHING RETURNING "entity-id"`,
        '0A000',
      ],
      [
        `INSERT INTO "default" ("entity-id") VALUES ('r4') RETURNING (SELECT count(*) FROM "default")`,
        '0A000',
      ],
      [`INSERT INTO "default" ("entity-id", age) VALUES ('r4', 'x') RETURNING age`, '22P02'],
      [`UPDATE "default" SET age = 1 RETURNING age`, '0A000'],
      [`DELETE FROM "default" RETURNING "entity-id"`, '0A000'],
    ];
    for (const [text, code] of refused) {
      await client.query('BEGIN');
      t.equal((await refusal(client.query(text))).code, code, text);
      await client.query('ROLLBACK');
    }
    await client.query(`DELETE FROM "default" WHERE "entity-id" IN ('r1', 'r2', 'r3')`);
    t.equal(await ids(), before);
  });

  t.test('COPY TO STDOUT and back, in text and CSV, with psql', async (t) => {
    if (!fs.existsSync('/usr/bin/psql')) {
      t.comment('left out: psql is not installed (postgresql-client)');
      return;
    }
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-copy-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const flags = ['-X', '-q', '-h', '127.0.0.1', '-p', String(fixture.port), '-U', 'any', '-d', 'quarry'];
    const env = { ...process.env, PGPASSWORD: fixture.keys.master, PGSSLMODE: 'require' };
    const psql = async (...commands: readonly string[]): Promise<string> =>
      (
        await run(
          '/usr/bin/psql',
          [...flags, '-v', 'ON_ERROR_STOP=1', ...commands.flatMap((one) => ['-c', one])],
          { env },
        )
      ).stdout;
    await psql('DELETE FROM "default"');
    const names = ['a\tb', 'c\\d', 'two\nlines', '"quoted", too', '\\N', '\\.', ' x ', 'ü☃'];
    for (const [at, name] of names.entries()) {
      const text =
        'INSERT INTO "default" ("entity-id", name, age, pay, ok, born, seen) VALUES ($1, $2, $3, $4, $5, $6, $7)';
      const values =
        at % 3 === 1
          ? [null, null, null, null, null]
          : [at, '-1.50', at % 2 === 0, '2001-02-03', '2020-01-02 03:04:05+00'];
      await client.query(text, [`e${at}`, name, ...values]);
    }
    const all = async (): Promise<string> =>
      JSON.stringify((await other.query('SELECT * FROM "default" ORDER BY "entity-id"')).rows);
    const before = await all();
    for (const options of [
      '',
      'WITH (FORMAT csv, HEADER)',
      "WITH (FORMAT csv, DELIMITER ';', NULL 'none', QUOTE '''')",
      "DELIMITER '|' NULL 'x'",
      'CSV HEADER',
    ]) {
      const file = path.join(dir, 'rows');
      await psql(`\\copy "default" TO '${file}' ${options}`);
      await psql('DELETE FROM "default"');
      t.equal(await all(), '[]');
      await psql(`\\copy "default" FROM '${file}' ${options}`);
      t.equal(await all(), before, options);
    }
    t.equal(
      await psql(
        'COPY (SELECT "entity-id", age FROM "default" WHERE age < 3 ORDER BY 1) TO STDOUT (FORMAT csv, HEADER)',
      ),
      'entity-id,age\ne0,0\ne2,2\n',
    );
    const binary = await run(
      '/usr/bin/psql',
      [...flags, '-c', 'COPY (SELECT 7 AS n, NULL::text AS t) TO STDOUT WITH BINARY'],
      { env, encoding: 'buffer' },
    );
    const wanted = '5047434f50590aff0d0a0000000000000000000002000000080000000000000007ffffffffffff';
    t.equal(binary.stdout.toString('hex'), wanted);
  });

  t.test('COPY FROM STDIN is whole or refused, message by message', async (t) => {
    await client.query('DELETE FROM "default"');
    const raw = new RawClient(fixture.port);
    t.teardown(() => raw.close());
    await raw.start('quarry', fixture.keys.master);
    const copy = (until: string, ...parts: readonly string[]): Promise<readonly ReceivedMessage[]> =>
      raw.send(until, ...parts.map((part) => message('d', Buffer.from(part))), message('c'));
    const begin = 'COPY "default" ("entity-id", age, "visit.value", "visit.date") FROM STDIN';
    t.equal(kinds(await raw.send('G', message('Q', begin))), 'G');
    const many = Array.from({ length: 2_500 }, (_, at) => `r${at}\t${at}\t${at}\t2024-01-01\n`).join('');
    const done = await copy('Z', 'x\t1', '0\t\\N\t\\N', `\n${many.slice(0, 777)}`, many.slice(777));
    t.strictSame([kinds(done), textOf(done, 'C')], ['CZ', 'COPY 2501\0']);
    t.strictSame((await other.query('SELECT count(*) AS n, sum(age) AS s FROM "default"')).rows, [
      { n: '2501', s: String((2_499 * 2_500) / 2 + 10) },
    ]);
    await raw.send('G', message('Q', begin));
    t.match(
      textOf(await copy('Z', 'y\t1\n', 'z\t1\t2\t2024-01-01\n'), 'E'),
      /C22P04\0[\s\S]*missing data for column "visit.value"[\s\S]*COPY default, line 1/,
    );
    await raw.send('G', message('Q', begin));
    t.match(
      textOf(await copy('Z', 'y\t1\t\\N\t\\N\nz\tmany\t\\N\t\\N\n'), 'E'),
      /C22P02\0[\s\S]*COPY default, line 2, column age/,
    );
    await raw.send('G', message('Q', begin));
    const failed = await raw.send('Z', message('d', Buffer.from('y\t1\t\\N\t\\N\n')), message('f', 'enough'));
    t.match(textOf(failed, 'E'), /57014\0[\s\S]*enough/);
    await raw.send('G', message('Q', begin));
    t.match(textOf(await raw.send('Z', message('Q', 'SELECT 1')), 'E'), /08P01/);
    t.equal(kinds(await raw.send('Z')), 'TDCZ', 'the message that ended the COPY is answered');
    t.equal((await ids()).split(',').length, 2_501, 'no row of the failed ones');
    await raw.send('Z', message('Q', 'BEGIN'));
    await raw.send('G', message('Q', begin));
    await copy('Z', 'y\t1\t\\N\t\\N\n');
    t.notMatch(await ids(), /y/);
    await raw.send('Z', message('Q', 'COMMIT'));
    t.match(await ids(), /,y$/);
  });
});
