import t from 'tap';
import { compile, type RowSource } from '../../src/expression/index.js';
import type { DateUnit, Expression, ScalarFunction } from '../../src/ir/index.js';
import {
  type SqlType,
  slice,
  type TextVector,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';
import { branch, constant } from './generate.js';
import { BOOLEAN, DATE, decimal, FLOAT, INTEGER, TEXT } from './rows.js';

const valuesOf = (vector: Vector): Value[] =>
  Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));
const input = (index: number, type: SqlType): Expression => ({ op: 'input', type, input: index });

function rowsOf(...columns: readonly (readonly [SqlType, readonly Value[]])[]): RowSource {
  const vectors = columns.map(([type, values]) => vectorOf(type, values));
  return { count: vectors[0].count, input: (index) => vectors[index] };
}

const NUMBER: Expression = { op: 'cast', type: INTEGER, of: input(0, TEXT), lenient: false };
const IS_NUMBER: Expression = {
  op: 'like',
  type: BOOLEAN,
  of: input(0, TEXT),
  pattern: '_',
  escape: null,
  negated: false,
};
const ROWS = rowsOf([TEXT, ['1', 'ten', null, '5']]);

t.test('an error in a branch does not affect rows that do not reach it', async (t) => {
  const chosen: Expression = {
    op: 'case',
    type: INTEGER,
    branches: [branch(IS_NUMBER, NUMBER)],
    otherwise: constant(INTEGER, 0n),
  };
  t.strictSame(valuesOf(compile(chosen)(ROWS)), [1n, 0n, 0n, 5n]);
  t.throws(() => compile(NUMBER)(ROWS), {
    code: 6000,
    message: 'the text "ten" cannot be read as an integer',
  });
  const unreachable: Expression = {
    op: 'case',
    type: INTEGER,
    branches: [branch(constant(BOOLEAN, false), NUMBER)],
    otherwise: null,
  };
  t.strictSame(valuesOf(compile(unreachable)(ROWS)), [null, null, null, null]);
  const never: Expression = { op: 'cast', type: INTEGER, of: constant(TEXT, 'ten'), lenient: false };
  t.strictSame(
    valuesOf(compile({ op: 'coalesce', type: INTEGER, members: [constant(INTEGER, 4n), never] })(ROWS)),
    [4n, 4n, 4n, 4n],
  );
  t.strictSame(valuesOf(compile(never)({ count: 0, input: ROWS.input })), [], 'no rows, no error');
});

t.test('expressions that may fail are evaluated only for rows that reach them', async (t) => {
  const [text, number, day, float] = [input(0, TEXT), input(1, INTEGER), input(2, DATE), input(3, FLOAT)];
  const call = (
    name: ScalarFunction,
    type: SqlType,
    args: readonly Expression[],
    unit: DateUnit | null = null,
  ): Expression => {
    return { op: 'call', type, name, args, unit };
  };
  const times = (type: SqlType, factor: bigint): Expression => {
    return { op: 'arithmetic', type, operator: '*', left: number, right: constant(INTEGER, factor) };
  };
  const faulty: readonly Expression[] = [
    times(INTEGER, 10n ** 30n),
    {
      op: 'arithmetic',
      type: INTEGER,
      operator: '-',
      left: times(INTEGER, 10n ** 28n),
      right: times(INTEGER, 10n ** 30n),
    },
    { op: 'cast', type: decimal(30), of: number, lenient: false },
    { op: 'cast', type: INTEGER, of: float, lenient: false },
    { op: 'cast', type: DATE, of: text, lenient: false },
    call('round', decimal(30), [number]),
    call('negate', decimal(30), [number]),
    call('repeat', TEXT, [text, number]),
    call('lpad', TEXT, [text, number]),
    call('rpad', TEXT, [text, number]),
    call('concat', TEXT, [call('repeat', TEXT, [text, number]), text]),
    call('date-add', DATE, [number, day], 'year'),
    call('make-date', DATE, [number, constant(INTEGER, 1n), constant(INTEGER, 1n)]),
    call('date-truncate', DATE, [day], 'week'),
  ];
  // Only the last row causes an error, and most rows reach the branch.
  const rows = rowsOf(
    [TEXT, ['2020-01-01', '2020-01-01', '2020-01-01', 'none']],
    [INTEGER, [3n, 2n, 5n, 10n ** 9n]],
    [DATE, [0n, 1n, 2n, -719_528n]],
    [FLOAT, [1, 2, 3, 1e300]],
    [BOOLEAN, [true, true, true, false]],
  );
  const safeRows: RowSource = { count: 3, input: (index) => slice(rows.input(index), 0, 3) };
  for (const then of faulty) {
    const guarded: Expression = {
      op: 'case',
      type: then.type,
      branches: [branch(input(4, BOOLEAN), then)],
      otherwise: null,
    };
    t.throws(() => compile(then)(rows), { code: 6000 }, JSON.stringify(then.op));
    t.strictSame(valuesOf(compile(guarded)(rows)), [...valuesOf(compile(then)(safeRows)), null]);
    const tested: Expression = {
      op: 'and',
      type: BOOLEAN,
      members: [input(4, BOOLEAN), { op: 'is-null', type: BOOLEAN, of: then, negated: true }],
    };
    t.strictSame(valuesOf(compile(tested)(rows)), [true, true, true, false]);
  }
});

t.test('a member of AND or OR is evaluated only for undecided rows', async (t) => {
  const above: Expression = {
    op: 'compare',
    type: BOOLEAN,
    comparison: '>',
    left: NUMBER,
    right: constant(INTEGER, 2n),
  };
  t.strictSame(valuesOf(compile({ op: 'and', type: BOOLEAN, members: [IS_NUMBER, above] })(ROWS)), [
    false,
    false,
    null,
    true,
  ]);
  const either: Expression = {
    op: 'or',
    type: BOOLEAN,
    members: [{ op: 'not', type: BOOLEAN, member: IS_NUMBER }, above],
  };
  t.strictSame(valuesOf(compile(either)(ROWS)), [false, true, null, true]);
});

t.test('texts of branches share one list of texts across batches', async (t) => {
  const rows = rowsOf([INTEGER, [20n, 5n, null, 40n]]);
  const grown: Expression = {
    op: 'compare',
    type: BOOLEAN,
    comparison: '>=',
    left: input(0, INTEGER),
    right: constant(INTEGER, 18n),
  };
  const evaluate = compile({
    op: 'case',
    type: TEXT,
    branches: [branch(grown, constant(TEXT, 'Adult'))],
    otherwise: constant(TEXT, 'Minor'),
  });
  const [first, second] = [evaluate(rows), evaluate(rows)] as [TextVector, TextVector];
  t.strictSame(valuesOf(first), ['Adult', 'Minor', 'Minor', 'Adult']);
  t.equal(first.texts, second.texts);
  t.ok(first.texts.distinct && first.texts.size === 2);
});
