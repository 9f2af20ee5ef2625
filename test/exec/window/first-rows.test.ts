import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { firstRows } from '../../../src/exec/window/first-rows.js';
import { windowRows } from '../../../src/exec/window/window-rows.js';
import type { RelationColumn, RelationOf } from '../../../src/ir/index.js';
import {
  generatedValue,
  operatorOf,
  type Row,
  rowsFrom,
  type Spread,
  shown,
  TYPES,
} from './generated-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const INTEGER = { type: 'integer' } as const;
const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

/** A window of RANK or ROW_NUMBER over columns of every type and a partition. */
function generatedWindow(prng: Prng, columns: readonly RelationColumn[]): RelationOf<'window'> {
  const order = Array.from({ length: prng.between(1, 2) }, () => ({
    ...columns[prng.below(TYPES.length)],
    descending: prng.chance(0.5),
    missingFirst: prng.chance(0.5),
  }));
  const partitions = prng.pick([[], [columns[TYPES.length]], [columns[TYPES.length], columns[4]]]);
  const frame = { mode: 'range', start: { at: 'first' }, end: { at: 'current' } } as const;
  const name = prng.pick(['rank', 'row-number'] as const);
  return {
    op: 'window',
    input: { op: 'values', columns, rows: [] },
    partition: partitions,
    order,
    functions: [{ column: 100, type: INTEGER, function: name, args: [], frame }],
  };
}

t.test('the first rows of partitions are the same whether or not other rows are dropped first', async (t) => {
  const prng = new Prng(SEED);
  let dropped = 0;
  for (let round = 0; round < 150; round++) {
    const spreads: Spread[] = TYPES.map(() => prng.pick(['few', 'any', 'wide'] as const));
    const columns = [...TYPES, INTEGER].map((type, index) => ({ column: 5 + index * 2, type }));
    const partitions = prng.pick([1, 3, 60]);
    const rows = Array.from(
      { length: prng.pick([0, 1, 50, 400]) },
      (): Row => [
        ...TYPES.map((type, index) => generatedValue(prng, type, spreads[index])),
        prng.chance(0.1) ? null : BigInt(prng.below(partitions)),
      ],
    );
    const relation = generatedWindow(prng, columns);
    const limit = prng.pick([0, 1, 2, 5, 16, 17]);
    const run = unlimited();
    // Rows with equal keys are numbered in any order: the keys of the rows are compared, and for a rank whole rows.
    const read =
      relation.functions[0].function === 'rank' ? columns : [...relation.partition, ...relation.order];
    const at = [
      ...read.map(({ column }) => columns.findIndex((one) => one.column === column)),
      columns.length,
    ];
    const passing = (first: number | null): string[] =>
      rowsFrom(windowRows(operatorOf(prng, columns, rows), relation, run, first))
        .filter((row) => (row[columns.length] as bigint) <= BigInt(limit))
        .map((row) => at.map((index) => shown(row[index])).join(' '))
        .sort();
    t.strictSame(passing(limit), passing(null), `round ${round}, at most ${limit}`);
    t.equal(run.reservedBytes, 0);
    dropped +=
      rows.length - rowsFrom(firstRows(operatorOf(prng, columns, rows), relation, limit, run)).length;
  }
  t.ok(dropped > 1_000, `${dropped} rows were dropped`);
});
