/**
 * Aggregates over generated rows, on 1, 2, 5 and 7 shards: the answers are the same bytes, and equal those of DuckDB. Where
 * DuckDB chooses one of several values by the order of its rows, it gets a query for the one that Quarry defines.
 */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { FunctionLife } from './function-life.js';

const SEED = Date.now() % 1_000_000;
const SHARDS = [1, 2, 5, 7];
const ROWS = 150;

const VALUES: readonly string[] = [
  ...['var_pop', 'var_samp', 'variance', 'stddev_pop', 'stddev_samp'].flatMap((name) => [
    `${name}(i)`,
    `${name}(d)`,
  ]),
  ...['stddev_pop(DISTINCT i)', 'var_pop(i / 3)'],
  ...['bool_and(b)', 'bool_or(b)', 'bool_and(i > -4)'],
  ...['bit_and(j)', 'bit_or(j)', 'bit_xor(j)', 'bit_and(big)', 'bit_or(big)', 'bit_xor(i)', 'bit_xor(i + j)'],
  ...[
    'corr(i, j)',
    'covar_pop(d, i)',
    'covar_samp(i, k)',
    'regr_avgx(d, j)',
    'regr_avgy(d, j)',
    'regr_count(d, i)',
  ],
  ...[
    'regr_intercept(i, j)',
    'regr_r2(d, j)',
    'regr_slope(d, j)',
    'regr_sxx(i, d)',
    'regr_sxy(i, d)',
    'regr_syy(i, d)',
  ],
  ...[
    'arg_min(s, k)',
    'arg_max(d, k)',
    'arg_max(ts, k)',
    'arg_min(b, -k)',
    'arg_max(i, d * 1000 + k)',
    'max_by(day, k)',
  ],
  ...['string_agg(s, k ORDER BY k)'.replace(', k', ", ', '"), "string_agg(s, '' ORDER BY d DESC, k)"],
  ...['array_agg(i ORDER BY k)', 'array_agg(s ORDER BY s DESC, k)', 'array_agg(b ORDER BY d, k DESC)'],
  ...['array_agg(day ORDER BY i NULLS FIRST, k)', 'array_agg(ts ORDER BY b DESC, k)'],
  ...[
    'array_agg(DISTINCT i ORDER BY i)',
    'array_agg(DISTINCT s ORDER BY s DESC)',
    "string_agg(DISTINCT s, '|' ORDER BY s)",
  ],
  ...[0.05, 0.25, 0.5, 0.95, 1].flatMap((fraction) => [
    `percentile_disc(${fraction}) WITHIN GROUP (ORDER BY i)`,
    `percentile_cont(${fraction}) WITHIN GROUP (ORDER BY i DESC)`,
    `percentile_disc(${fraction}) WITHIN GROUP (ORDER BY day)`,
  ]),
];
const FILTERED = [
  'corr(i, j)',
  'var_pop(i)',
  'bool_or(b)',
  'arg_min(s, k)',
  'array_agg(k ORDER BY k)',
  'bit_or(j)',
];

t.test(`aggregates equal those of DuckDB on every number of shards (seed ${SEED})`, async (t) => {
  const life = await FunctionLife.start(t, SHARDS, ROWS, new Prng(SEED));
  const faults: (string | null)[] = [];
  const all = [...VALUES, ...FILTERED.map((of) => `${of} FILTER (WHERE j > 20)`)];
  for (let from = 0; from < all.length; from += 12) {
    const values = all
      .slice(from, from + 12)
      .map((value, at) => `${value} AS v${at}`)
      .join(', ');
    const ofX = values.replaceAll(/\bs\b/g, 'x.s');
    for (const sql of [
      `SELECT ${values} FROM f`,
      `SELECT ${values} FROM f WHERE k < 0`,
      `SELECT b, i % 3, ${values} FROM f GROUP BY b, i % 3 ORDER BY b NULLS LAST, i % 3 NULLS LAST`,
      `SELECT x.s, ${ofX} FROM (SELECT k, i, j, big, d, s, b, day, ts FROM f) x GROUP BY x.s ORDER BY 1 NULLS LAST`,
    ]) {
      faults.push(await life.fault(sql));
    }
  }
  const modes = ['i', 's', 'day', 'b'];
  for (const of of modes) {
    const most = `SELECT ${of} FROM f WHERE ${of} IS NOT NULL GROUP BY ${of} ORDER BY COUNT(*) DESC, ${of} LIMIT 1`;
    faults.push(await life.fault(`SELECT mode() WITHIN GROUP (ORDER BY ${of}) AS v FROM f`, most));
  }
  faults.push(
    await life.fault('SELECT approx_count_distinct(i) AS v FROM f', 'SELECT COUNT(DISTINCT i) FROM f'),
  );
  faults.push(await life.fault('SELECT any_value(i) AS v FROM f', 'SELECT MIN(i) FROM f'));
  const own = 'SELECT array_agg(x.s) AS v FROM f x GROUP BY x.b ORDER BY x.b';
  faults.push(
    await life.fault(own, 'SELECT list(s ORDER BY s NULLS LAST) FROM f GROUP BY b ORDER BY b NULLS LAST'),
  );
  const found = faults.filter((fault) => fault !== null);
  t.strictSame(found.slice(0, 5), [], `${found.length} of ${faults.length} differ`);
});

t.test(`aggregates over windows equal those of DuckDB (seed ${SEED})`, async (t) => {
  const life = await FunctionLife.start(t, [1, 5], ROWS, new Prng(SEED));
  const faults: (string | null)[] = [];
  const frames = [
    'ORDER BY k',
    'PARTITION BY b ORDER BY k ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING',
    'PARTITION BY s',
  ];
  for (const value of [
    'var_pop(i)',
    'stddev_samp(d)',
    'corr(i, j)',
    'regr_slope(d, i)',
    'covar_samp(i, d)',
    'bool_and(b)',
  ]) {
    for (const frame of frames) {
      faults.push(await life.fault(`SELECT k, ${value} OVER (${frame}) AS v FROM f ORDER BY k`));
      const filtered = `${value} FILTER (WHERE j > 9)`;
      faults.push(await life.fault(`SELECT k, ${filtered} OVER (${frame}) AS v FROM f ORDER BY k`));
    }
  }
  const found = faults.filter((fault) => fault !== null);
  t.strictSame(found.slice(0, 5), [], `${found.length} of ${faults.length} differ`);
});

t.test(`GROUPING identifies the set of a group (seed ${SEED})`, async (t) => {
  const life = await FunctionLife.start(t, [1, 5], ROWS, new Prng(SEED));
  const order = 'ORDER BY 1, 2 NULLS LAST, 3 NULLS LAST';
  for (const keys of ['ROLLUP (s, b)', 'CUBE (s, b)', 'GROUPING SETS ((s), (b), ())']) {
    const sql = `SELECT grouping(b, s) AS g, s, b, grouping(s) AS h, COUNT(*) AS n FROM f GROUP BY ${keys} ${order}`;
    t.equal(await life.fault(sql), null);
  }
  t.equal(await life.fault('SELECT s, grouping(s) AS g FROM f GROUP BY s ORDER BY s NULLS LAST'), null);
  t.match((await life.answers('SELECT grouping(i) FROM f GROUP BY s'))[0], /GROUPING takes 1 to 31 keys/);
});

t.test('aggregates refuse arguments that they do not support', async (t) => {
  const life = await FunctionLife.start(t, [2], ROWS, new Prng(SEED));
  for (const [value, message] of [
    ['bit_and(d)', /BIT_AND does not take decimal/],
    ['bool_and(i)', /BOOL_AND does not take integer/],
    ['corr(i)', /CORR takes two values/],
    ['corr(DISTINCT i, j)', /neither DISTINCT nor ORDER BY/],
    ['corr(i, s)', /SUM does not take text/],
    ['corr(i / 2, j)', /CAST floats AS DECIMAL/],
    ['var_pop(s)', /VAR_POP does not take text/],
    ['string_agg(s, s)', /the separator of STRING_AGG is a text/],
    ['array_agg(*)', /only/],
    ['array_agg(DISTINCT i ORDER BY j)', /can only be ordered by x/],
    ['arg_min(i)', /ARG_MIN takes a value and the value that is compared/],
    ['mode() WITHIN GROUP (ORDER BY i DESC)', /DESC\) is not available/],
    ['percentile_disc(2) WITHIN GROUP (ORDER BY i)', /a number from 0 to 1/],
    ['bit_or(i) OVER ()', /not available over a window/],
    ['corr(var_pop(i) OVER (), j) OVER ()', /contains another/],
    ['array_agg(array_agg(i))', /cannot contain another aggregate/],
    ['SUM(big * big * big)', /more than 38 digits/],
  ] as const) {
    t.match((await life.answers(`SELECT ${value} FROM f`))[0], message, value);
  }
});
