import t from 'tap';
import {
  BOOLEAN,
  compareOf,
  INTEGER,
  inputExpression,
  integerOf,
  type RelationPlan,
  TEXT,
} from '../../../src/ir/index.js';
import { explainRelation, explainStages } from '../../../src/plan/explain/explain-relation.js';
import { stagesOf } from '../../../src/plan/fragments/stages.js';
import { optimize } from '../../../src/plan/rules/rules.js';
import { scanPlan } from '../../support/relations/generate.js';

const NAMES = {
  dimension: (id: number): string => ['users', 'orders'][id - 1],
  column: (_dimension: number, id: number): string => ['age', 'user'][id - 1],
};

const users = scanPlan({
  dimensionId: 1,
  inputs: [
    { from: 'entity-id', type: TEXT },
    { from: 'attribute', columnId: 1, kind: 'i64', type: INTEGER },
  ],
  outputs: [
    { name: '', type: TEXT, of: inputExpression(TEXT, 0) },
    { name: '', type: INTEGER, of: inputExpression(INTEGER, 1) },
  ],
});
const orders = scanPlan({
  dimensionId: 2,
  inputs: [{ from: 'attribute', columnId: 2, kind: 'code', type: TEXT }],
  outputs: [{ name: '', type: TEXT, of: inputExpression(TEXT, 0) }],
});

/** SELECT user, count(*) FROM orders JOIN users ON user = entity-id WHERE age + 1 > 20 GROUP BY user */
const PLAN: RelationPlan = {
  databaseId: 1,
  outputs: [
    { name: 'user', type: TEXT },
    { name: 'count', type: INTEGER },
  ],
  tables: [],
  root: {
    op: 'aggregate',
    keys: [{ column: 3, type: TEXT }],
    aggregates: [{ column: 4, type: INTEGER, function: 'count', of: null, distinct: false, fraction: null }],
    input: {
      op: 'filter',
      condition: {
        op: 'and',
        type: BOOLEAN,
        members: [
          compareOf('=', inputExpression(TEXT, 3), inputExpression(TEXT, 1)),
          compareOf(
            '>',
            {
              op: 'arithmetic',
              type: INTEGER,
              operator: '+',
              left: inputExpression(INTEGER, 2),
              right: integerOf(1),
            },
            integerOf(20),
          ),
        ],
      },
      input: {
        op: 'join',
        kind: 'inner',
        left: { op: 'scan', plan: orders, columns: [{ column: 3, type: TEXT }] },
        right: {
          op: 'scan',
          plan: users,
          columns: [
            { column: 1, type: TEXT },
            { column: 2, type: INTEGER },
          ],
        },
        keys: [],
        condition: null,
        mark: null,
      },
    },
  },
};

t.test('a plan is a line per operator, with names', async (t) => {
  t.strictSame(explainRelation(PLAN, NAMES), [
    'aggregate: by orders.user, #4 = count(*)',
    '  filter: (orders.user = users.entity-id AND (users.age + 1) > 20)',
    '    inner join: all pairs',
    '      scan: orders',
    '      scan: users',
  ]);
});

t.test('conditions move to the scans, and stages are printed one after the other', async (t) => {
  const statistics = { rows: (id: number): number => (id === 2 ? 1_000 : 10), distinctValues: () => null };
  t.strictSame(explainStages(stagesOf(optimize(PLAN, statistics)), NAMES), [
    'stage 0 on all shards',
    '  scan: users, where (users.age + 1) > 20',
    'stage 1 on all shards',
    '  group: by orders.user, computing count(*)',
    '    inner join: orders.user = users.entity-id',
    '      scan: orders',
    '      rows of stage 0',
  ]);
});
