/** Compares left joins whose right side is grouped first with the same joins as written. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  FLOAT,
  INTEGER,
  inputExpression,
  type JoinKey,
  type Relation,
  type RelationAggregate,
  type RelationOf,
  type RelationPlan,
  type SelectPlan,
} from '../../../src/ir/index.js';
import { groupRight } from '../../../src/plan/rules/group-right.js';
import type { Statistics } from '../../../src/plan/rules/statistics.js';
import type { SqlType } from '../../../src/vector/index.js';
import { checkRelation } from '../../support/relations/check.js';
import { generateTables, scanPlan } from '../../support/relations/generate.js';
import { memoryScan } from '../../support/relations/memory-scan.js';
import { runPlan } from '../../support/relations/reference.js';
import { textOf } from '../../support/relations/values.js';

const SEED = Number(process.argv[2] ?? Date.now() % 1e9);
t.comment(`seed ${SEED}`);

/** Dimension 1 is the small left side. */
const [LEFT, RIGHT] = [1, 2];
const STATISTICS: Statistics = {
  rows: (dimensionId) => (dimensionId === LEFT ? 10 : 1_000_000),
  distinctValues: () => null,
};

/** Both integer columns of a dimension, as columns `first` and first + 1. */
function scanOf(dimensionId: number, first: number, more: Partial<SelectPlan> = {}): RelationOf<'scan'> {
  const inputs = [1, 2].map((columnId) => {
    return { from: 'attribute', columnId, kind: 'i64', type: INTEGER } as const;
  });
  const outputs = inputs.map(({ type }, index) => ({ name: '', type, of: inputExpression(type, index) }));
  const plan = scanPlan({ dimensionId, inputs, outputs, ...more });
  return { op: 'scan', plan, columns: inputs.map(({ type }, index) => ({ column: first + index, type })) };
}

const aggregateOf = (
  column: number,
  name: RelationAggregate['function'],
  of: number | null,
  type: SqlType = INTEGER,
): RelationAggregate => ({
  ...{ column, function: name, type, distinct: false, fraction: null },
  of: of === null ? null : { column: of, type: INTEGER },
});

const left = scanOf(LEFT, 0);
const right = scanOf(RIGHT, 10);
const KEY: JoinKey = { left: 0, right: 10, nullsEqual: false };
const JOIN: RelationOf<'join'> = {
  ...{ op: 'join', kind: 'left', left, right, keys: [KEY], condition: null, mark: null },
};

function planOf(join: Relation, aggregates: readonly RelationAggregate[], keys = [1]): RelationPlan {
  const root: Relation = {
    op: 'aggregate',
    input: join,
    keys: keys.map((column) => ({ column, type: INTEGER })),
    aggregates,
  };
  return { databaseId: 1, root, outputs: [], tables: [] };
}

t.test('groups of a left join are those of the join as written', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 400; round++) {
    const aggregates = Array.from({ length: 1 + prng.below(3) }, (_, index) =>
      aggregateOf(20 + index, prng.pick(['count', 'sum', 'min', 'max'] as const), 10 + prng.below(2)),
    );
    const second: JoinKey = { left: 1, right: prng.pick([10, 11]), nullsEqual: prng.chance(0.5) };
    const keys = prng.chance(0.3) ? [KEY, second] : [{ ...KEY, nullsEqual: prng.chance(0.5) }];
    const plan = planOf({ ...JOIN, keys }, aggregates, prng.pick([[0], [1], [0, 1]]));
    const tables = generateTables(prng);
    const grouped = groupRight(plan, STATISTICS);
    checkRelation(grouped.root);
    const rowsOf = (of: RelationPlan): string[] =>
      runPlan(of, (scan) => memoryScan(scan, tables))
        .map(textOf)
        .sort();
    t.not(grouped, plan);
    t.strictSame(rowsOf(grouped), rowsOf(plan), `round ${round} of seed ${SEED}`);
  }
});

t.test('other groups remain', async (t) => {
  const isGrouped = (join: Relation, one: RelationAggregate, keys?: number[]): boolean => {
    const plan = planOf(join, [one], keys);
    return groupRight(plan, STATISTICS).root !== plan.root;
  };
  const count = aggregateOf(20, 'count', 11);
  const condition = inputExpression({ type: 'boolean' }, 11);
  t.equal(isGrouped(JOIN, count), true);
  t.equal(isGrouped({ ...JOIN, kind: 'inner' }, count), false);
  t.equal(isGrouped({ ...JOIN, condition }, count), false);
  t.equal(isGrouped({ ...JOIN, keys: [] }, count), false);
  t.equal(
    isGrouped({ ...JOIN, left: right, right: left, keys: [{ ...KEY, left: 10, right: 0 }] }, count),
    false,
  );
  t.equal(isGrouped({ ...JOIN, right: scanOf(RIGHT, 10, { limit: 5 }) }, count), false);
  t.equal(isGrouped(JOIN, count, []), false, 'a count without rows is 0');
  t.equal(isGrouped(JOIN, count, [10]), false, 'a key of the right side');
  t.equal(isGrouped(JOIN, aggregateOf(20, 'count', null)), false, 'rows without a match count');
  t.equal(isGrouped(JOIN, aggregateOf(20, 'count', 1)), false, 'values of the left side');
  t.equal(isGrouped(JOIN, { ...count, distinct: true }), false);
  t.equal(isGrouped(JOIN, aggregateOf(20, 'avg', 11, FLOAT)), false);
});
