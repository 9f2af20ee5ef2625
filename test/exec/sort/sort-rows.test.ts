import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { sortRows } from '../../../src/exec/sort/sort-rows.js';
import type { RelationColumn, RelationOf, RelationSortKey } from '../../../src/ir/index.js';
import {
  compareValues,
  firstDifference,
  generatedValue,
  operatorOf,
  type Row,
  refusals,
  rowsFrom,
  TYPES,
} from '../window/generated-rows.js';

const SEED = 314_159;
t.comment(`seed ${SEED}`);

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

interface Case {
  readonly columns: readonly RelationColumn[];
  readonly rows: readonly Row[];
  readonly keys: readonly RelationSortKey[];
}

function generatedCase(prng: Prng, rowsMax: number): Case {
  const types = Array.from({ length: 1 + prng.below(3) }, () => prng.pick(TYPES));
  const spreads = types.map(() => prng.pick(['few', 'any', 'wide'] as const));
  const columns = [...types, { type: 'integer' } as const].map((type, index) => ({
    column: 10 + index * 3,
    type,
  }));
  const rows = Array.from({ length: prng.below(rowsMax) }, (_, row) => [
    ...types.map((type, index) => generatedValue(prng, type, spreads[index])),
    BigInt(row),
  ]);
  const keys = types.map((_, index) => ({
    ...columns[index],
    descending: prng.below(2) === 0,
    missingFirst: prng.below(2) === 0,
  }));
  return { columns, rows, keys: keys.slice(0, 1 + prng.below(keys.length)) };
}

function relationOf({ columns, keys }: Case, offset: number, limit: number | null): RelationOf<'sort'> {
  return { op: 'sort', input: { op: 'values', columns, rows: [] }, keys, offset, limit };
}

function sorted({ columns, rows, keys }: Case): Row[] {
  const places = keys.map((key) => columns.findIndex(({ column }) => column === key.column));
  return [...rows].sort((a, b) => {
    for (const [index, { descending, missingFirst }] of keys.entries()) {
      const order = compareValues(a[places[index]], b[places[index]], descending, missingFirst);
      if (order !== 0) return order;
    }
    return 0;
  });
}

const describe = ({ keys }: Case): string =>
  keys.map(({ type, descending, missingFirst }) => `${type.type} ${descending} ${missingFirst}`).join(', ');

t.test('rows are sorted by keys of all types, and ties keep their order', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 300; round++) {
    const generated = generatedCase(prng, prng.pick([4, 60, 3_000]));
    const run = unlimited();
    const operator = sortRows(
      operatorOf(prng, generated.columns, generated.rows),
      relationOf(generated, 0, null),
      run,
    );
    const difference = firstDifference(rowsFrom(operator), sorted(generated));
    t.equal(difference, null, `round ${round}: ${describe(generated)}`);
    t.equal(run.reservedBytes, 0);
  }
});

t.test('the first rows of an order are those of the sorted rows', async (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 300; round++) {
    const generated = generatedCase(prng, prng.pick([4, 60, 6_000]));
    const [offset, limit] = [prng.pick([0, 0, 1, 50]), prng.pick([0, 1, 2, 10, 100, 4_000, 12_000])];
    const run = unlimited();
    const relation = relationOf(generated, offset, limit);
    const operator = sortRows(operatorOf(prng, generated.columns, generated.rows), relation, run);
    const expected = sorted(generated).slice(offset, offset + limit);
    const difference = firstDifference(rowsFrom(operator), expected);
    t.equal(difference, null, `round ${round}: ${describe(generated)}, ${offset}, ${limit}`);
    t.equal(run.reservedBytes, 0);
  }
});

t.test('the first rows take memory for themselves, not for the input', async (t) => {
  const prng = new Prng(SEED + 2);
  const columns = [
    { column: 1, type: { type: 'integer' } as const },
    { column: 2, type: { type: 'text' } as const },
  ];
  const rows = Array.from({ length: 200_000 }, () => [BigInt(prng.u32()), `text ${prng.u32()}`]);
  const keys = [{ ...columns[0], descending: false, missingFirst: false }];
  const generated = { columns, rows, keys };
  const run = new QueryRun(null, 0, 2 ** 20);
  const operator = sortRows(operatorOf(prng, columns, rows), relationOf(generated, 3, 20), run);
  t.equal(firstDifference(rowsFrom(operator), sorted(generated).slice(3, 23)), null);
  t.equal(run.reservedBytes, 0);
});

t.test('a limit without an order stops reading', async (t) => {
  const prng = new Prng(SEED + 3);
  const columns = [{ column: 1, type: { type: 'integer' } as const }];
  const rows = Array.from({ length: 5_000 }, (_, row) => [BigInt(row)]);
  for (const [offset, limit] of [
    [0, 0],
    [0, 10],
    [9, 1],
    [70, 100],
    [4_990, 100],
    [6_000, 1],
    [4_000, null],
  ] as const) {
    let releases = 0;
    const input = operatorOf(prng, columns, rows, () => {
      releases++;
    });
    const operator = sortRows(input, relationOf({ columns, rows, keys: [] }, offset, limit), unlimited());
    const expected = rows.slice(offset, limit === null ? undefined : offset + limit);
    t.equal(firstDifference(rowsFrom(operator), expected), null, `${offset} ${limit}`);
    const end = offset + (limit ?? rows.length);
    t.ok(input.readRows < (limit === 0 ? 1 : end + 8_192), `${input.readRows} rows were read`);
    t.ok(releases > 0);
  }
});

t.test('a refusal leaves nothing reserved', async (t) => {
  const prng = new Prng(SEED + 4);
  for (const limit of [null, 500]) {
    const generated = generatedCase(prng, 20_000);
    const { refused, left } = refusals(2 ** 22, (bytesMax) => {
      const run = new QueryRun(null, 0, bytesMax);
      const input = operatorOf(prng, generated.columns, generated.rows);
      return { run, operator: sortRows(input, relationOf(generated, 0, limit), run) };
    });
    t.ok(refused > 5, `${refused} refusals`);
    t.equal(left, 0);
  }
});

t.test('a sort that is released before its end leaves nothing reserved', async (t) => {
  const prng = new Prng(SEED + 5);
  const columns = [{ column: 1, type: { type: 'integer' } as const }];
  const rows = Array.from({ length: 30_000 }, () => [BigInt(prng.u32())]);
  const keys = [{ ...columns[0], descending: true, missingFirst: false }];
  for (let steps = 1; steps < 200; steps = Math.ceil(steps * 1.5)) {
    const run = unlimited();
    const operator = sortRows(
      operatorOf(prng, columns, rows),
      relationOf({ columns, rows, keys }, 0, null),
      run,
    );
    const batches = operator.batches();
    for (let step = 0; step < steps; step++) batches.next();
    operator.release();
    t.equal(run.reservedBytes, 0, `${steps} steps`);
  }
});
