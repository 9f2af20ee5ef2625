import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { compile } from '../../../src/expression/index.js';
import type { Expression } from '../../../src/ir/index.js';
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
  const expressions: Expression[] = [
    { op: 'call', type: FLOAT, name: 'exp', args: [any], unit: null },
    { op: 'call', type: FLOAT, name: 'ln', args: [positive], unit: null },
    { op: 'call', type: FLOAT, name: 'log10', args: [positive], unit: null },
    { op: 'call', type: FLOAT, name: 'power', args: [positive, any], unit: null },
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
