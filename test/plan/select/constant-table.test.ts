import t from 'tap';
import { type Aggregate, type Expression, FLOAT, INTEGER, TEXT } from '../../../src/ir/index.js';
import { constantTable } from '../../../src/plan/select/constant-table.js';
import { type SqlType, type Value, valueAt } from '../../../src/vector/index.js';
import { inputOf, planOf } from './model.js';

const BYTES = 2 ** 24;
const BOOLEAN: SqlType = { type: 'boolean' };

const constant = (type: SqlType, value: bigint | number | string | boolean | null): Expression => ({
  op: 'constant',
  type,
  value,
});
const plan = (more: Parameters<typeof planOf>[0]) => planOf({ dimensionId: null, ...more });

function rowsOf(requested: ReturnType<typeof planOf>): Value[][] {
  const { columns, rowCount } = constantTable(requested, BYTES);
  return Array.from({ length: rowCount }, (_, row) => columns.map((column) => valueAt(column, row)));
}

t.test('a plan without FROM answers with one row', async (t) => {
  const outputs = [
    { name: 'n', type: INTEGER, of: constant(INTEGER, 1n) },
    { name: 's', type: TEXT, of: constant(TEXT, 'One') },
    { name: 'm', type: FLOAT, of: constant(FLOAT, null) },
  ];
  t.strictSame(rowsOf(plan({ outputs })), [[1n, 'One', null]]);
  t.strictSame(
    constantTable(plan({ outputs }), BYTES).fields,
    outputs.map(({ name, type }) => ({ name, type })),
  );
  t.strictSame(rowsOf(plan({ outputs, limit: 0 })), []);
  t.strictSame(rowsOf(plan({ outputs, offset: 1 })), []);
  for (const [filter, rows] of [
    [true, 1],
    [false, 0],
    [null, 0],
  ] as const) {
    t.equal(rowsOf(plan({ outputs, filter: constant(BOOLEAN, filter) })).length, rows);
  }
});

const aggregate = (
  name: Aggregate['function'],
  of: Expression | null,
  more: Partial<Aggregate> = {},
): Aggregate => {
  const own = name === 'sum' || name === 'min' || name === 'max';
  const type = name === 'count' ? INTEGER : own && of !== null ? of.type : FLOAT;
  const fraction = name === 'percentile' ? 0.5 : null;
  return { function: name, of, distinct: false, feed: 'rows', fraction, type, ...more };
};

t.test('aggregates read that row, or no row', async (t) => {
  const decimal = constant({ type: 'decimal', scale: 2 }, 250n);
  const float = constant(FLOAT, 0.1);
  const aggregates = [
    aggregate('count', null),
    aggregate('count', constant(INTEGER, null)),
    aggregate('count', constant(TEXT, 'a'), { distinct: true }),
    aggregate('count', constant(INTEGER, null), { distinct: true }),
    aggregate('sum', decimal),
    aggregate('sum', float),
    aggregate('sum', decimal, { distinct: true }),
    aggregate('avg', decimal),
    aggregate('avg', float),
    aggregate('min', constant(TEXT, 'b')),
    aggregate('max', constant(TEXT, null)),
    aggregate('stddev', float),
    aggregate('percentile', decimal),
  ];
  const outputs = aggregates.map(({ function: name, type }, index) => ({
    name,
    type,
    of: inputOf(index, type),
  }));
  const grouping = { keys: [], perEntity: false, aggregates };
  const something = [1n, 0n, 1n, 0n, 250n, 0.1, 250n, 2.5, 0.1, 'b', null, null, 2.5];
  const nothing = [0n, 0n, 0n, 0n, null, null, null, null, null, null, null, null, null];
  t.strictSame(rowsOf(plan({ grouping, outputs })), [something]);
  t.strictSame(rowsOf(plan({ grouping, outputs, filter: constant(BOOLEAN, false) })), [nothing]);
  t.strictSame(rowsOf(plan({ grouping, outputs, having: constant(BOOLEAN, false) })), []);
  t.strictSame(
    rowsOf(plan({ grouping: { ...grouping, keys: [float] }, outputs, filter: constant(BOOLEAN, null) })),
    [],
  );
});

t.test('a constant may be a group or an entity', async (t) => {
  const key = constant(TEXT, 'k');
  for (const perEntity of [false, true]) {
    const grouping = { keys: [key], perEntity, aggregates: [aggregate('count', null)] };
    const outputs = [inputOf(0, TEXT), inputOf(1, INTEGER)].map((of, index) => ({
      name: `c${index}`,
      type: of.type,
      of,
    }));
    t.strictSame(rowsOf(plan({ grouping, outputs })), [['k', 1n]]);
  }
});
