import t from 'tap';
import { compareOf, type Expression, INTEGER, integerOf, type Relation } from '../../../src/ir/index.js';
import { mergeFilters, mergeProjects } from '../../../src/plan/rules/merge.js';
import {
  column,
  filterOf,
  integerScan,
  planOf,
  projectOf,
  treeText,
} from '../../support/relations/tree-text.js';

const SCAN = integerScan(1, 0);
const less = (number: number): Expression => compareOf('<', column(number), integerOf(9));
const sum = (left: Expression, right: Expression): Expression => {
  return { op: 'arithmetic', type: INTEGER, operator: '+', left, right };
};

t.test('a filter over a filter becomes one, the inner condition first', async (t) => {
  const root = filterOf(filterOf(filterOf(SCAN, less(0)), less(1)), less(0));
  t.equal(
    treeText(mergeFilters(planOf(root)).root),
    `filter (c0 < 9 and c1 < 9 and c0 < 9)
  scan 1 select c0=i0 c1=i1`,
  );
});

const merged = (root: Relation): string => treeText(mergeProjects(planOf(root)).root);

t.test('a projection over a projection becomes one', async (t) => {
  const inner = projectOf(SCAN, [
    [5, sum(column(0), integerOf(1))],
    [1, column(1)],
  ]);
  t.equal(
    merged(
      projectOf(inner, [
        [6, sum(column(5), column(1))],
        [1, column(1)],
      ]),
    ),
    `project c6=((c0 + 1) + c1) c1
  scan 1 select c0=i0 c1=i1`,
  );
});

t.test('an expression that would be computed twice stays in a projection of its own', async (t) => {
  const inner = projectOf(SCAN, [[5, sum(column(0), column(1))]]);
  const twice = projectOf(inner, [[6, sum(column(5), column(5))]]);
  t.equal(merged(twice), treeText(twice));
  const ofColumn = projectOf(projectOf(SCAN, [[5, column(0)]]), [[6, sum(column(5), column(5))]]);
  t.equal(
    merged(ofColumn),
    `project c6=(c0 + c0)
  scan 1 select c0=i0 c1=i1`,
  );
});

t.test('a projection that changes nothing disappears; one that omits or moves columns stays', async (t) => {
  t.equal(
    merged(
      projectOf(SCAN, [
        [0, column(0)],
        [1, column(1)],
      ]),
    ),
    treeText(SCAN),
  );
  for (const root of [
    projectOf(SCAN, [
      [1, column(1)],
      [0, column(0)],
    ]),
    projectOf(SCAN, [[0, column(0)]]),
  ]) {
    t.equal(merged(root), treeText(root));
  }
});
