/** Compares chains of inner joins in the order that the rule chooses with the same joins in the order as written. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  BOOLEAN,
  type Expression,
  INTEGER,
  inputExpression,
  type JoinKey,
  type Relation,
  type RelationPlan,
} from '../../../src/ir/index.js';
import { joinOrder } from '../../../src/plan/rules/join-order.js';
import { NO_STATISTICS } from '../../../src/plan/rules/statistics.js';
import { checkRelation } from '../../support/relations/check.js';
import { runPlan } from '../../support/relations/reference.js';
import { textOf } from '../../support/relations/values.js';

const SEED = Number(process.argv[2] ?? Date.now() % 1e9);
t.comment(`seed ${SEED}`);

/** A table with columns first, first + 1 and first + 2 of few values. */
function tableOf(prng: Prng, first: number, rowCount: number): Relation {
  const columns = [first, first + 1, first + 2].map((column) => ({ column, type: INTEGER }));
  const value = (): bigint | null => (prng.chance(0.05) ? null : BigInt(prng.below(8)));
  return { op: 'values', columns, rows: Array.from({ length: rowCount }, () => columns.map(value)) };
}

/** Each table is joined to a random one before it. */
function chainOf(prng: Prng, sizes: readonly number[]): Relation {
  return sizes.slice(1).reduce<Relation>(
    (left, size, index) => {
      const key = (): JoinKey => ({
        left: prng.below(index + 1) * 10 + prng.below(3),
        right: (index + 1) * 10 + prng.below(3),
        nullsEqual: prng.chance(0.2),
      });
      const compare: Expression = {
        ...{ op: 'compare', type: BOOLEAN, comparison: '<' },
        left: inputExpression(INTEGER, prng.below(index + 1) * 10),
        right: inputExpression(INTEGER, (index + 1) * 10 + 1),
      };
      const condition = prng.chance(0.3) ? compare : null;
      const right = tableOf(prng, (index + 1) * 10, size);
      const keys = prng.chance(0.15) ? [key(), key()] : [key()];
      return { op: 'join', kind: 'inner', left, right, keys, condition, mark: null };
    },
    tableOf(prng, 0, sizes[0]),
  );
}

const isNested = (relation: Relation): boolean =>
  relation.op === 'join' && (relation.right.op === 'join' || isNested(relation.left));

const rowsOf = (plan: RelationPlan): string[] =>
  runPlan(plan, () => t.fail('there are no scans') as never)
    .map(textOf)
    .sort();

t.test('the rows are those of the joins as written', async (t) => {
  const prng = new Prng(SEED);
  let [rowCount, nested] = [0, 0];
  for (let round = 0; round < 400; round++) {
    const sizes = Array.from({ length: 3 + prng.below(2) }, () => prng.pick([2, 5, 12, 30]));
    const root = chainOf(prng, sizes);
    const plan: RelationPlan = { databaseId: 1, root, outputs: [], tables: [] };
    const expected = rowsOf(plan);
    if (expected.length > 3_000) continue;
    const ordered = joinOrder(plan, NO_STATISTICS);
    checkRelation(ordered.root);
    if (rowsOf(ordered).join('\n') !== expected.join('\n')) return t.fail(`seed ${SEED}, round ${round}`);
    rowCount += expected.length;
    const top = ordered.root.op === 'project' ? ordered.root.input : ordered.root;
    nested += Number(isNested(top));
  }
  t.ok(rowCount > 1_000 && nested > 20, `${rowCount} rows, ${nested} nested`);
});

/** Tables of these sizes, each joined to the one before by a key. */
function pathOf(sizes: readonly number[]): RelationPlan {
  const prng = new Prng(1);
  const [first, ...others] = sizes.map((size, index) => tableOf(prng, index * 10, size));
  const root = others.reduce<Relation>((left, right, index) => {
    const keys = [{ left: index * 10, right: (index + 1) * 10, nullsEqual: false }];
    return { op: 'join', kind: 'inner', left, right, keys, condition: null, mark: null };
  }, first);
  return { databaseId: 1, root, outputs: [], tables: [] };
}

t.test('a table that leaves few rows of another one is joined to it first', async (t) => {
  const rightOf = (plan: RelationPlan): Relation['op'] | null => {
    const { root } = joinOrder(plan, NO_STATISTICS);
    const top = root.op === 'project' ? root.input : root;
    return top.op === 'join' ? top.right.op : null;
  };
  t.equal(rightOf(pathOf([400, 100, 5])), 'join');
  t.equal(rightOf(pathOf([400, 100, 90])), 'values', 'a table that leaves most rows is joined last');
  t.equal(rightOf(pathOf([100, 400, 5])), 'values', 'the largest table is on the left');
});
