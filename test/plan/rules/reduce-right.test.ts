import t from 'tap';
import {
  compareOf,
  integerOf,
  type JoinKind,
  type Relation,
  type RelationOf,
} from '../../../src/ir/index.js';
import { reduceRight } from '../../../src/plan/rules/reduce-right.js';
import {
  column,
  filterOf,
  groupsOf,
  integerScan,
  joinOf,
  planOf,
  planText,
  projectOf,
} from '../../support/relations/tree-text.js';

const [SMALL, LARGE] = [1, 2];
const statisticsOf = (small: number, large: number) => ({
  rows: (dimensionId: number) => (dimensionId === SMALL ? small : large),
  distinctValues: () => null,
});
const LEFT = filterOf(integerScan(SMALL, 0), compareOf('=', column(1), integerOf(7)));
const RIGHT = integerScan(LARGE, 10);
const JOIN = joinOf('inner', LEFT, RIGHT, [[0, 10]]);
const after = (root: Relation, small = 1_000, large = 1_000_000): string =>
  planText(reduceRight(planOf(root), statisticsOf(small, large)));

const TABLE = `table 0:
  filter c1 = 7
    scan 1 select c0=i0 c1=i1
`;

t.test('a large right side has only rows with keys of the left side, which becomes a table', async (t) => {
  t.equal(
    planText(planOf(JOIN)),
    `inner join c0=c10
  filter c1 = 7
    scan 1 select c0=i0 c1=i1
  scan 2 select c10=i0 c11=i1`,
  );
  t.equal(
    after(JOIN),
    `${TABLE}inner join c0=c10
  table 0: c0=0 c1=1
  semi join c10=c12
    scan 2 select c10=i0 c11=i1
    table 0: c12=0`,
  );
});

t.test('groups by the keys are reduced before they are formed', async (t) => {
  const renamed = projectOf(groupsOf(RIGHT, [10], 15), [
    [16, column(10)],
    [15, column(15)],
  ]);
  t.equal(
    after(joinOf('left', LEFT, renamed, [[0, 16]])),
    `${TABLE}left join c0=c16
  table 0: c0=0 c1=1
  project c16=c10 c15
    aggregate c10 c15=count(*)
      semi join c10=c17
        scan 2 select c10=i0 c11=i1
        table 0: c17=0`,
  );
});

t.test('joins that do not return right rows without a match are reduced', async (t) => {
  const isReduced = (kind: JoinKind): boolean => after({ ...JOIN, kind }).startsWith('table');
  for (const kind of ['inner', 'left', 'single', 'semi', 'anti'] as const) t.ok(isReduced(kind), kind);
  t.notOk(isReduced('full'));
});

t.test('other right sides are collected unchanged', async (t) => {
  const unchanged = (root: RelationOf<'join'>, small?: number, large?: number): void => {
    t.equal(after(root, small, large), planText(planOf(root)));
  };
  unchanged(JOIN, 10, 49_999);
  unchanged(JOIN, 250_000 * 11, 1_000_000);
  unchanged({ ...JOIN, keys: [] });
  unchanged({ ...JOIN, keys: [{ left: 0, right: 10, nullsEqual: true }] });
  unchanged({ ...JOIN, right: integerScan(LARGE, 10, { limit: 900_000 }) });
  unchanged(joinOf('inner', LEFT, groupsOf(RIGHT, [11], 10), [[0, 10]]));
});

t.test('all rows of a table with most keys of the right side reduce it too little', async (t) => {
  const whole = { ...JOIN, left: integerScan(SMALL, 0) };
  const reduced = (distinctKeys: number): boolean => {
    const statistics = { ...statisticsOf(1_000, 1_000_000), distinctValues: () => distinctKeys };
    return reduceRight(planOf(whole), statistics).tables.length > 0;
  };
  t.ok(reduced(2_001));
  t.notOk(reduced(2_000));
});
