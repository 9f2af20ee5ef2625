import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { windowRows } from '../../../src/exec/window/window-rows.js';
import type { RelationColumn, RelationOf, WindowFrame, WindowFunctionName } from '../../../src/ir/index.js';
import {
  firstDifference,
  generatedValue,
  operatorOf,
  type Row,
  refusals,
  rowsFrom,
  type Spread,
  shown,
  TYPES,
} from './generated-rows.js';
import { windowOracle } from './window-oracle.js';
import { AGGREGATES, generatedFrame, generatedFunction, PICKED, RANKS, rangeOffset } from './window-plans.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);
const INTEGER = { type: 'integer' } as const;
const FUNCTIONS: readonly WindowFunctionName[] = [...RANKS, ...AGGREGATES, ...PICKED];

interface Case {
  readonly columns: readonly RelationColumn[];
  readonly rows: readonly Row[];
  readonly relation: RelationOf<'window'>;
}

/** `partitions`: the number of partitions, about; 0 = each row is one. */
function generatedCase(prng: Prng, count: number, partitions: number, mode: WindowFrame['mode']): Case {
  const spreads: Spread[] = TYPES.map(() => prng.pick(['few', 'any', 'wide'] as const));
  const columns = [...TYPES, INTEGER, INTEGER, INTEGER].map((type, index) => ({
    column: 5 + index * 2,
    type,
  }));
  const rows = Array.from(
    { length: count },
    (_, row): Row => [
      ...TYPES.map((type, index) => generatedValue(prng, type, spreads[index])),
      prng.below(8) === 0 ? null : BigInt(prng.below(5) - 1),
      prng.below(8) === 0 ? null : BigInt(prng.pick([1, 2, 3, 7])),
      partitions === 0 ? BigInt(row) : prng.below(9) === 0 ? null : BigInt(prng.below(partitions)),
    ],
  );
  const [small, positive, partition] = columns.slice(-3);
  const order = Array.from({ length: prng.pick([0, 1, 1, 1, 2]) }, () => ({
    ...columns[prng.below(TYPES.length)],
    descending: prng.below(2) === 0,
    missingFirst: prng.below(2) === 0,
  }));
  const args = { values: columns.slice(0, TYPES.length), small, positive };
  const functions = FUNCTIONS.map((name, index) => {
    const frame = generatedFrame(prng, mode, mode === 'range' ? rangeOffset(order) : INTEGER);
    return generatedFunction(prng, name, 100 + index, frame, args);
  });
  const relation: RelationOf<'window'> = {
    op: 'window',
    input: { op: 'values', columns, rows: [] },
    partition: partitions === 1 ? [] : [partition, ...(prng.below(3) === 0 ? [columns[3]] : [])],
    order,
    functions,
  };
  return { columns, rows, relation };
}

const describe = ({ relation: { order, functions } }: Case): string =>
  JSON.stringify({ order, functions }, (_, value) => (typeof value === 'bigint' ? shown(value) : value));

for (const mode of ['rows', 'range', 'groups'] as const) {
  t.test(`all functions over frames of ${mode} return what they return row by row`, async (t) => {
    const prng = new Prng(SEED + mode.length);
    for (let round = 0; round < 120; round++) {
      const [count, partitions] = [prng.pick([0, 1, 2, 40, 90]), prng.pick([0, 1, 1, 2, 9])];
      const generated = generatedCase(prng, count, partitions, mode);
      const { columns, rows, relation } = generated;
      const run = unlimited();
      const found = rowsFrom(windowRows(operatorOf(prng, columns, rows), relation, run));
      const difference = firstDifference(found, windowOracle(columns, rows, relation) ?? []);
      t.equal(
        difference,
        null,
        difference === null ? `round ${round}` : `round ${round}: ${describe(generated)}`,
      );
      t.equal(run.reservedBytes, 0);
    }
  });
}

t.test('a frame of many rows is not longer than its partition', async (t) => {
  const prng = new Prng(SEED + 10);
  const columns = [
    { column: 1, type: INTEGER },
    { column: 2, type: INTEGER },
    { column: 3, type: { type: 'float' } as const },
  ];
  const rows = Array.from(
    { length: 50_000 },
    (_, row): Row => [BigInt(Math.floor(row / 20_000)), BigInt(row), (prng.u32() - 2 ** 31) / 3],
  );
  const bound = (value: bigint) => ({ op: 'constant', type: INTEGER, value }) as const;
  const frame: WindowFrame = {
    mode: 'rows',
    start: { at: 'preceding', offset: bound(15_000n) },
    end: { at: 'following', offset: bound(2n ** 70n) },
  };
  const names = ['count', 'sum', 'min', 'max', 'first-value', 'last-value'] as const;
  const relation: RelationOf<'window'> = {
    op: 'window',
    input: { op: 'values', columns, rows: [] },
    partition: [columns[0]],
    order: [{ ...columns[1], descending: false, missingFirst: false }],
    functions: names.map((name, index) => ({
      column: 10 + index,
      type: INTEGER,
      function: name,
      args: [columns[1]],
      frame,
    })),
  };
  const found = rowsFrom(windowRows(operatorOf(prng, columns, rows), relation, unlimited()));
  const expected = rows.map((row, at) => {
    const partition = Math.floor(at / 20_000) * 20_000;
    const start = Math.max(partition, at - 15_000);
    const end = Math.min(partition + 20_000, rows.length);
    const sum = (BigInt(start + end - 1) * BigInt(end - start)) / 2n;
    return [...row, BigInt(end - start), sum, BigInt(start), BigInt(end - 1), BigInt(start), BigInt(end - 1)];
  });
  t.equal(firstDifference(found, expected), null);
});

t.test('sums beyond 2^53 are exact, and sums of more than 38 digits are refused', async (t) => {
  const column = { column: 1, type: INTEGER };
  const frame: WindowFrame = { mode: 'rows', start: { at: 'first' }, end: { at: 'current' } };
  const relation: RelationOf<'window'> = {
    op: 'window',
    input: { op: 'values', columns: [column], rows: [] },
    partition: [],
    order: [],
    functions: [{ column: 2, type: INTEGER, function: 'sum', args: [column], frame }],
  };
  const prng = new Prng(SEED + 11);
  const sums = (values: readonly bigint[]): string => {
    const rows = values.map((value) => [value]);
    const found = rowsFrom(windowRows(operatorOf(prng, [column], rows), relation, unlimited()));
    return found.map((row) => String(row[1])).join(' ');
  };
  const large = 2n ** 53n - 1n;
  t.equal(
    sums([large, 1n, large, -large, -2n * large]),
    `${large} ${large + 1n} ${2n * large + 1n} ${large + 1n} ${1n - large}`,
  );
  t.equal(sums([-large, -3n, 5n]), `${-large} ${-large - 3n} ${-large + 2n}`);
  const most = 10n ** 38n - 1n;
  t.equal(sums([most, -1n]), `${most} ${most - 1n}`);
  t.throws(() => sums([most, 1n]), { code: 6000, message: 'A sum has more than 38 digits.' });
});

t.test('arguments that are not above 0 are refused', async (t) => {
  const columns = [
    { column: 1, type: INTEGER },
    { column: 2, type: INTEGER },
  ];
  const frame: WindowFrame = { mode: 'range', start: { at: 'first' }, end: { at: 'current' } };
  const rowsOf = (name: WindowFunctionName, args: RelationColumn[], rows: Row[]): Row[] => {
    const relation: RelationOf<'window'> = {
      op: 'window',
      input: { op: 'values', columns, rows: [] },
      partition: [],
      order: [],
      functions: [{ column: 3, type: INTEGER, function: name, args, frame }],
    };
    return rowsFrom(windowRows(operatorOf(new Prng(SEED), columns, rows), relation, unlimited()));
  };
  t.throws(() => rowsOf('ntile', [columns[1]], [[1n, 0n]]), {
    code: 6000,
    message: 'The argument of NTILE must be greater than 0.',
  });
  t.throws(() => rowsOf('nth-value', columns, [[1n, -1n]]), {
    code: 6000,
    message: 'The second argument of NTH_VALUE must be greater than 0.',
  });
  t.equal(
    rowsOf(
      'ntile',
      [columns[1]],
      [
        [1n, null],
        [1n, 1n],
      ],
    )
      .map((row) => shown(row[2]))
      .join(' '),
    'null 1n',
  );
});

t.test('a refusal leaves nothing reserved', async (t) => {
  const prng = new Prng(SEED + 12);
  const { columns, rows, relation } = generatedCase(prng, 5_000, 9, 'groups');
  const { refused, left } = refusals(2 ** 24, (bytesMax) => {
    const run = new QueryRun(null, 0, bytesMax);
    return { run, operator: windowRows(operatorOf(prng, columns, rows), relation, run) };
  });
  t.ok(refused > 5, `${refused} refusals`);
  t.equal(left, 0);
});
