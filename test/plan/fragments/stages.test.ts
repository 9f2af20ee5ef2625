import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { columnsOf } from '../../../src/ir/index.js';
import { stagesOf } from '../../../src/plan/fragments/stages.js';
import { decorrelate } from '../../../src/plan/rules/decorrelate/decorrelate.js';
import { optimize, RULE_NAMES } from '../../../src/plan/rules/rules.js';
import { checkRelation } from '../../support/relations/check.js';
import { generatePlan, generateTables } from '../../support/relations/generate.js';
import { memoryScan } from '../../support/relations/memory-scan.js';
import { runPlan, TwoMatches } from '../../support/relations/reference.js';
import { runStages } from '../../support/relations/run-stages.js';
import { textOf } from '../../support/relations/values.js';

const SEED = Number(process.argv[2] ?? Date.now() % 1e9);
const TREES = Number(process.argv[3] ?? 600);

t.test('stages return the rows of the plan', async (t) => {
  let compared = 0;
  for (let tree = 0; tree < TREES; tree++) {
    const seed = SEED + tree;
    const prng = new Prng(seed);
    const tables = generateTables(prng);
    const plan = generatePlan(prng, 1 + (tree % 3));
    const isOrdered = plan.root.op === 'sort';
    const textsOf = (rows: (readonly (bigint | number | string | boolean | null)[])[]): string[] =>
      isOrdered ? rows.map(textOf) : rows.map(textOf).sort();
    let expected: string[];
    try {
      expected = textsOf(runPlan(plan, (scan) => memoryScan(scan, tables)));
    } catch {
      // An expression fails, or a scalar subquery returns two rows.
      continue;
    }
    if (expected.length > 2_000) continue;
    compared++;
    for (const disabled of [new Set<(typeof RULE_NAMES)[number]>(), new Set(RULE_NAMES)]) {
      const stages = stagesOf(
        optimize(
          plan,
          { rows: (id) => [3, 2_000_000][(seed + id) % 2], distinctValues: () => null },
          disabled,
        ),
      );
      for (const stage of stages) {
        if (stage.runs === 'operators') checkRelation(stage.root);
        if (stage.runs === 'groups') checkRelation(stage.input);
      }
      const last = stages[stages.length - 1].columns.map(({ column }) => column);
      const wanted = columnsOf(plan.root).map(({ column }) => column);
      if (last.join() !== wanted.join()) return t.fail(`seed ${seed}: columns ${last} instead of ${wanted}`);
      let found: string[];
      try {
        found = textsOf(runStages(stages, tables));
      } catch (error) {
        // A subquery with two rows that no row of the left side evaluates is evaluated for all of them at once.
        if (error instanceof TwoMatches && decorrelate(plan) !== plan) continue;
        throw new Error(`seed ${seed}`, { cause: error });
      }
      if (found.join('\n\n') !== expected.join('\n\n')) {
        return t.fail(`seed ${seed}, ${disabled.size} rules disabled`, { expected, found, stages });
      }
    }
  }
  t.ok(compared > TREES / 2, `${compared} of ${TREES} trees from seed ${SEED}`);
});
