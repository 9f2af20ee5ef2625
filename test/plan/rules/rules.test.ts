import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { columnsOf, type RelationPlan } from '../../../src/ir/index.js';
import { decorrelate } from '../../../src/plan/rules/decorrelate/decorrelate.js';
import { optimize, RULE_NAMES, type RuleName } from '../../../src/plan/rules/rules.js';
import type { Statistics } from '../../../src/plan/rules/statistics.js';
import { checkRelation } from '../../support/relations/check.js';
import { generatePlan, generateTables } from '../../support/relations/generate.js';
import { type MemoryTables, memoryScan } from '../../support/relations/memory-scan.js';
import { runPlan, TwoMatches } from '../../support/relations/reference.js';
import { textOf } from '../../support/relations/values.js';

const SEED = Number(process.argv[2] ?? Date.now() % 1e9);
const TREES = Number(process.argv[3] ?? 1_200);

/** The rows as texts, in order if a sort is the root. */
function answer(plan: RelationPlan, tables: MemoryTables, isOrdered: boolean): string[] {
  const rows = runPlan(plan, (scan) => memoryScan(scan, tables)).map(textOf);
  return isOrdered ? rows : rows.sort();
}

const print = (plan: unknown): string =>
  JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

/** Sizes that have nothing to do with the rows, so that every choice that depends on them is made for some tree. */
const statisticsOf = (seed: number): Statistics => ({
  rows: (dimensionId) => [3, 1_000, 2_000_000][(seed + dimensionId) % 3],
  distinctValues: (dimensionId, columnId) => ((seed + dimensionId + columnId) % 2 === 0 ? null : 5),
});

type Choice = readonly [name: string, disabled: ReadonlySet<RuleName>];
const ALL: Choice = ['all rules', new Set()];
const ALONE = RULE_NAMES.map((name): Choice => {
  return [`only ${name}`, new Set(RULE_NAMES.filter((other) => other !== name))];
});
const ALL_BUT_ONE = RULE_NAMES.map((name): Choice => [`all but ${name}`, new Set([name])]);

t.test('all rules, each rule alone and all but one return the rows of the tree itself', async (t) => {
  let compared = 0;
  for (let tree = 0; tree < TREES; tree++) {
    const seed = SEED + tree;
    const prng = new Prng(seed);
    const tables = generateTables(prng);
    const plan = generatePlan(prng, 1 + (tree % 3));
    const isOrdered = plan.root.op === 'sort';
    checkRelation(plan.root);
    let expected: string[];
    try {
      expected = answer(plan, tables, isOrdered);
    } catch {
      // An expression fails, or a scalar subquery returns two rows.
      continue;
    }
    if (expected.length > 2_000) continue;
    compared++;
    for (const [name, disabled] of [
      ALL,
      ALONE[tree % ALONE.length],
      ALL_BUT_ONE[(tree >> 2) % ALONE.length],
    ]) {
      const where = `seed ${seed}, ${name}`;
      try {
        const optimized = optimize(plan, statisticsOf(seed), disabled);
        for (const table of [...optimized.tables, optimized.root]) checkRelation(table);
        if (columnsOf(optimized.root).length !== plan.outputs.length) throw new Error('other outputs');
        const found = answer(optimized, tables, isOrdered);
        if (found.join('\n\n') !== expected.join('\n\n')) {
          t.fail(where, { expected, found });
          console.log(print(plan), '\n', print(optimized));
          return;
        }
      } catch (error) {
        // A subquery with two rows that no row of the left side evaluates is evaluated for all of them at once.
        if (error instanceof TwoMatches && decorrelate(plan) !== plan) continue;
        console.log(print(plan));
        t.error(error, where);
        return;
      }
    }
  }
  t.ok(compared > TREES / 2, `${compared} of ${TREES} trees from seed ${SEED}`);
});
