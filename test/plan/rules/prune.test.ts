import t from 'tap';
import { INTEGER, inputExpression, type RelationPlan, type SelectPlan, TEXT } from '../../../src/ir/index.js';
import { prune } from '../../../src/plan/rules/prune.js';
import { planOf } from '../select/model.js';

const COUNT = {
  ...({ function: 'count', of: null, distinct: false, feed: 'rows', fraction: null } as const),
  type: INTEGER,
} as const;

/** The number of groups by a text and an integer. */
function countOfGroups(distinct: boolean): RelationPlan {
  const types = [TEXT, INTEGER, INTEGER];
  const columns = types.map((type, column) => ({ column, type }));
  const outputs = types.map((type, input) => ({ name: `c${input}`, type, of: inputExpression(type, input) }));
  const keys = [inputExpression(TEXT, 0), inputExpression(INTEGER, 1)];
  const plan = planOf({ grouping: { keys, perEntity: false, aggregates: [COUNT] }, outputs, distinct });
  const { feed: _, ...count } = COUNT;
  const root = {
    ...({ op: 'aggregate', input: { op: 'scan', plan, columns }, keys: [] } as const),
    aggregates: [{ ...count, column: 9 }],
  };
  return { databaseId: 1, outputs: [{ name: 'n', type: INTEGER }], tables: [], root };
}

/** The scan below the count, after unused columns were removed. */
function prunedScan(distinct: boolean): SelectPlan {
  const { root } = prune(countOfGroups(distinct));
  if (root.op !== 'aggregate' || root.input.op !== 'scan') throw new Error('the input stays a scan');
  return root.input.plan;
}

t.test('groups that are only counted have one output without a value, and no aggregates', async (t) => {
  const { outputs, grouping } = prunedScan(false);
  t.strictSame(
    outputs.map(({ of }) => of),
    [{ op: 'constant', type: INTEGER, value: null }],
  );
  t.equal(grouping?.aggregates.length, 0);
  t.equal(grouping?.keys.length, 2);
});

t.test('the number of distinct rows depends on their values', async (t) => {
  const { outputs } = prunedScan(true);
  t.strictSame(
    outputs.map(({ of }) => of.op),
    ['input', 'input', 'input'],
  );
});
