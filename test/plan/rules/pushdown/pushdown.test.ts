import t from 'tap';
import {
  compareOf,
  type Expression,
  INTEGER,
  integerOf,
  type JoinKind,
  junctionOf,
  type Relation,
} from '../../../../src/ir/index.js';
import { pushdown } from '../../../../src/plan/rules/pushdown/pushdown.js';
import {
  column,
  filterOf,
  groupsOf,
  integerScan,
  joinOf,
  planOf,
  projectOf,
  sortOf,
  treeText,
} from '../../../support/relations/tree-text.js';

const [A, B] = [integerScan(1, 0), integerScan(2, 10)];
const is = (number: number, value: number): Expression => compareOf('=', column(number), integerOf(value));
const both = (...members: Expression[]): Expression => junctionOf('and', members);
const either = (...members: Expression[]): Expression => junctionOf('or', members);
const next = (number: number): Expression => {
  return { op: 'arithmetic', type: INTEGER, operator: '+', left: column(number), right: integerOf(1) };
};
const after = (root: Relation): string => treeText(pushdown(planOf(root)).root);

t.test(
  'a condition on one side of a join is a condition of its scan, an equality of both sides a key',
  async (t) => {
    const root = filterOf(
      joinOf('inner', A, B, []),
      both(is(0, 5), compareOf('=', column(1), column(11)), is(10, 6)),
    );
    t.equal(
      treeText(root),
      `filter (c0 = 5 and c1 = c11 and c10 = 6)
  inner join
    scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
    );
    t.equal(
      after(root),
      `inner join c1=c11
  scan 1 with column 1 in 5..5 select c0=i0 c1=i1
  scan 2 with column 1 in 6..6 select c10=i0 c11=i1`,
    );
  },
);

t.test('an equality of expressions is a key of columns that are computed for it', async (t) => {
  t.equal(
    after(filterOf(joinOf('inner', A, B, []), compareOf('=', next(0), column(10)))),
    `project c0 c1 c10 c11
  inner join c12=c10
    project c0 c1 c12=(c0 + 1)
      scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
  );
});

t.test('conditions pass projections, orders, keys of groups and sides of unions', async (t) => {
  t.equal(
    after(filterOf(projectOf(A, [[5, next(0)]]), is(5, 3))),
    `project c5=(c0 + 1)
  scan 1 where (i0 + 1) = 3 select c0=i0 c1=i1`,
  );
  t.equal(
    after(filterOf(sortOf(A, [1]), is(0, 3))),
    'sort c1\n  scan 1 with column 1 in 3..3 select c0=i0 c1=i1',
  );
  t.equal(
    after(filterOf(groupsOf(A, [0], 5), both(is(0, 3), is(5, 4)))),
    `filter c5 = 4
  aggregate c0 c5=count(*)
    scan 1 with column 1 in 3..3 select c0=i0 c1=i1`,
  );
  const columns = [{ column: 20, type: INTEGER, left: 0, right: 11 }];
  t.equal(
    after(filterOf({ op: 'set', operator: 'union', all: true, left: A, right: B, columns }, is(20, 3))),
    `union: c20=c0|c11
  scan 1 with column 1 in 3..3 select c0=i0 c1=i1
  scan 2 with column 2 in 3..3 select c10=i0 c11=i1`,
  );
});

t.test('conditions stay above a limit and above a single group', async (t) => {
  for (const root of [filterOf(sortOf(A, [1], 4), is(0, 3)), filterOf(groupsOf(A, [], 5), is(5, 3))]) {
    t.equal(after(root), treeText(root));
  }
});

t.test('a condition that can fail passes groups only if none before it stays above them', async (t) => {
  const times = (left: Expression, right: Expression): Expression => {
    return { op: 'arithmetic', type: INTEGER, operator: '*', left, right };
  };
  const cube = compareOf('=', times(times(column(0), column(0)), column(0)), integerOf(8));
  const counted = groupsOf(A, [0], 5);
  t.equal(
    after(filterOf(counted, both(is(5, 4), cube))),
    `filter case(c5 = 4, ((c0 * c0) * c0) = 8, false)
  aggregate c0 c5=count(*)
    scan 1 select c0=i0 c1=i1`,
  );
  t.equal(
    after(filterOf(counted, both(cube, is(5, 4), is(0, 2)))),
    `filter c5 = 4
  aggregate c0 c5=count(*)
    scan 1 with column 1 in 2..2 where ((i0 * i0) * i0) = 8 select c0=i0 c1=i1`,
  );
});

t.test('a condition that rejects missing values makes an outer join an inner one', async (t) => {
  const kindOf = (kind: JoinKind, condition: Expression): string =>
    /(\w+) join/.exec(after(filterOf(joinOf(kind, A, B, [[0, 10]]), condition)))?.[1] ?? '';
  t.equal(kindOf('left', is(11, 3)), 'inner');
  t.equal(kindOf('left', is(1, 3)), 'left');
  t.equal(kindOf('full', is(1, 3)), 'left');
  t.equal(kindOf('full', both(is(1, 3), is(11, 3))), 'inner');
  t.equal(
    kindOf('left', { op: 'is-null', type: { type: 'boolean' }, of: column(11), negated: false }),
    'left',
  );
});

t.test(
  'what all branches of an OR have in common, and what they imply for a side, is tested below',
  async (t) => {
    const common = either(both(is(0, 1), is(10, 2)), both(is(0, 1), is(10, 3)));
    t.equal(
      after(filterOf(joinOf('inner', A, B, [[1, 11]]), common)),
      `inner join c1=c11
  scan 1 with column 1 in 1..1 select c0=i0 c1=i1
  scan 2 with (column 1 in 2..2 or column 1 in 3..3) select c10=i0 c11=i1`,
    );
    const implied = either(both(is(0, 1), is(10, 2)), both(is(0, 3), is(10, 4)));
    t.equal(
      after(filterOf(joinOf('inner', A, B, [[1, 11]]), implied)),
      `inner join c1=c11 on ((c0 = 1 and c10 = 2) or (c0 = 3 and c10 = 4))
  scan 1 with (column 1 in 1..1 or column 1 in 3..3) select c0=i0 c1=i1
  scan 2 with (column 1 in 2..2 or column 1 in 4..4) select c10=i0 c11=i1`,
    );
  },
);
