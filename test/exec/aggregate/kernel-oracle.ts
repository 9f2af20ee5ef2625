/** Compares the groups of a kernel with the model over generated shards. */
import type { Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import type { GroupSlotSource } from '../../../src/exec/aggregate/groups/slot-plan.js';
import type { QueryRun } from '../../../src/exec/index.js';
import { ShardOperatorStats } from '../../../src/exec/scan/operator-stats.js';
import type { GroupPartial, SelectPlan } from '../../../src/ir/index.js';
import { Arena } from '../../../src/storage/index.js';
import { Extraction, generateEntities } from '../extract/extraction.js';
import { difference, kernelGroups, naiveGroups } from '../items/items-model.js';

export type Kernel = (
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
) => GroupPartial | null;

/** The kernel applies to every plan that `generate` returns, unless `mayRefuse`, and returns the groups of the model. */
export function compareKernel(
  t: Test,
  module: WebAssembly.Module | null,
  seed: number,
  generate: (prng: Prng) => SelectPlan,
  kernel: Kernel,
  mayRefuse = false,
): void {
  const prng = new Prng(seed);
  for (const wide of [false, true]) {
    const extraction = new Extraction(module, prng.pick([1, 3]), { compactionDeadMin: 1_000 });
    const scratch = new Arena(module);
    const wrong: string[] = [];
    let applied = 0;
    for (let round = 0; round < 3; round++) {
      extraction.insert(generateEntities(prng, 200, { idCount: 400, wide, density: prng.pick([0.5, 0.9]) }));
      if (round > 1) extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
      for (let requested = 0; requested < 40; requested++) {
        const plan = generate(prng);
        const found = kernelGroups(extraction, plan, (dimension, run) =>
          kernel({ dimension, plan, tables: [], scratch }, run, new ShardOperatorStats(0, false)),
        );
        if (found === null) continue;
        applied++;
        const fault = difference(plan, found, naiveGroups(extraction.entities, plan));
        if (fault !== null) wrong.push(fault);
      }
    }
    t.strictSame(wrong.slice(0, 2), [], `${wrong.length} of ${applied} differ`);
    if (!mayRefuse) t.equal(applied, 120, 'the kernel applies to all plans');
    else if (!wide) t.ok(applied > 0, 'the kernel applies to some plans');
  }
}
