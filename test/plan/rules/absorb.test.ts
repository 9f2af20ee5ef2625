import t from 'tap';
import { compareOf, type Expression, INTEGER, integerOf, type Relation } from '../../../src/ir/index.js';
import { absorb } from '../../../src/plan/rules/absorb.js';
import {
  column,
  filterOf,
  groupsOf,
  integerScan,
  planOf,
  projectOf,
  sortOf,
  treeText,
} from '../../support/relations/tree-text.js';

const SCAN = integerScan(1, 0);
const above = (number: number, value: number): Expression => compareOf('>', column(number), integerOf(value));
const next = (number: number): Expression => {
  return { op: 'arithmetic', type: INTEGER, operator: '+', left: column(number), right: integerOf(1) };
};
const after = (root: Relation): string => treeText(absorb(planOf(root)).root);

t.test('groups of a filtered scan, their condition, order and outputs become one SELECT', async (t) => {
  const groups = groupsOf(filterOf(SCAN, above(1, 3)), [0], 5);
  const root = projectOf(sortOf(filterOf(groups, above(5, 1)), [5, 0], 3, 2), [
    [6, next(0)],
    [5, column(5)],
  ]);
  t.equal(
    treeText(root),
    `project c6=(c0 + 1) c5
  sort c5 c0 limit 3 offset 2
    filter c5 > 1
      aggregate c0 c5=count(*)
        filter c1 > 3
          scan 1 select c0=i0 c1=i1`,
  );
  t.equal(
    after(root),
    'scan 1 where i1 > 3 group by i0: count(*) having i1 > 1 select c6=(i0 + 1) c5=i1 order i1 i0 limit 3 offset 2',
  );
});

t.test('keys and conditions over a projection read what it computes', async (t) => {
  const computed = projectOf(SCAN, [[7, next(1)]]);
  t.equal(after(groupsOf(computed, [7], 8)), 'scan 1 group by (i1 + 1): count(*) select c7=i0 c8=i1');
  t.equal(after(filterOf(computed, above(7, 2))), 'scan 1 where (i1 + 1) > 2 select c7=(i1 + 1)');
});

t.test('a limit over a limited scan takes the rows that both leave', async (t) => {
  const limits = (limit: number | null, offset: number, inner: number | null): string =>
    after(sortOf(integerScan(1, 0, { limit: inner, offset: 1 }), [], limit, offset)).replace(/.*i1/, '');
  t.equal(limits(5, 2, 4), ' limit 2 offset 3');
  t.equal(limits(1, 2, 4), ' limit 1 offset 3');
  t.equal(limits(null, 2, 4), ' limit 2 offset 3');
  t.equal(limits(5, 6, 4), ' limit 0 offset 7');
  t.equal(limits(5, 2, null), ' limit 5 offset 3');
});

t.test('operators that a SELECT cannot express stay', async (t) => {
  const limited = integerScan(1, 0, { limit: 5 });
  const distinct = integerScan(1, 0, { distinct: true });
  const groups = absorb(planOf(groupsOf(SCAN, [0], 5))).root;
  const missingFirst = sortOf(SCAN, [0]);
  for (const root of [
    filterOf(limited, above(0, 1)),
    groupsOf(limited, [0], 5),
    groupsOf(groups, [5], 6),
    sortOf(limited, [0]),
    projectOf(distinct, [[0, column(0)]]),
    groupsOf(distinct, [0], 5),
    { ...missingFirst, keys: missingFirst.keys.map((key) => ({ ...key, missingFirst: true })) },
  ]) {
    t.equal(after(root), treeText(root));
  }
});

t.test('missing values may be first in the order of a column that has none', async (t) => {
  const sort = sortOf(groupsOf(SCAN, [0], 5), [5]);
  const root = { ...sort, keys: sort.keys.map((key) => ({ ...key, missingFirst: true })) };
  t.equal(after(root), 'scan 1 group by i0: count(*) select c0=i0 c5=i1 order i1');
});
