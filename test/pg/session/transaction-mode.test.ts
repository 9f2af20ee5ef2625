/** READ ONLY transactions, transactions that read one version of the data, and what dbt does with tables. */
import t from 'tap';
import { refusal, startPostgres } from '../site.js';

t.test('modes of transactions', async (t) => {
  const fixture = await startPostgres(t);
  const [client, other] = [await fixture.connect(), await fixture.connect()];
  for (const table of ['fast_table', 'slow_table']) {
    await client.query(`CREATE TABLE ${table} (n bigint)`);
    await client.query(`INSERT INTO ${table} VALUES ('a', 1), ('b', 2)`);
  }
  const sum = async (table: string): Promise<string> =>
    (await client.query<{ sum: string }>(`SELECT SUM(n) FROM ${table}`)).rows[0].sum;

  for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
    t.test(`the SELECTs of a transaction with ${level} read one version, or are refused`, async (t) => {
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      const [fast, slow] = [await sum('fast_table'), await sum('slow_table')];
      await other.query(`UPDATE fast_table SET n = n + 1 WHERE "entity-id" = 'a'`);
      t.equal(await sum('slow_table'), slow, 'a table that did not change');
      t.match(await refusal(client.query('SELECT SUM(n) FROM fast_table')), { code: '40001' });
      t.match(await refusal(client.query('SELECT 1')), { code: '25P02' });
      await client.query('ROLLBACK');
      t.equal(await sum('fast_table'), String(Number(fast) + 1));
    });
  }

  t.test('a cursor that was opened before a change has the rows of the version', async (t) => {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await client.query('DECLARE c CURSOR FOR SELECT n FROM slow_table ORDER BY n');
    await client.query('SELECT COUNT(*) FROM fast_table');
    await other.query(`UPDATE slow_table SET n = 5 WHERE "entity-id" = 'b'`);
    t.strictSame((await client.query('FETCH ALL FROM c')).rows, [{ n: '1' }, { n: '2' }]);
    t.match(await refusal(client.query('SELECT n FROM slow_table')), { code: '40001' });
    await client.query('ROLLBACK');
  });

  t.test('without such a level, each SELECT reads the newest version', async (t) => {
    await client.query('BEGIN');
    const before = await sum('fast_table');
    await other.query(`UPDATE fast_table SET n = n + 1 WHERE "entity-id" = 'a'`);
    t.equal(await sum('fast_table'), String(Number(before) + 1));
    await client.query('COMMIT');
  });

  t.test('a READ ONLY transaction and a read-only session write nothing but temporary tables', async (t) => {
    await client.query('START TRANSACTION READ ONLY');
    t.match(await refusal(client.query(`DELETE FROM fast_table`)), { code: '25006' });
    await client.query('ROLLBACK');
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
    t.strictSame((await client.query('SHOW transaction_read_only')).rows, [{ transaction_read_only: 'on' }]);
    for (const text of ['CREATE TABLE x (n int)', 'TRUNCATE fast_table', 'DROP TABLE fast_table']) {
      t.match(await refusal(client.query(text)), { code: '25006' }, text);
    }
    t.match(await refusal(client.query('COPY fast_table FROM STDIN')), { code: '25006' });
    await client.query('CREATE TEMP TABLE own (n int)');
    await client.query('INSERT INTO own VALUES (1)');
    await client.query('BEGIN READ WRITE');
    await client.query(`INSERT INTO fast_table VALUES ('c', DEFAULT)`);
    await client.query('COMMIT');
    await client.query('SET default_transaction_read_only = off');
    t.match(await refusal(client.query('BEGIN ISOLATION LEVEL NONE')), { code: '42601' });
    t.strictSame((await client.query('SHOW transaction_isolation')).rows, [
      { transaction_isolation: 'read committed' },
    ]);
  });

  t.test(
    'rows are written without a list of columns, with DEFAULT and ONLY, and TRUNCATE deletes them',
    async (t) => {
      await client.query('CREATE TABLE some_rows (n bigint, label text)');
      await client.query(`INSERT INTO some_rows VALUES ('a', 1, 'x'), ('b', DEFAULT, 'y')`);
      await client.query(`INSERT INTO some_rows SELECT 'c', 3, 'z'`);
      const returned = await client.query(`INSERT INTO some_rows VALUES ('d', 4) RETURNING "entity-id", n`);
      t.strictSame(returned.rows, [{ 'entity-id': 'd', n: '4' }]);
      await client.query(`UPDATE ONLY some_rows SET label = DEFAULT WHERE n = 1`);
      await client.query(`DELETE FROM ONLY some_rows WHERE n = 3`);
      t.strictSame((await client.query('SELECT * FROM some_rows ORDER BY 1')).rows, [
        { 'entity-id': 'a', n: '1', label: null },
        { 'entity-id': 'b', n: null, label: 'y' },
        { 'entity-id': 'd', n: '4', label: null },
      ]);
      t.match(await refusal(client.query(`INSERT INTO some_rows VALUES ('e', 1, 'x', 2)`)), {
        code: '42601',
      });
      t.equal(
        (await client.query('TRUNCATE TABLE ONLY some_rows RESTART IDENTITY CASCADE')).command,
        'TRUNCATE',
      );
      t.strictSame((await client.query('SELECT COUNT(*) FROM some_rows')).rows, [{ count: '0' }]);
    },
  );
});

t.test('dbt builds a model twice, and inserts into it from a temporary table', async (t) => {
  const client = await (await startPostgres(t)).connect();
  const relations = async (): Promise<readonly string[]> =>
    (
      await client.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname ILIKE 'public' ORDER BY 1`,
      )
    ).rows.map(({ name }) => name);
  const columns = async (table: string): Promise<string> =>
    (
      await client.query<{ column_name: string }>(
        `SELECT column_name FROM "quarry".INFORMATION_SCHEMA.columns WHERE table_name = $1
          AND table_schema = 'public' ORDER BY ordinal_position`,
        [table],
      )
    ).rows
      .map(({ column_name: name }) => `"${name}"`)
      .join(', ');

  const build = async (value: number): Promise<void> => {
    const exists = (await relations()).includes('daily_sales');
    await client.query('BEGIN');
    await client.query('drop table if exists "quarry"."public"."daily_sales__dbt_tmp" cascade');
    await client.query(`create table "quarry"."public"."daily_sales__dbt_tmp" as
      (select 'd1' as "entity-id", ${value} as sold_items)`);
    if (exists) {
      await client.query('alter table "quarry"."public"."daily_sales" rename to "daily_sales__dbt_backup"');
    }
    await client.query('alter table "quarry"."public"."daily_sales__dbt_tmp" rename to "daily_sales"');
    await client.query('COMMIT');
    await client.query('drop table if exists "quarry"."public"."daily_sales__dbt_backup" cascade');
  };
  await build(1);
  t.strictSame(await relations(), ['daily_sales', 'default']);
  await build(2);
  t.strictSame(await relations(), ['daily_sales', 'default']);
  await client.query(
    `create temporary table "daily_sales__dbt_tmp201" as (select 'd2' as "entity-id", 5 as sold_items)`,
  );
  const names = await columns('daily_sales');
  await client.query('BEGIN');
  await client.query(
    `delete from "quarry"."public"."daily_sales" where ("entity-id") in (select ("entity-id") from "daily_sales__dbt_tmp201")`,
  );
  await client.query('COMMIT');
  await client.query(
    `insert into "quarry"."public"."daily_sales" (${names}) (select ${names} from "daily_sales__dbt_tmp201")`,
  );
  t.strictSame((await client.query('SELECT * FROM daily_sales ORDER BY 1')).rows, [
    { 'entity-id': 'd1', 'sold-items': '2' },
    { 'entity-id': 'd2', 'sold-items': '5' },
  ]);
});
