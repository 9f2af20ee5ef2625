/** COPY ... FROM STDIN refuses rows as PostgreSQL does, and accepts the forms of values that PostgreSQL accepts. */
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { message, RawClient, type ReceivedMessage } from '../../raw-client.js';
import { startPostgres } from '../../site.js';

const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'pay', type: 'decimal', 'decimal-places': 2 },
  { name: 'ok', type: 'boolean' },
  { name: 'born', type: 'date' },
  { name: 'seen', type: 'datetime' },
];
const TABLE =
  'CREATE TABLE "default" ("entity-id" text NOT NULL, name text, age bigint, pay numeric(10, 2), ok boolean, born date, seen timestamptz)';

/** Statement and data; each is refused. */
const REFUSED: readonly (readonly [columns: string, options: string, data: string])[] = [
  ['age', '', 'a\t1\nb\ttwelve\n'],
  ['age', '', 'a\t1.5\n'],
  ['age', '', 'a\t\n'],
  ['age', '', 'a\t9223372036854775808\n'],
  ['pay', '', 'a\t1\nb\t1,5\n'],
  ['ok', '', 'a\tmaybe\n'],
  ['born', '', 'a\t2000-01-01\nb\tyesterday2\n'],
  ['born', '', 'a\t2000-13-45\n'],
  ['seen', '', 'a\tsoon\n'],
  ['age', '(FORMAT csv, HEADER)', 'id,age\na,1\n"b\nc",x\n'],
  ['name, age', '(FORMAT csv)', `a,n,${'x'.repeat(120)}\n`],
  ['name, age', '', 'a\tn\t1\nb\tn\n'],
  ['age', '', 'a\t1\t2\n'],
  ['age', '', '\\N\t2\n'],
];
const ACCEPTED =
  'a\t +7 \t.50\tyes\t2000-02-29\t2000-01-02 03:04:05+01\nb\t007\t-3.\toff\t1999-12-31\t2000-01-02\n';

interface Outcome {
  readonly code: string;
  readonly message: string;
  readonly where: string;
}

const fieldsOf = (messages: readonly ReceivedMessage[]): Outcome => {
  const error = messages.find(({ kind }) => kind === 'E');
  const fields = new Map<string, string>();
  for (const field of error?.body.toString().split('\0') ?? []) fields.set(field[0] ?? '', field.slice(1));
  return { code: fields.get('C') ?? '', message: fields.get('M') ?? '', where: fields.get('W') ?? '' };
};

t.test('COPY FROM STDIN', async (t) => {
  const fixture = await startPostgres(t);
  await fixture.https.request({ method: 'POST', path: '/v1/column', body: COLUMNS });
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  await postgres.exec(TABLE);
  const raw = new RawClient(fixture.port);
  t.teardown(() => raw.close());
  await raw.start('quarry', fixture.keys.master);
  const copied = async (statement: string, data: string): Promise<Outcome> => {
    const rows = [message('d', Buffer.from(data)), message('c')];
    return fieldsOf(await raw.send('Z', message('Q', statement), ...rows));
  };
  const expected = async (statement: string, data: string): Promise<Outcome> => {
    try {
      await postgres.query(statement.replace('STDIN', "'/dev/blob'"), [], { blob: new Blob([data]) });
      return { code: '', message: '', where: '' };
    } catch (error) {
      const { code, message, where } = error as Outcome;
      return { code, message, where };
    }
  };
  t.test(
    'a row that does not fit is refused with the code, words, line and column of PostgreSQL',
    async (t) => {
      for (const [columns, options, data] of REFUSED) {
        const statement = `COPY "default" ("entity-id", ${columns}) FROM STDIN ${options}`;
        const found = await copied(statement, data);
        const wanted = await expected(statement, data);
        t.not(wanted.code, '', `PostgreSQL refuses ${JSON.stringify(data)}`);
        // PostgreSQL shows the whole row of a table, of which NULL is one value, and not the line.
        const isNull = wanted.code === '23502';
        t.strictSame(found, isNull ? { ...wanted, where: found.where } : wanted, JSON.stringify(data));
      }
      t.strictSame((await (await fixture.connect()).query('SELECT * FROM "default"')).rows, []);
    },
  );

  t.test('a value is refused when its row is read, also in a transaction block', async (t) => {
    await raw.send('Z', message('Q', 'BEGIN'));
    t.equal((await copied('COPY "default" ("entity-id", age) FROM STDIN', 'a\tx\n')).code, '22P02');
    await raw.send('Z', message('Q', 'ROLLBACK'));
  });

  t.test('signs, blanks and zeros around numbers are accepted as in PostgreSQL', async (t) => {
    const statement = 'COPY "default" ("entity-id", age, pay, ok, born, seen) FROM STDIN';
    t.equal((await copied(statement, ACCEPTED)).message, '');
    await expected(statement, ACCEPTED);
    const query = `SELECT "entity-id", age::text, pay, ok, born::text, extract(epoch FROM seen)::bigint::text AS seen
      FROM "default" ORDER BY 1`;
    const client = await fixture.connect();
    t.strictSame((await client.query(query)).rows, (await postgres.query(query)).rows);
  });
});
