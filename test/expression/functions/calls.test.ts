import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { compile } from '../../../src/expression/index.js';
import type { Expression, ScalarFunction } from '../../../src/ir/index.js';
import { valueAt } from '../../../src/vector/index.js';
import { openDuckDb, queryDuckDb } from '../duckdb.js';
import { constant } from '../generate.js';
import { batchOf, type Column, DATE, decimal, FLOAT, INTEGER, TEXT } from '../rows.js';

const SEED = 12;
/**
 * Tolerance for the last digits: the results of exp, ln, log10 and power differ in the last bits between C libraries.
 */
const TOLERANCE = 1e-14;

t.test(`powers and logarithms equal those of DuckDB except for the last digit (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const columns: Column[] = [
    { type: FLOAT, draw: () => random.unit() * 50 + 1e-3, dictionary: null, missing: 0.1 },
    { type: FLOAT, draw: () => (random.unit() - 0.5) * 10, dictionary: null, missing: 0.1 },
    { type: decimal(3), draw: () => BigInt(random.between(1, 100_000)), dictionary: null, missing: 0 },
  ];
  const { rows, values } = batchOf(columns, [null, null, null], 300, random);
  const connection = await openDuckDb(columns, values);
  const [positive, any, exact] = columns.map(({ type }, input): Expression => ({ op: 'input', type, input }));
  const ofAny = [
    'exp',
    'cbrt',
    'degrees',
    'radians',
    'sin',
    'cos',
    'tan',
    'cot',
    'atan',
    'sinh',
    'cosh',
  ] as const;
  const unit = (of: Expression): Expression => ({
    op: 'arithmetic',
    type: FLOAT,
    operator: '/',
    left: of,
    right: constant(FLOAT, 6),
  });
  const call = (name: ScalarFunction, ...args: Expression[]): Expression => {
    return { op: 'call', type: FLOAT, name, args, unit: null };
  };
  const expressions: Expression[] = [
    ...[...ofAny, 'tanh' as const, 'asinh' as const].map((name) => call(name, any)),
    ...(['asin', 'acos', 'atanh'] as const).map((name) => call(name, unit(any))),
    ...(['ln', 'log10', 'log2'] as const).map((name) => call(name, positive)),
    call('power', positive, any),
    call('atan2', any, positive),
    { op: 'cast', type: FLOAT, of: exact, lenient: false },
  ];
  const theirs = await queryDuckDb(connection, expressions);
  expressions.forEach((expression, index) => {
    const found = compile(expression)(rows);
    const far = theirs[index].filter((value, row) => {
      const ours = valueAt(found, row);
      if (ours === null || value === null) return ours !== value;
      return Math.abs(Number(ours) - Number(value)) > TOLERANCE * Math.abs(Number(value));
    });
    t.strictSame(far, []);
  });
});

const NO_ROWS = {
  count: 3,
  input: () => {
    throw new Error('constants read no input');
  },
};

t.test('a result that is not a finite number is missing', async (t) => {
  const float = (value: number) => constant(FLOAT, value);
  const calls: Expression[] = [
    { op: 'call', type: FLOAT, name: 'sqrt', args: [float(-1)], unit: null },
    { op: 'call', type: FLOAT, name: 'ln', args: [float(0)], unit: null },
    { op: 'call', type: FLOAT, name: 'log10', args: [float(-1)], unit: null },
    { op: 'call', type: FLOAT, name: 'exp', args: [float(1_000)], unit: null },
    { op: 'call', type: FLOAT, name: 'power', args: [float(0), float(-1)], unit: null },
    { op: 'arithmetic', type: FLOAT, operator: '/', left: float(1), right: float(0) },
    { op: 'arithmetic', type: FLOAT, operator: '*', left: float(1e300), right: float(1e300) },
    {
      op: 'arithmetic',
      type: INTEGER,
      operator: '%',
      left: constant(INTEGER, 5n),
      right: constant(INTEGER, 0n),
    },
  ];
  for (const expression of calls) t.equal(valueAt(compile(expression)(NO_ROWS), 2), null);
});

t.test('a result of more than 38 digits is refused, and 38 digits are accepted', async (t) => {
  const most = constant(INTEGER, 10n ** 38n - 1n);
  const arithmetic = (operator: '+' | '-' | '*', right: bigint): Expression => {
    return { op: 'arithmetic', type: INTEGER, operator, left: most, right: constant(INTEGER, right) };
  };
  const refusal = { code: 6000, message: 'a number has more than 38 digits' };
  for (const expression of [arithmetic('+', 1n), arithmetic('-', -1n), arithmetic('*', 2n)])
    t.throws(() => compile(expression)(NO_ROWS), refusal);
  t.equal(valueAt(compile(arithmetic('-', 1n))(NO_ROWS), 0), 10n ** 38n - 2n);
  const cast = (lenient: boolean): Expression => ({ op: 'cast', type: decimal(2), of: most, lenient });
  t.throws(() => compile(cast(false))(NO_ROWS), refusal);
  t.equal(valueAt(compile(cast(true))(NO_ROWS), 0), null);
});

t.test('invalid constants are refused before any row', async (t) => {
  const date = constant(DATE, 0n);
  const refused: readonly [Expression, string][] = [
    [
      { op: 'cast', type: DATE, of: constant(INTEGER, 1n), lenient: true },
      'an integer cannot be cast to a date',
    ],
    [
      { op: 'call', type: DATE, name: 'date-truncate', args: [date], unit: 'weekday' },
      'weekday is a part of a date, not a length of time',
    ],
    [
      {
        op: 'call',
        type: FLOAT,
        name: 'round',
        args: [constant(FLOAT, 1), { op: 'input', type: INTEGER, input: 0 }],
        unit: null,
      },
      'the digits of ROUND must be a number, the same for all rows',
    ],
    [{ op: 'cast', type: { type: 'json' }, of: date, lenient: false }, 'a date cannot be cast to a json'],
  ];
  for (const [expression, message] of refused) t.throws(() => compile(expression), { code: 6000, message });
  t.doesNotThrow(() =>
    compile({ op: 'cast', type: { type: 'json' }, of: constant(TEXT, '{}'), lenient: false }),
  );
});

const whole = (name: ScalarFunction, ...args: readonly (bigint | null)[]): Expression => {
  return { op: 'call', type: INTEGER, name, args: args.map((value) => constant(INTEGER, value)), unit: null };
};
const resultOf = (expression: Expression): unknown => {
  try {
    return valueAt(compile(expression)(NO_ROWS), 1);
  } catch (error) {
    return error instanceof QuarryError ? error.message : error;
  }
};
const LARGE = 2n ** 100n;
const SHIFT = 'bits are shifted by 0 to 63, not by 64';

t.test('functions of whole numbers are exact for small and for large numbers', async (t) => {
  const cases: readonly [Expression, unknown][] = [
    [whole('divide-whole', 7n, -2n), -3n],
    [whole('divide-whole', 9_007_199_254_740_990n, 3n), 3_002_399_751_580_330n],
    [whole('divide-whole', 9_007_199_254_740_991n, 2n), 4_503_599_627_370_495n],
    [whole('divide-whole', LARGE, -3n), -(LARGE / 3n)],
    [whole('divide-whole', 1n, 0n), null],
    [whole('divide-whole', LARGE, 0n), null],
    [whole('gcd', -12n, 18n), 6n],
    [whole('gcd', 0n, 0n), 0n],
    [whole('gcd', LARGE, (6n * LARGE) / 4n), LARGE / 2n],
    [whole('lcm', -4n, 6n), 12n],
    [whole('lcm', 0n, 6n), 0n],
    [
      whole('lcm', 9_007_199_254_740_991n, 9_007_199_254_740_989n),
      81129638414606663681390495662081n - 18014398509481982n,
    ],
    [whole('lcm', LARGE, LARGE - 1n), 'a number has more than 38 digits'],
    [whole('factorial', 0n), 1n],
    [whole('factorial', 20n), 2_432_902_008_176_640_000n],
    [whole('factorial', 34n), 'FACTORIAL takes numbers up to 33'],
    [whole('factorial', -1n), 'FACTORIAL takes no negative number'],
    [whole('bit-and', 91n, -16n), 80n],
    [whole('bit-and', -1n, 2n ** 40n + 1n), 2n ** 40n + 1n],
    [whole('bit-or', 32n, 3n), 35n],
    [whole('bit-xor', 17n, 5n), 20n],
    [whole('bit-xor', -1n, 2n ** 62n), -1n - 2n ** 62n],
    [whole('bit-not', 1n), -2n],
    [whole('bit-not', LARGE), -LARGE - 1n],
    [whole('shift-left', 1n, 4n), 16n],
    [whole('shift-left', -1n, 63n), -(2n ** 63n)],
    [whole('shift-left', 1n, 63n), 'the result of << has more than 64 bits'],
    [whole('shift-left', 1n, 64n), SHIFT],
    [whole('shift-right', 8n, 2n), 2n],
    [whole('shift-right', -1n, 63n), -1n],
    [whole('shift-right', 2n ** 62n, 61n), 2n],
    [whole('shift-right', 8n, 64n), SHIFT],
    [whole('gcd', null, 6n), null],
    [whole('factorial', null), null],
  ];
  for (const [expression, expected] of cases) t.equal(resultOf(expression), expected);
});

t.test('buckets of equal width have the numbers that Postgres gives them', async (t) => {
  const exact = (...values: readonly bigint[]): Expression => {
    const args = values.map((value, index) => constant(index < 3 ? decimal(2) : INTEGER, value));
    return { op: 'call', type: INTEGER, name: 'width-bucket', args, unit: null };
  };
  const float = (value: number, low: number, high: number, count: bigint): Expression => {
    const args = [...[value, low, high].map((of) => constant(FLOAT, of)), constant(INTEGER, count)];
    return { op: 'call', type: INTEGER, name: 'width-bucket', args, unit: null };
  };
  const cases: readonly [Expression, unknown][] = [
    [exact(535n, 2n, 1_060n, 5n), 3n],
    [exact(35n, 0n, 100n, 20n), 8n],
    [exact(-1n, 0n, 100n, 20n), 0n],
    [exact(0n, 0n, 100n, 20n), 1n],
    [exact(100n, 0n, 100n, 20n), 21n],
    [exact(100n, 100n, 0n, 4n), 1n],
    [exact(75n, 100n, 0n, 4n), 2n],
    [exact(0n, 100n, 0n, 4n), 5n],
    [exact(1n, 0n, 1n, 0n), 'the number of buckets of WIDTH_BUCKET must be greater than 0'],
    [exact(1n, 1n, 1n, 2n), 'the bounds of WIDTH_BUCKET must differ'],
    [float(5.35, 0.024, 10.06, 5n), 3n],
    [float(-1, 0, 1, 5n), 0n],
    [float(1, 0, 1, 5n), 6n],
    [float(0.25, 1, 0, 4n), 4n],
    [float(0.5, 0, 1, -1n), 'the number of buckets of WIDTH_BUCKET must be greater than 0'],
  ];
  for (const [expression, expected] of cases) t.equal(resultOf(expression), expected);
});
