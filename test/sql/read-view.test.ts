/** The text of a view: taken from CREATE VIEW, and read again. */
import t from 'tap';
import { readPostgres, readPostgresModel, readScript, readView, viewText } from '../../src/sql/index.js';

const QUERIES = [
  'SELECT a FROM t',
  '(SELECT 1 AS x) UNION ALL SELECT 2',
  "WITH w AS (SELECT '𝒳;é' AS s) SELECT s FROM w -- ends; here",
  'VALUES (1), (2)',
  "SELECT a\n/* 𝒳 */ FROM t\n WHERE s = '\n𝒳'",
  'TABLE t',
];

function created(statement: unknown): Parameters<typeof viewText>[1] {
  const { is } = statement as { readonly is: string };
  if (is !== 'create-view') throw new Error(`${is} is not CREATE VIEW`);
  return statement as Parameters<typeof viewText>[1];
}

t.test('CREATE VIEW keeps the text of its query in both dialects', async (t) => {
  for (const query of QUERIES) {
    for (const head of ['CREATE VIEW v AS ', '/* 𝒳\n𝒳 */ CREATE OR REPLACE VIEW v (𝒳, b) AS\n\t']) {
      for (const tail of ['', ' ', '\n; ']) {
        const text = `${head}${query}${tail}`;
        const { statements } = readScript(text);
        t.equal(viewText(text, created(statements[0])), query);
        const first = 'SELECT 1;\n';
        const whole = `${first}${text}`;
        const statement = readPostgres(whole)[1];
        t.equal(viewText(whole, created(readPostgresModel(statement, []))), query);
      }
    }
  }
});

t.test('the text of a view is one SELECT', async (t) => {
  for (const dialect of ['http', 'postgres'] as const) {
    const read = (sql: string) => readView({ sql, dialect, columns: null }, 'quarry');
    for (const query of QUERIES) t.ok(read(query).body, `${dialect}: ${query}`);
    for (const sql of [
      '',
      ';',
      '-- nothing',
      'SELECT 1; SELECT 2',
      'DELETE FROM t',
      'EXPLAIN SELECT 1',
      'SELECT (',
      'DROP VIEW v',
    ]) {
      t.throws(() => read(sql), { code: 6000 }, `${dialect}: ${sql}`);
    }
  }
  t.throws(() => readView({ sql: 'SELECT $1', dialect: 'postgres', columns: null }, 'quarry'), {
    code: 6000,
  });
  const other = { sql: 'SELECT 1 FROM other.public.t', dialect: 'postgres', columns: null } as const;
  t.ok(readView(other, 'other').body);
});
