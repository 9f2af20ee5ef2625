/** Compares series of numbers and dates for each row of an input with plain loops. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { seriesRows } from '../../../src/exec/relation/series.js';
import { valuesRows } from '../../../src/exec/relation/values.js';
import {
  constantOf,
  type Expression,
  INTEGER,
  inputExpression,
  integerOf,
  type RelationOf,
} from '../../../src/ir/index.js';
import type { SqlType, Value } from '../../../src/vector/index.js';
import { difference, shownRow, shownRows } from './tables.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);
const COLUMNS = [0, 1, 2].map((column) => ({ column, type: INTEGER }));
const read = (column: number): Expression => inputExpression(INTEGER, column);

function shown(
  rows: readonly (readonly Value[])[],
  series: Partial<RelationOf<'series'>>,
  run = unlimited(),
) {
  const input = { op: 'values', columns: COLUMNS, rows } as const;
  const relation: RelationOf<'series'> = {
    ...{ op: 'series', input, value: { column: 3, type: INTEGER } },
    ...{ first: read(0), last: read(1), step: read(2), months: 0 },
    ...series,
  };
  const found = shownRows(seriesRows(valuesRows(input, run), relation, run));
  t.equal(run.reservedBytes, 0);
  return found;
}

t.test('each row has the values from the first to the last', async (t) => {
  const prng = new Prng(SEED);
  const draw = (below: number): Value => (prng.chance(0.1) ? null : BigInt(prng.below(below)) - 3n);
  for (const rowCount of [0, 1, 500, 9_000]) {
    const rows = Array.from({ length: rowCount }, () => [
      ...[draw(10), draw(40)],
      prng.pick([1n, 2n, 7n, -1n, null]),
    ]);
    rows.push([0n, 20_000n, 1n]);
    const expected = rows.flatMap((row) => {
      const [first, last, step] = row;
      const found: Value[][] = [];
      if (typeof first !== 'bigint' || typeof last !== 'bigint' || typeof step !== 'bigint') return found;
      for (let value = first; step > 0n ? value <= last : value >= last; value += step)
        found.push([...row, value]);
      return found;
    });
    t.equal(difference(shown(rows, {}), expected.map(shownRow)), '', `${rowCount} rows`);
  }
});

const DATE: SqlType = { type: 'date' };
const days = (text: string): bigint => BigInt(Date.parse(text) / 86_400_000);

function dates(first: string, last: string, months: number, step: number): string[] {
  const date = (text: string): Expression => constantOf(DATE, days(text));
  const series = { first: date(first), last: date(last), step: integerOf(step), months };
  const input = { op: 'values', columns: [], rows: [[]] } as const;
  const relation: RelationOf<'series'> = { op: 'series', input, value: { column: 3, type: DATE }, ...series };
  const found = shownRows(seriesRows(valuesRows(input, unlimited()), relation, unlimited()));
  return found.map((row) => new Date(Number(/-?\d+/.exec(row)?.[0]) * 86_400_000).toISOString().slice(0, 10));
}

t.test('months follow the calendar from value to value, and end with it', async (t) => {
  t.same(dates('2024-01-31', '2024-05-01', 1, 0), ['2024-01-31', '2024-02-29', '2024-03-29', '2024-04-29']);
  t.same(dates('2024-03-31', '2024-01-01', -1, 0), ['2024-03-31', '2024-02-29', '2024-01-29']);
  t.same(dates('9999-11-15', '9999-12-31', 1, 0), ['9999-11-15', '9999-12-15']);
  t.same(dates('2024-01-01', '2024-03-01', 1, 1), ['2024-01-01', '2024-02-02']);
  t.same(dates('2024-01-02', '2024-01-01', 1, 0), []);
});

t.test('steps that do not advance, and series that are too long, are refused', async (t) => {
  t.throws(() => shown([[1n, 2n, 0n]], {}), { code: 6000, message: /step of generate_series is 0/ });
  t.throws(() => dates('2024-01-01', '2025-01-01', 1, -30), { code: 6000, message: /cancel out/ });
  t.throws(() => dates('2024-02-01', '2025-01-01', 1, -29), { code: 6000, message: /cancel out/ });
  t.throws(() => shown([[0n, 10n ** 15n, 1n]], {}), { code: 6000, message: /at most 1000000000 values/ });
  t.throws(() => shown([[0n, 2n ** 60n, 2n ** 59n]], {}), { code: 6000, message: /2\^53/ });
});

t.test('a series needs the memory of one batch', async (t) => {
  const run = new QueryRun(null, 0, 400_000);
  t.equal(shown([[1n, 100_000n, 1n]], {}, run).length, 100_000);
  t.throws(() => shown([[1n, 2n, 1n]], {}, new QueryRun(null, 0, 1_000)), { code: 9006 });
});
