import t from 'tap';
import {
  BOOLEAN,
  castOf,
  compareOf,
  type Expression,
  integerOf,
  junctionOf,
  type Relation,
  TEXT,
} from '../../../src/ir/index.js';
import { transitive } from '../../../src/plan/rules/transitive.js';
import {
  column,
  filterOf,
  integerScan,
  joinOf,
  planOf,
  treeText,
} from '../../support/relations/tree-text.js';

const [A, B, C] = [integerScan(1, 0), integerScan(2, 10), integerScan(3, 20)];
const AB = joinOf('inner', A, B, [[0, 10]]);
const is = (number: number, value: number): Expression => compareOf('=', column(number), integerOf(value));
const after = (root: Relation): string => treeText(transitive(planOf(root)).root);
/** The filter above, or the operator that has none. */
const filterAfter = (root: Relation): string => after(root).split('\n')[0];

t.test('a constant that one column equals, the columns that are equal to it equal too', async (t) => {
  const root = filterOf(AB, is(10, 5));
  t.equal(
    treeText(root),
    `filter c10 = 5
  inner join c0=c10
    scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
  );
  t.equal(
    after(root),
    `filter (c10 = 5 and c0 = 5)
  inner join c0=c10
    scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
  );
});

t.test(
  'conditions come from filters of the joined tables, from the join and from other equalities',
  async (t) => {
    t.equal(filterAfter(joinOf('inner', A, filterOf(B, is(10, 5)), [[0, 10]])), 'filter c0 = 5');
    t.equal(filterAfter({ ...AB, condition: is(0, 5) }), 'filter c10 = 5');
    const equal = compareOf('=', column(0), column(10));
    t.equal(
      filterAfter(filterOf(joinOf('inner', A, B, []), junctionOf('and', [equal, is(0, 5)]))),
      'filter (c0 = c10 and c0 = 5 and c10 = 5)',
    );
    const chain = joinOf('inner', AB, C, [[10, 20]]);
    t.equal(filterAfter(filterOf(chain, is(20, 5))), 'filter (c20 = 5 and c0 = 5 and c10 = 5)');
  },
);

t.test('ranges and lists are conditions of all equal columns', async (t) => {
  t.equal(filterAfter(filterOf(AB, compareOf('<', column(0), integerOf(5)))), 'filter (c0 < 5 and c10 < 5)');
  t.equal(filterAfter(filterOf(AB, compareOf('<', integerOf(5), column(0)))), 'filter (5 < c0 and 5 < c10)');
  const list: Expression = { op: 'in', type: BOOLEAN, of: column(0), values: [1n, 2n], negated: false };
  t.equal(filterAfter(filterOf(AB, list)), 'filter (in(c0) and in(c10))');
});

t.test('a known condition is not repeated', async (t) => {
  t.equal(filterAfter(filterOf(AB, junctionOf('and', [is(0, 5), is(10, 5)]))), 'filter (c0 = 5 and c10 = 5)');
});

t.test('nothing follows from other joins, other conditions and conditions that can fail', async (t) => {
  const asText = compareOf(
    '=',
    castOf({ op: 'constant', type: TEXT, value: 'x' }, column(0).type),
    column(0),
  );
  for (const root of [
    filterOf({ ...AB, kind: 'left' }, is(0, 5)),
    filterOf({ ...AB, keys: [{ left: 0, right: 10, nullsEqual: true }] }, is(0, 5)),
    filterOf(AB, is(1, 5)),
    filterOf(AB, compareOf('<', column(0), column(1))),
    filterOf(AB, asText),
  ]) {
    t.equal(after(root), treeText(root));
  }
});
