/** Compares joins of generated relations with nested loops over plain values. */
import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { joinRows } from '../../../src/exec/join/join.js';
import type { Operator, RelationBatch } from '../../../src/exec/relation/operator.js';
import {
  BOOLEAN,
  type Comparison,
  columnsOf,
  type Expression,
  INTEGER,
  type JoinKind,
  type Relation,
  type RelationOf,
} from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { MemoryScratch } from '../../support/memory-scratch.js';
import {
  type Column,
  columnOf,
  dictionaryOf,
  difference,
  generateDomain,
  generateTable,
  shownRow,
  shownRows,
  type Table,
  TableOperator,
  TYPES,
} from '../relation/tables.js';
import { spillingRun } from '../spill/spill-rows.js';

const SEED = 20_261_126;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

const KINDS: readonly JoinKind[] = ['inner', 'left', 'full', 'single', 'semi', 'anti', 'mark'];
const MARK = 900;
const LEFT_EXTRA = 50;
const RIGHT_EXTRA = 150;
const SECOND = 'a subquery returned more than one row where one is allowed';

type Truth = boolean | null;

interface Condition {
  readonly expression: Expression;
  readonly truth: (left: readonly Value[], right: readonly Value[]) => Truth;
}

interface Case {
  readonly left: Table;
  readonly right: Table;
  readonly relation: RelationOf<'join'>;
  readonly condition: Condition | null;
}

const received = (table: Table): Relation => ({ op: 'received', stage: 0, columns: table.columns });

const input = (column: number): Expression => ({ op: 'input', type: INTEGER, input: column });

function compared(comparison: Comparison, a: Value, b: Value): Truth {
  if (a === null || b === null) return null;
  return { '=': a === b, '<>': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }[comparison];
}

/** Compares the last columns of both sides, or one of them with a constant. */
function generateCondition(prng: Prng): Condition {
  const comparison = (['=', '<>', '<', '<=', '>', '>='] as const)[prng.below(6)];
  const compare = (left: Expression, right: Expression): Expression => ({
    op: 'compare',
    type: BOOLEAN,
    comparison,
    left,
    right,
  });
  const constant = (value: bigint | null): Expression => ({ op: 'constant', type: INTEGER, value });
  switch (prng.below(5)) {
    case 0: {
      const value = prng.below(3) === 0 ? null : BigInt(prng.below(4));
      return {
        expression: compare(input(LEFT_EXTRA), constant(value)),
        truth: (left) => compared(comparison, left[left.length - 1], value),
      };
    }
    case 1:
      return {
        expression: compare(input(RIGHT_EXTRA), constant(2n)),
        truth: (_, right) => compared(comparison, right[right.length - 1], 2n),
      };
    default:
      return {
        expression: compare(input(LEFT_EXTRA), input(RIGHT_EXTRA)),
        truth: (left, right) => compared(comparison, left[left.length - 1], right[right.length - 1]),
      };
  }
}

function generateCase(prng: Prng, kind: JoinKind): Case {
  const keyCount = prng.below(4);
  const sizes = [0, 1, 3, 30, 90];
  const leftCount = sizes[prng.below(sizes.length)];
  const rightCount = sizes[prng.below(sizes.length)];
  const [leftKeys, rightKeys]: [Column[], Column[]] = [[], []];
  for (let key = 0; key < keyCount; key++) {
    const type = TYPES[prng.below(TYPES.length)];
    // One value, few, or about one per row.
    const domain = generateDomain(prng, type, [1, 4, 200][prng.below(3)]);
    const texts = dictionaryOf(type, domain);
    const other = prng.below(2) === 0 ? texts : dictionaryOf(type, [...domain].reverse());
    leftKeys.push(columnOf(10 + key, type, domain, texts));
    rightKeys.push(columnOf(110 + key, type, domain, other));
  }
  const small = generateDomain(prng, { type: 'boolean' }, 4).map((_, index) => BigInt(index));
  const missing = [0, 0.1, 0.5][prng.below(3)];
  const missingRight = [0, 0.1, 0.5][prng.below(3)];
  const left = generateTable(prng, [...leftKeys, columnOf(LEFT_EXTRA, INTEGER, small)], leftCount, missing);
  const right = generateTable(
    prng,
    [...rightKeys, columnOf(RIGHT_EXTRA, INTEGER, small)],
    rightCount,
    missingRight,
  );
  const condition = prng.below(2) === 0 ? null : generateCondition(prng);
  const relation: RelationOf<'join'> = {
    op: 'join',
    kind,
    left: received(left),
    right: received(right),
    keys: leftKeys.map(({ column }, key) => {
      return { left: column, right: rightKeys[key].column, nullsEqual: prng.below(3) === 0 };
    }),
    condition: condition?.expression ?? null,
    mark: kind === 'mark' ? MARK : null,
  };
  return { left, right, relation, condition };
}

function equals(a: Value, b: Value, nullsEqual: boolean): Truth {
  if (a === null || b === null) return nullsEqual ? a === b : null;
  return a === b;
}

/** Whether the pair matches. */
function truthOf({ relation, condition }: Case, left: readonly Value[], right: readonly Value[]): Truth {
  const parts = relation.keys.map(({ nullsEqual }, key) => equals(left[key], right[key], nullsEqual));
  if (condition !== null) parts.push(condition.truth(left, right));
  return parts.includes(false) ? false : parts.includes(null) ? null : true;
}

/** The rows of the join, sorted, or the message of its error. */
const wanted = (join: Case): string[] | string => wantedRows(join)?.map(shownRow).sort() ?? SECOND;

/** The rows of the join; null = a second match of a row. */
function wantedRows(join: Case): (readonly Value[])[] | null {
  const { left, right, relation } = join;
  const rows: Value[][] = [];
  const used = new Set<readonly Value[]>();
  for (const row of left.rows) {
    const truths = right.rows.map((other) => truthOf(join, row, other));
    const matches = right.rows.filter((_, index) => truths[index] === true);
    for (const match of matches) used.add(match);
    switch (relation.kind) {
      case 'semi':
        if (matches.length > 0) rows.push([...row]);
        break;
      case 'anti':
        if (matches.length === 0) rows.push([...row]);
        break;
      case 'mark':
        rows.push([...row, matches.length > 0 ? true : truths.includes(null) ? null : false]);
        break;
      default:
        if (relation.kind === 'single' && matches.length > 1) return null;
        for (const match of matches) rows.push([...row, ...match]);
        if (matches.length === 0 && relation.kind !== 'inner')
          rows.push([...row, ...right.columns.map(() => null)]);
    }
  }
  if (relation.kind === 'full') {
    for (const row of right.rows) if (!used.has(row)) rows.push([...left.columns.map(() => null), ...row]);
  }
  return rows;
}

function found(join: Operator): string[] | string {
  try {
    return shownRows(join).sort();
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return error.message;
    throw error;
  }
}

const compare = (rows: string[] | string, expected: string[] | string): string =>
  typeof rows === 'string' || typeof expected === 'string'
    ? String(rows) === String(expected)
      ? ''
      : `${String(rows)} instead of ${String(expected)}`
    : difference(rows, expected);

const runOf = (bytes = Number.POSITIVE_INFINITY): QueryRun => new QueryRun(null, 0, bytes);

for (const kind of KINDS) {
  t.test(`${kind}: the rows are those of nested loops, and no memory stays reserved`, async (t) => {
    const prng = new Prng(SEED + KINDS.indexOf(kind));
    let [breaches, rows, errors] = [0, 0, 0];
    for (let round = 0; round < 700 && breaches < 3; round++) {
      const join = generateCase(prng, kind);
      const run = runOf();
      const sides = [new TableOperator(join.left, prng), new TableOperator(join.right, prng)];
      const expected = wanted(join);
      const breach = compare(found(joinRows(sides[0], sides[1], join.relation, run)), expected);
      if (typeof expected === 'string') errors++;
      else rows += expected.length;
      const isReleased = run.reservedBytes === 0 && sides.every(({ releases }) => releases > 0);
      if (breach !== '' || !isReleased) {
        breaches++;
        t.fail(`round ${round}, ${run.reservedBytes} bytes reserved: ${breach}`, {
          keys: join.relation.keys,
          types: join.left.columns.map(({ type }) => type.type),
          condition: join.relation.condition,
          counts: [join.left.rows.length, join.right.rows.length],
        });
      }
    }
    t.ok(rows > 1_000 || breaches > 0, `${rows} rows, ${errors} errors`);
    t.equal(errors > 10, kind === 'single');
  });
}

for (const kind of KINDS) {
  t.test(`${kind}: with both sides in partitions the rows are those of nested loops`, async (t) => {
    const prng = new Prng(SEED + 100 + KINDS.indexOf(kind));
    let [spilled, breaches] = [0, 0];
    for (let round = 0; round < 150 && breaches < 3; round++) {
      const join = generateCase(prng, kind);
      const scratch = new MemoryScratch();
      const { run } = spillingRun(scratch, { memoryBytes: 2 ** 26, shareBytesMax: 1 });
      const sides = [new TableOperator(join.left, prng), new TableOperator(join.right, prng)];
      const breach = compare(found(joinRows(sides[0], sides[1], join.relation, run)), wanted(join));
      if ((run.spill?.total.bytes ?? 0) > 0) spilled++;
      if (breach === '' && run.reservedBytes === 0) continue;
      breaches++;
      t.fail(`round ${round}, ${run.reservedBytes} bytes reserved: ${breach}`, { keys: join.relation.keys });
    }
    t.ok(spilled > 20, `${spilled} joins spilled`);
  });
}

/** Every left row with every right row: more pairs than a batch has rows. */
function largeCase(kind: JoinKind, condition: Condition | null): Case {
  const values = Array.from({ length: 300 }, (_, index) => BigInt(index));
  const side = (key: number, extra: number): Table => ({
    columns: [columnOf(key, INTEGER, []), columnOf(extra, INTEGER, [])],
    rows: values.map((value) => [1n, value]),
  });
  const [left, right] = [side(10, LEFT_EXTRA), side(110, RIGHT_EXTRA)];
  const relation: RelationOf<'join'> = {
    op: 'join',
    kind,
    left: received(left),
    right: received(right),
    keys: [{ left: 10, right: 110, nullsEqual: false }],
    condition: condition?.expression ?? null,
    mark: kind === 'mark' ? MARK : null,
  };
  return { left, right, relation, condition };
}

const LESS: Condition = {
  expression: {
    op: 'compare',
    type: BOOLEAN,
    comparison: '<',
    left: input(LEFT_EXTRA),
    right: input(RIGHT_EXTRA),
  },
  truth: (left, right) => (left[1] as bigint) < (right[1] as bigint),
};

t.test('a key that all rows have makes no batch above 8,192 rows', async (t) => {
  for (const kind of KINDS) {
    for (const condition of [null, LESS]) {
      const join = largeCase(kind, condition);
      const prng = new Prng(SEED);
      const operator = joinRows(
        new TableOperator(join.left, prng, 1_000),
        new TableOperator(join.right, prng),
        join.relation,
        runOf(),
      );
      const counts: number[] = [];
      const counted: Operator = {
        columns: operator.columns,
        *batches(): Generator<RelationBatch | null, undefined> {
          for (const batch of operator.batches()) {
            counts.push(batch?.count ?? 0);
            yield batch;
          }
        },
        release: () => operator.release(),
      };
      t.equal(compare(found(counted), wanted(join)), '', kind);
      t.ok(Math.max(...counts) <= 8_192, `${kind}: ${Math.max(...counts)} rows`);
    }
  }
});

t.test('an inner or semi join does not read the left side if the right side is empty', async (t) => {
  for (const kind of KINDS) {
    const { left, right, relation } = largeCase(kind, null);
    const from = new TableOperator(left, new Prng(1));
    const empty = new TableOperator({ columns: right.columns, rows: [] }, new Prng(1));
    shownRows(joinRows(from, empty, relation, runOf()));
    t.equal(from.batchesReturned === 0, kind === 'inner' || kind === 'semi', kind);
    t.ok(from.releases > 0);
  }
});

/** Runs until the end or an error; returns the code of the error, or 0. */
function codeOf(operator: Operator): number {
  try {
    for (const batch of operator.batches()) {
      if (batch !== null) for (const { column } of operator.columns) batch.input(column);
    }
    return 0;
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
}

function joinOf(join: Case, run: QueryRun): Operator {
  const prng = new Prng(SEED);
  return joinRows(
    new TableOperator(join.left, prng),
    new TableOperator(join.right, prng),
    join.relation,
    run,
  );
}

interface JoinAbove {
  readonly right: Table;
  readonly relation: RelationOf<'join'>;
  /** The rows of the join, given those of its left side. */
  readonly rows: (left: readonly (readonly Value[])[]) => readonly (readonly Value[])[];
}

/** A join by a key column of the join below, or by another column of its right side; null if it returns neither. */
function generateAbove(prng: Prng, { relation: below, left, right: other }: Case): JoinAbove | null {
  const columns = columnsOf(below).map(({ column }) => column);
  const keys = [...below.keys.flatMap((key) => [key.left, key.right]), RIGHT_EXTRA].filter((column) =>
    columns.includes(column),
  );
  if (keys.length === 0) return null;
  const key = keys[prng.below(keys.length)];
  const { type, domain } = [...left.columns, ...other.columns].find(({ column }) => column === key) as Column;
  const right = generateTable(
    prng,
    [columnOf(300, type, domain, dictionaryOf(type, domain))],
    prng.below(prng.pick([4, 60])),
    0.2,
  );
  const kind = prng.pick(['inner', 'semi', 'left', 'anti'] as const);
  const nullsEqual = prng.below(4) === 0;
  const matches = (row: readonly Value[]): readonly (readonly Value[])[] =>
    right.rows.filter(([value]) => equals(row[columns.indexOf(key)], value, nullsEqual) === true);
  return {
    right,
    relation: {
      ...{ op: 'join', kind, left: below, right: received(right), condition: null, mark: null },
      keys: [{ left: key, right: 300, nullsEqual }],
    },
    rows: (rows) => {
      if (kind === 'semi') return rows.filter((row) => matches(row).length > 0);
      if (kind === 'anti') return rows.filter((row) => matches(row).length === 0);
      return rows.flatMap((row) => {
        const found = matches(row);
        const others = kind === 'left' && found.length === 0 ? [[null]] : found;
        return others.map((match) => [...row, ...match]);
      });
    },
  };
}

t.test('a join above another narrows its sides and returns the rows of nested loops', async (t) => {
  const prng = new Prng(SEED + 50);
  let [rows, omitted, omittedAbove, omittedByValue] = [0, 0, 0, 0];
  for (let round = 0; round < 1_500; round++) {
    const below = generateCase(prng, KINDS[round % KINDS.length]);
    const above = generateAbove(prng, below);
    const belowRows = wantedRows(below);
    if (above === null || belowRows === null) continue;
    const expected = above.rows(belowRows).map(shownRow).sort();
    const run = runOf();
    const sides = [below.left, below.right].map((side) => new TableOperator(side, prng));
    const join = joinRows(sides[0], sides[1], below.relation, run);
    const right = new TableOperator(above.right, prng);
    const breach = compare(found(joinRows(join, right, above.relation, run)), expected);
    if (breach !== '') return t.fail(`round ${round}, ${below.relation.kind}: ${breach}`);
    rows += expected.length;
    omitted += sides.reduce((sum, side) => sum + side.omitted, 0);
    omittedAbove += right.omitted;
    if (above.relation.keys[0].left === RIGHT_EXTRA) omittedByValue += right.omitted;
    t.equal(run.reservedBytes, 0);
  }
  t.ok(rows > 1_000 && omitted > 1_000, `${rows} rows, ${omitted} omitted`);
  t.ok(omittedAbove > 50, `${omittedAbove} rows omitted on the right side of the join above`);
  t.ok(omittedByValue > 10, `${omittedByValue} of them by values that are not keys of the join below`);
});

t.test('a join that exceeds its memory is refused and releases all memory', async (t) => {
  const prng = new Prng(SEED);
  const codes = new Set<number>();
  for (let round = 0; round < 300; round++) {
    const join = generateCase(prng, KINDS[round % KINDS.length]);
    const run = runOf(prng.below(100_000));
    codes.add(codeOf(joinOf(join, run)));
    if (run.reservedBytes !== 0) t.fail(`round ${round}: ${run.reservedBytes} bytes`);
  }
  t.strictSame([...codes].sort(), [0, 6000, 9006]);
});

t.test('a canceled join stops, and a join that is released early releases all memory', async (t) => {
  for (const kind of KINDS) {
    // A single join ends early, with an error.
    if (kind === 'single') continue;
    const join = largeCase(kind, LESS);
    for (let stop = 0; stop < 12; stop++) {
      const flags = new Int32Array(1);
      const run = new QueryRun(flags, 0, Number.POSITIVE_INFINITY);
      const operator = joinOf(join, run);
      const batches = operator.batches();
      for (let step = 0; step < stop; step++) batches.next();
      flags[0] = 1;
      t.throws(
        () => {
          for (let step = batches.next(); step.done !== true; step = batches.next());
        },
        { code: 9005 },
        kind,
      );
      t.equal(run.reservedBytes, 0);
      const other = runOf();
      const early = joinOf(join, other);
      const steps = early.batches();
      for (let step = 0; step < stop; step++) steps.next();
      early.release();
      early.release();
      t.equal(other.reservedBytes, 0);
    }
  }
});
