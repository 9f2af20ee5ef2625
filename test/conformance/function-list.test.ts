/**
 * Functions, operators and aggregates of PostgreSQL and DuckDB, each over HTTP and on the Postgres port. The port's values are those
 * of PostgreSQL, where it has the function; HTTP's are those of DuckDB, where both have it and do not differ by design.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { startPostgres } from '../pg/site.js';

t.setTimeout(120_000);

/** Judged by PostgreSQL on the port; over HTTP they are answered. */
const OF_POSTGRES: Readonly<Record<string, readonly string[]>> = {
  text: [
    ...[
      "regexp_replace(s, 'e+', 'E', 'g')",
      "regexp_like(s, 'e.')",
      "regexp_count(s, 'e')",
      "regexp_instr(s, 'e')",
    ],
    ...[
      "regexp_substr(s, '[a-e]+')",
      "s ~ 'e'",
      "s ~* 'E'",
      "s !~ 'e'",
      "s !~* 'E'",
      "s SIMILAR TO '%(e|x)%'",
    ],
    ...["split_part(s, ' ', 1)", "split_part(s, ' ', -1)", "concat_ws('-', s, n)", "translate(s, 'e', '3')"],
    ...[
      'initcap(s)',
      'chr(65)',
      'ascii(s)',
      'md5(s)',
      "format('%s-%s', s, n)",
      "overlay(s placing 'XX' from 2 for 1)",
    ],
    ...[
      'octet_length(s)',
      'bit_length(s)',
      "array_to_string(string_to_array(s, ' '), '-')",
      "to_char(n, '999')",
    ],
    ...["to_char(x, 'FM999.00')", "to_number('12.5', '99.9')", 's COLLATE "C"', "s LIKE 'r!_%' ESCAPE '!'"],
    ...[
      "s LIKE '%d f%'",
      "s ILIKE 'RED%'",
      'left(s, 2)',
      'right(s, 2)',
      "lpad(s, 10, '*')",
      "rpad(s, 10, '*')",
    ],
    ...[
      "ltrim(s, 'r')",
      "rtrim(s, 'n')",
      "btrim(s, 'gn')",
      "trim(both 'n' from s)",
      'repeat(s, 2)',
      'reverse(s)',
    ],
    ...[
      "replace(s, 'e', 'a')",
      "strpos(s, 'e')",
      "position('e' in s)",
      'substr(s, 2, 2)',
      'substring(s from 2 for 2)',
    ],
    ...['upper(s)', 'lower(s)', 'length(s)', 'char_length(s)', "starts_with(s, 'r')", 'quote_literal(s)'],
    ...['quote_ident(s)', 'quote_nullable(s)', 's || n', "cardinality(string_to_array(s, ' '))"],
    ...["'red' = ANY (string_to_array(s, ' '))", 's::varchar(3)', 'n::text'],
  ],
  dates: [
    ...["to_char(ts, 'YYYY-MM-DD HH24:MI:SS')", "to_char(d, 'Day Mon')", "age(ts, timestamp '2020-01-01')"],
    ...[
      "date_bin(interval '15 minutes', ts, timestamp '2020-01-01')",
      'make_date(2024, 1, 2)',
      "ts + interval '1 day'",
    ],
    ...[
      'make_timestamp(2024, 1, 2, 3, 4, 5)',
      'd + 1',
      "d - date '2020-01-01'",
      "interval '1 month' * 2",
      'ts::date',
    ],
    ...[
      "interval '1' day",
      "interval '1 year 2 months'",
      "'2024-01-01'::date",
      "to_date('2024-01-02', 'YYYY-MM-DD')",
    ],
    ...[
      "date_trunc('month', ts)",
      "date_trunc('week', ts)",
      "date_trunc('quarter', ts)",
      "date_trunc('decade', ts)",
    ],
    ...[
      'year',
      'month',
      'day',
      'dow',
      'isodow',
      'doy',
      'week',
      'quarter',
      'decade',
      'century',
      'millennium',
      'isoyear',
    ]
      .concat('hour', 'minute')
      .map((field) => `extract(${field} from ts)`),
  ],
  numbers: [
    ...[
      'sin',
      'cos',
      'tan',
      'atan',
      'cot',
      'sinh',
      'cosh',
      'tanh',
      'asinh',
      'acosh',
      'degrees',
      'radians',
      'cbrt',
    ]
      .concat('ln', 'exp', 'sqrt')
      .map((name) => `round(${name}(n)::numeric, 6)`),
    ...['asin(0.5)', 'acos(0.5)', 'atan2(n, 2)', 'atanh(0.5)', 'power(n, 2)'].map(
      (of) => `round((${of})::numeric, 6)`,
    ),
    ...[
      'gcd(n, 4)',
      'lcm(n, 4)',
      'div(n, 2)',
      'mod(n, 2)',
      'n % 2',
      'width_bucket(n, 0, 10, 5)',
      'n & 3',
      'n | 4',
    ],
    ...[
      'n # 3',
      '~n',
      'n << 2',
      'n >> 1',
      'abs(x)',
      'ceil(x)',
      'ceiling(x)',
      'floor(x)',
      'round(x)',
      'round(x, 1)',
    ],
    ...[
      'trunc(x)',
      'trunc(x, 1)',
      'sign(x)',
      'greatest(n, 2)',
      'least(n, 2)',
      'nullif(n, 1)',
      'coalesce(n, 1)',
      'x::int',
    ],
    ...['num_nulls(n, NULL, s)', 'num_nonnulls(n, NULL, s)'],
  ],
  lists: [
    ...["array_to_string(regexp_match(s, '(e)(d|n)?'), '|', '-')", "(regexp_match(s, '[a-e]+'))[1]"],
    ...["array_to_string(regexp_split_to_array(s, 'e+'), '|')", 'to_hex(n * 1000)', 'to_hex(-n)'],
    "(SELECT string_agg(part, '|' ORDER BY part) FROM regexp_split_to_table(s, 'e*') AS part)",
    "(SELECT string_agg(m[1], '|' ORDER BY m[1]) FROM regexp_matches(s, '.e', 'g') AS found (m))",
    "(SELECT string_agg(m[1], '|' ORDER BY m[1]) FROM regexp_matches(s, '(x)|n') AS found (m))",
    "(SELECT string_agg(part, '|' ORDER BY part) FROM string_to_table(s, ' ') AS part)",
    "(SELECT string_agg(part || nr, '|' ORDER BY nr) FROM regexp_split_to_table(s, 'e') WITH ORDINALITY AS p (part, nr))",
    ...["array_position(string_to_array(s, 'e'), 'n')", 'array_position(ARRAY[1, n, 2, n], 2, 2)'],
    ...[
      'array_position(ARRAY[n, NULL], NULL)',
      'array_position(ARRAY[n], 7)',
      "json_typeof(('[' || n || ']')::json)",
    ],
    ...['json_typeof(to_json(s))', 'json_typeof(to_json(n))', 'json_typeof(json_build_array(n, s) -> 1)'],
    "json_extract_path_text(json_build_object('a', json_build_array(s, n)), 'a', '1')",
    ...['extract(julian from ts)', 'extract(julian from d)', "date_part('julian', d)"],
  ],
  rows: [
    ...[
      "regexp_split_to_table(s, 'e')",
      "(regexp_matches(s, '(.)e', 'g'))[1]",
      "(regexp_matches(s, 'x|u'))[1]",
    ],
    ...["string_to_table(s, ' ') || n", 'generate_series(1, n)', "upper(unnest(string_to_array(s, 'e')))"],
  ],
  aggregates: [
    ...["(json_object_agg(s, n ORDER BY n)) ->> 'blue'", 'json_typeof(json_object_agg(s, n))'],
    ...['variance', 'var_samp', 'var_pop', 'stddev', 'stddev_samp', 'stddev_pop'].map(
      (name) => `round(${name}(n)::numeric, 9)`,
    ),
    ...[
      'corr',
      'covar_pop',
      'covar_samp',
      'regr_slope',
      'regr_intercept',
      'regr_r2',
      'regr_avgx',
      'regr_avgy',
    ]
      .concat('regr_sxx', 'regr_syy', 'regr_sxy')
      .map((name) => `round(${name}(n, x)::numeric, 9)`),
    ...['regr_count(n, x)', 'bool_and(b)', 'bool_or(b)', 'every(b)', 'bit_and(n)', 'bit_or(n)', 'bit_xor(n)'],
    ...[
      "string_agg(s, ',' ORDER BY s)",
      'any_value(1)',
      'mode() WITHIN GROUP (ORDER BY n)',
      'sum(DISTINCT n)',
    ],
    ...['percentile_disc(0.5) WITHIN GROUP (ORDER BY n)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY n)'],
    ...['count(*) FILTER (WHERE b)', "array_to_string(array_agg(s ORDER BY s), '-')"],
  ],
};

/** Judged by DuckDB over HTTP; on the port they are answered. */
const OF_DUCKDB: Readonly<Record<string, readonly string[]>> = {
  text: [
    ...[
      "regexp_extract(s, '[a-e]+')",
      "regexp_full_match(s, 'b.*')",
      "regexp_full_match(s, 'lu')",
      'sha256(s)',
    ],
    ...["ends_with(s, 'n')", "contains(s, 'e')", 'lcase(s)', 'ucase(s)', "instr(s, 'e')", 'unicode(s)'],
    ...["array_length(string_split(s, ' '))", "array_length(str_split(s, ' '))"],
  ],
  dates: [
    ...[
      "strftime(ts, '%Y-%m')",
      "time_bucket(interval '15 minutes', ts)",
      'dayname(d)',
      'monthname(d)',
      'last_day(d)',
    ],
    ...[
      "datediff('day', d, date '2024-03-01')",
      'year(d)',
      'month(d)',
      'day(d)',
      'hour(ts)',
      'minute(ts)',
      'second(ts)',
    ],
    ...['quarter(d)', 'week(d)', 'dayofyear(d)', 'isodow(d)'],
  ],
  aggregates: [
    'median(n)',
    'arg_min(s, n)',
    'arg_max(s, n)',
    'min_by(s, n)',
    'max_by(s, n)',
    'quantile_cont(n, 0.5)',
  ],
};

const TABLE = 'src (n bigint, x decimal(12,2), s text, b boolean, d date, ts timestamp';
const ROWS = `INSERT INTO src ("entity-id", n, x, s, b, d, ts) VALUES
  ('a', 1, 1.5, 'red fox', true, '2024-01-31', '2024-01-31 10:20:30'),
  ('b', 2, 2.25, 'blue', false, '2023-05-06', '2023-05-06 00:00:00'),
  ('c', 6, -3.75, 'green', true, '2020-02-29', '2020-02-29 23:59:59')`;

/** Groups whose rows have no order. */
const UNORDERED: ReadonlySet<string> = new Set(['aggregates', 'rows']);

const selected = (group: string, item: string): string =>
  `SELECT ${item} AS v FROM src${UNORDERED.has(group) ? '' : ' ORDER BY "entity-id"'}`;

const compared = (group: string, values: readonly unknown[]): readonly unknown[] =>
  UNORDERED.has(group) ? values.map(normal).sort() : values.map(normal);

/** Numbers that differ by rounding only, and datetimes of both engines, are equal. */
function normal(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(Number(value).toPrecision(12));
  if (typeof value !== 'string') return value;
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(Number(value).toPrecision(12));
  return value.replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(Z|\+00)?$/, '$1 $2');
}

t.test('each function, over HTTP and on the port', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const duck = await instance.connect();
  t.teardown(() => {
    duck.closeSync();
    instance.closeSync();
  });
  await client.query(`CREATE TABLE ${TABLE})`);
  await postgres.exec(`CREATE TABLE ${TABLE}, "entity-id" text)`);
  await duck.run(`CREATE TABLE ${TABLE}, "entity-id" text)`);
  for (const insert of [(text: string) => client.query(text), (text: string) => postgres.exec(text)])
    await insert(ROWS);
  await duck.run(ROWS);

  const overHttp = async (text: string): Promise<readonly unknown[] | string> => {
    const headers = { 'content-type': 'application/sql' };
    const { status, body } = await fixture.https.request({ method: 'POST', path: '/v1/sql', text, headers });
    const { result = [], errors } = body as { result?: { v: unknown }[]; errors?: { message: string }[] };
    return status === 200 ? result.map(({ v }) => v) : `${status} ${errors?.[0]?.message}`;
  };
  const onPort = async (text: string): Promise<readonly unknown[] | string> =>
    client.query<{ v: unknown }>(text).then(
      ({ rows }) => rows.map(({ v }) => v),
      (error: Error) => error.message,
    );

  t.strictSame(
    await onPort(`SELECT ts::text || '' AS v FROM src ORDER BY "entity-id"`),
    ['2024-01-31 10:20:30+00', '2023-05-06 00:00:00+00', '2020-02-29 23:59:59+00'],
    'a datetime is an instant, printed in UTC',
  );
  t.match(await onPort('SELECT setseed(0.5) AS v'), /SETSEED is not available; RANDOM\(seed\)/);
  t.match(await overHttp('SELECT setseed(0.5) AS v'), /SETSEED is not available/);

  for (const of of ['ARRAY[ARRAY[n]][1]', 'UNNEST(ARRAY[ARRAY[n]])', 'cardinality(ARRAY[ARRAY[n]])'])
    t.match(await onPort(selected('rows', of)), /arrays of several dimensions can only be selected/, of);
  t.strictSame(await onPort("SELECT ARRAY[ARRAY[n, 1]] -> 0 AS v FROM src WHERE s = 'blue'"), [[2, 1]]);

  for (const [group, items] of Object.entries(OF_POSTGRES)) {
    for (const item of items) {
      const expected = await postgres.query<{ v: unknown }>(selected(group, `(${item})::text`));
      const wanted = expected.rows.map(({ v }) => v);
      const found = await onPort(selected(group, `(${item})::text`));
      t.strictSame(
        typeof found === 'string' ? found : compared(group, found),
        compared(group, wanted),
        `on the port: ${item}`,
      );
      t.type(await overHttp(selected(group, item)), Array, `over HTTP: ${item}`);
    }
  }
  for (const [group, items] of Object.entries(OF_DUCKDB)) {
    for (const item of items) {
      const expected = (await duck.runAndReadAll(selected(group, item))).getRowsJson();
      const found = await overHttp(selected(group, item));
      t.strictSame(
        typeof found === 'string' ? found : found.map(normal),
        expected.map(([v]) => normal(v)),
        `over HTTP: ${item}`,
      );
      t.type(await onPort(selected(group, item)), Array, `on the port: ${item}`);
    }
  }
});
