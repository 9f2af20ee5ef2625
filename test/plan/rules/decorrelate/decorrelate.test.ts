/** Trees before and after decorrelation: no join's right side reads columns of its left side afterwards. */
import t from 'tap';
import {
  compareOf,
  type Expression,
  INTEGER,
  integerOf,
  type JoinKind,
  type Relation,
} from '../../../../src/ir/index.js';
import { decorrelate } from '../../../../src/plan/rules/decorrelate/decorrelate.js';
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
} from '../../../support/relations/tree-text.js';

const [A, B] = [integerScan(1, 0), integerScan(2, 10)];
/** The rows of the right side whose column equals, or is below, the one of the left row. */
const EQUAL = filterOf(B, compareOf('=', column(10), column(0)));
const LESS = filterOf(B, compareOf('<', column(10), column(0)));
const sum = (left: Expression, right: Expression): Expression => {
  return { op: 'arithmetic', type: INTEGER, operator: '+', left, right };
};
const joined = (kind: JoinKind, right: Relation): Relation => joinOf(kind, A, right, []);
const series: Relation = {
  ...{ op: 'series', input: { op: 'values', columns: [], rows: [[]] }, months: 0 },
  ...{ value: { column: 20, type: INTEGER }, first: integerOf(1), last: column(0), step: integerOf(1) },
};

const CASES: readonly (readonly [name: string, root: Relation, trees: string])[] = [
  [
    'EXISTS is a semi join by the condition of the subquery',
    joined('semi', EQUAL),
    `
semi join
  scan 1 select c0=i0 c1=i1
  filter c10 = c0
    scan 2 select c10=i0 c11=i1
->
semi join on c10 = c0
  scan 1 select c0=i0 c1=i1
  scan 2 select c10=i0 c11=i1`,
  ],
  [
    'NOT EXISTS is an anti join',
    joined('anti', LESS),
    `
anti join
  scan 1 select c0=i0 c1=i1
  filter c10 < c0
    scan 2 select c10=i0 c11=i1
->
anti join on c10 < c0
  scan 1 select c0=i0 c1=i1
  scan 2 select c10=i0 c11=i1`,
  ],
  [
    'an equality of IN is a key of the mark join; rows that the subquery omits are not unknown matches',
    joinOf('mark', A, EQUAL, [[1, 11]], { mark: 20 }),
    `
mark join c1=c11 as c20
  scan 1 select c0=i0 c1=i1
  filter c10 = c0
    scan 2 select c10=i0 c11=i1
->
mark join c1=c11 c0==c10 as c20
  scan 1 select c0=i0 c1=i1
  filter c10 is not null
    scan 2 select c10=i0 c11=i1`,
  ],
  [
    'a count is joined to the groups by the compared column, and is 0 without a group',
    joined('single', groupsOf(EQUAL, [], 15)),
    `
single join
  scan 1 select c0=i0 c1=i1
  aggregate c15=count(*)
    filter c10 = c0
      scan 2 select c10=i0 c11=i1
->
project c0 c1 c15
  project c0 c1 c10 c15=coalesce(c16, 0)
    left join c0=c10
      scan 1 select c0=i0 c1=i1
      aggregate c10 c16=count(*)
        scan 2 select c10=i0 c11=i1`,
  ],
  [
    'a count by another comparison is computed for each value of the left column',
    joined('single', groupsOf(LESS, [], 15)),
    `
single join
  scan 1 select c0=i0 c1=i1
  aggregate c15=count(*)
    filter c10 < c0
      scan 2 select c10=i0 c11=i1
->
project c0 c1 c15
  single join c0==c18
    scan 1 select c0=i0 c1=i1
    project c18 c16 c15=coalesce(c20, 0)
      left join c18==c16
        aggregate c18
          scan 1 select c18=i0 c19=i1
        aggregate c16 c20=count(*)
          filter c10 < c16
            inner join
              aggregate c16
                scan 1 select c16=i0 c17=i1
              scan 2 select c10=i0 c11=i1`,
  ],
  [
    'groups have the compared column as another key',
    joined('inner', groupsOf(EQUAL, [11], 15)),
    `
inner join
  scan 1 select c0=i0 c1=i1
  aggregate c11 c15=count(*)
    filter c10 = c0
      scan 2 select c10=i0 c11=i1
->
project c0 c1 c11 c15
  inner join on c10 = c0
    scan 1 select c0=i0 c1=i1
    aggregate c11 c10 c15=count(*)
      scan 2 select c10=i0 c11=i1`,
  ],
  [
    'the first rows are numbered for each value of the left column',
    joined('inner', sortOf(EQUAL, [11], 1)),
    `
inner join
  scan 1 select c0=i0 c1=i1
  sort c11 limit 1
    filter c10 = c0
      scan 2 select c10=i0 c11=i1
->
project c0 c1 c10 c11
  inner join c0==c12
    scan 1 select c0=i0 c1=i1
    project c12 c10 c11
      filter (c14 > 0 and c14 <= 1)
        window by c12: c14=row-number
          filter c10 = c12
            inner join
              aggregate c12
                scan 1 select c12=i0 c13=i1
              scan 2 select c10=i0 c11=i1`,
  ],
  [
    'a series of each row is computed over the rows themselves',
    joined('inner', series),
    `
inner join
  scan 1 select c0=i0 c1=i1
  series c20: 1 to c0
    1 values: 
->
series c20: 1 to c0
  scan 1 select c0=i0 c1=i1`,
  ],
  [
    'an item that reads left columns is computed for their values',
    joined('single', projectOf(EQUAL, [[30, sum(column(11), column(1))]])),
    `
single join
  scan 1 select c0=i0 c1=i1
  project c30=(c11 + c1)
    filter c10 = c0
      scan 2 select c10=i0 c11=i1
->
project c0 c1 c30
  single join c0==c31 c1==c32
    scan 1 select c0=i0 c1=i1
    project c30=(c11 + c32) c31 c32
      filter c10 = c31
        inner join
          aggregate c31 c32
            scan 1 select c31=i0 c32=i1
          scan 2 select c10=i0 c11=i1`,
  ],
  [
    'a left side that is no plain scan becomes a table, which is read twice',
    joinOf('inner', groupsOf(A, [0], 5), sortOf(EQUAL, [11], 1), []),
    `
inner join
  aggregate c0 c5=count(*)
    scan 1 select c0=i0 c1=i1
  sort c11 limit 1
    filter c10 = c0
      scan 2 select c10=i0 c11=i1
->
table 0:
  aggregate c0 c5=count(*)
    scan 1 select c0=i0 c1=i1
project c0 c5 c10 c11
  inner join c0==c12
    table 0: c0=0 c5=1
    project c12 c10 c11
      filter (c13 > 0 and c13 <= 1)
        window by c12: c13=row-number
          filter c10 = c12
            inner join
              aggregate c12
                table 0: c12=0
              scan 2 select c10=i0 c11=i1`,
  ],
];

for (const [name, root, trees] of CASES) {
  t.test(name, async (t) => {
    t.equal(`\n${planText(planOf(root))}\n->\n${planText(decorrelate(planOf(root)))}`, trees);
  });
}

t.test('a plan that reads no columns from outside stays as it is', async (t) => {
  const plan = planOf(joinOf('inner', A, B, [[0, 10]]));
  t.equal(decorrelate(plan), plan);
});
