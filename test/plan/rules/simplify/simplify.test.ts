import t from 'tap';
import {
  BOOLEAN,
  compareOf,
  constantOf,
  type Expression,
  inputExpression,
  integerOf,
  type JoinKind,
  junctionOf,
  type Relation,
  type RelationOf,
} from '../../../../src/ir/index.js';
import { simplify } from '../../../../src/plan/rules/simplify/simplify.js';
import {
  column,
  filterOf,
  groupsOf,
  integerScan,
  joinOf,
  planOf,
  planText,
  projectOf,
  sortOf,
  treeText,
} from '../../../support/relations/tree-text.js';

const [A, B] = [integerScan(1, 0), integerScan(2, 10)];
const SCANS = `
  scan 1 select c0=i0 c1=i1
  scan 2 select c10=i0 c11=i1`;
const TRUTHS = [true, false, null].map((value) => constantOf(BOOLEAN, value));
const [YES, NO, UNKNOWN] = TRUTHS;
const NONE: Relation = { op: 'values', columns: B.columns, rows: [] };
const is = (number: number, value: number): Expression => compareOf('=', column(number), integerOf(value));
const after = (root: Relation): string => treeText(simplify(planOf(root)).root);

t.test('conditions are folded; rows that none satisfies are no rows', async (t) => {
  t.equal(
    after(filterOf(A, junctionOf('and', [YES, is(0, 5), is(0, 5)]))),
    `filter c0 = 5\n  ${treeText(A)}`,
  );
  t.equal(after(filterOf(A, junctionOf('or', [is(0, 5), YES]))), treeText(A));
  t.equal(after(filterOf(A, compareOf('<', integerOf(2), integerOf(1)))), '0 values: c0 c1');
  t.equal(after(filterOf(A, junctionOf('and', [is(0, 5), UNKNOWN]))), '0 values: c0 c1');
  t.equal(after(integerScan(1, 0, { filter: NO })), '0 values: c0 c1');
  t.equal(
    after(projectOf(groupsOf(filterOf(A, NO), [0], 5), [[5, column(5)]])),
    'project c5\n  0 values: c0 c5',
  );
  t.equal(
    after(groupsOf(filterOf(A, NO), [], 5)),
    'aggregate c5=count(*)\n  0 values: c0 c1',
    'one group exists without rows',
  );
});

const MARK: Expression = inputExpression(BOOLEAN, 20);
const not = (member: Expression): Expression => ({ op: 'not', type: BOOLEAN, member });
/** A mark join whose columns are counts, which are never missing. */
const COUNTED = joinOf('mark', groupsOf(A, [0], 5), groupsOf(B, [10], 15), [[5, 15]], { mark: 20 });
/** A mark join of columns that may be missing. */
const MARKED = joinOf('mark', A, B, [[0, 10]], { mark: 20 });
const firstTwo = (root: Relation): string =>
  after(root)
    .split('\n')
    .slice(0, 2)
    .map((line) => line.trim())
    .join(' / ');

t.test('a filter by the mark of a join is a semi join, by its negation an anti join', async (t) => {
  t.equal(
    after(filterOf(MARKED, MARK)),
    `project c0 c1 c20=true
  semi join c0=c10
    scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
  );
  t.equal(firstTwo(filterOf(COUNTED, not(MARK))), 'project c0 c5 c20=false / anti join c5=c15');
  t.equal(
    after(filterOf(MARKED, not(MARK))),
    `filter not(c20)
  mark join c0=c10 as c20
    scan 1 select c0=i0 c1=i1
    scan 2 select c10=i0 c11=i1`,
    'an unknown match is no match for the filter, but it is one for an anti join',
  );
});

t.test('unknown matches count as none if only the filter reads the mark', async (t) => {
  const unmatched = filterOf(MARKED, not({ op: 'coalesce', type: BOOLEAN, members: [MARK, NO] }));
  t.equal(firstTwo(projectOf(unmatched, [[0, column(0)]])), 'project c0 / project c0 c1 c20=false');
  t.equal(
    firstTwo(unmatched),
    'filter not(coalesce(c20, false)) / mark join c0=c10 as c20',
    'the answer has the mark',
  );
});

t.test('a join with a side that has no rows is no join', async (t) => {
  const withNone = (kind: JoinKind, more: Partial<RelationOf<'join'>> = {}): string =>
    after(joinOf(kind, A, NONE, [[0, 10]], more));
  t.equal(withNone('inner'), '0 values: c0 c1 c10 c11');
  t.equal(withNone('semi'), '0 values: c0 c1');
  t.equal(withNone('anti'), treeText(A));
  t.equal(withNone('left'), `project c0 c1 c10=null c11=null\n  ${treeText(A)}`);
  t.equal(withNone('single'), withNone('left'));
  t.equal(withNone('mark', { mark: 20 }), `project c0 c1 c20=false\n  ${treeText(A)}`);
  t.match(withNone('full'), /^full join/);
  t.equal(after(joinOf('left', NONE, A, [[10, 0]])), '0 values: c10 c11 c0 c1');
  t.match(after(joinOf('full', NONE, A, [[10, 0]])), /^full join/);
});

t.test('a join whose condition is constant has none, or no matches', async (t) => {
  const joined = (kind: JoinKind, condition: Expression, mark: number | null = null): string =>
    after(joinOf(kind, A, B, [], { condition, mark }));
  t.equal(joined('inner', YES), `inner join${SCANS}`);
  t.equal(joined('inner', UNKNOWN), '0 values: c0 c1 c10 c11');
  t.equal(joined('anti', NO), treeText(A));
  t.equal(joined('mark', NO, 20), `project c0 c1 c20=false\n  ${treeText(A)}`);
  t.equal(joined('mark', UNKNOWN, 20), `mark join on null as c20${SCANS}`, 'every match is unknown');
});

t.test('rows that are distinct are not made distinct again', async (t) => {
  const groups = groupsOf(A, [0], 5);
  t.equal(after(groupsOf(groups, [0, 5], null)), treeText(groups));
  t.equal(after(groupsOf(groups, [0], null)), `project c0\n${treeText(groups, '  ')}`);
  t.match(after(groupsOf(groups, [5], null)), /^aggregate c5\n/);
  t.match(after(groupsOf(groups, [0, 5], 6)), /^aggregate c0 c5 c6/);
});

t.test(
  'LIMIT over ORDER BY is one sort, LIMIT 0 no rows; orders that nothing reads are removed',
  async (t) => {
    t.equal(after(sortOf(sortOf(A, [0]), [], 3, 1)), `sort c0 limit 3 offset 1\n  ${treeText(A)}`);
    t.equal(after(sortOf(sortOf(A, [0], 5), [], 3)), `sort  limit 3\n  sort c0 limit 5\n    ${treeText(A)}`);
    t.equal(after(sortOf(A, [0], 0)), '0 values: c0 c1');
    t.equal(after(sortOf(NONE, [10], null, 1)), '0 values: c10 c11');
    t.equal(after(groupsOf(sortOf(A, [1]), [0], 5)), `aggregate c0 c5=count(*)\n  ${treeText(A)}`);
    t.equal(
      after(sortOf(filterOf(sortOf(A, [1]), is(0, 5)), [0])),
      `sort c0\n  filter c0 = 5\n    ${treeText(A)}`,
    );
    t.equal(after(filterOf(sortOf(A, [1]), is(0, 5))), `filter c0 = 5\n  sort c1\n    ${treeText(A)}`);
    t.match(after(groupsOf(sortOf(A, [1], 4), [0], 5)), /\n {2}sort c1 limit 4/);
  },
);

t.test('a set operation with a side that has no rows is the other side', async (t) => {
  const columns = [0, 1].map((index) => ({
    ...A.columns[index],
    column: 30 + index,
    left: index,
    right: 10 + index,
  }));
  const set = (
    operator: 'union' | 'intersect' | 'except',
    all: boolean,
    left: Relation,
    right: Relation,
  ): string => after({ op: 'set', operator, all, left, right, columns });
  const empty: Relation = { op: 'values', columns: A.columns, rows: [] };
  t.equal(set('union', true, A, NONE), `project c30=c0 c31=c1\n  ${treeText(A)}`);
  t.equal(set('union', true, empty, B), `project c30=c10 c31=c11\n  ${treeText(B)}`);
  t.equal(set('except', true, A, NONE), set('union', true, A, NONE));
  t.match(set('except', false, A, NONE), /^except/, 'rows are made distinct');
  t.equal(set('intersect', true, A, NONE), '0 values: c30 c31');
  t.equal(set('except', true, empty, B), '0 values: c30 c31');
});

t.test('a table that is read once is inlined; one that is read twice stays', async (t) => {
  const read = (first: number): Relation => ({
    ...{ op: 'shared', table: 0, from: [1, 0] },
    columns: A.columns.map((one, index) => ({ ...one, column: first + index })),
  });
  t.equal(
    planText(simplify(planOf(read(40), [A]))),
    `project c40=c43 c41=c42
  scan 1 select c42=i0 c43=i1`,
  );
  const twice = planOf(joinOf('inner', read(40), read(50), [[40, 50]]), [A]);
  t.equal(planText(simplify(twice)), planText(twice));
});
