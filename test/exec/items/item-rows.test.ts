/** Rows that are repeated for lists, events and buckets give the groups of the model, by whatever operators. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { Arena } from '../../../src/storage/index.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, generateEntities } from '../extract/extraction.js';
import { arenasOf } from '../scan/select-rows.js';
import { cursorGroups, difference, generatePlan, naiveGroups } from './items-model.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: groups over items equal the model`, async (t) => {
    const prng = new Prng(SEED);
    for (const wide of [false, true]) {
      const extraction = new Extraction(module, prng.pick([1, 2, 3]), { compactionDeadMin: 1_000 });
      const scratch = new Arena(module);
      const wrong: string[] = [];
      for (let round = 0; round < 3; round++) {
        extraction.insert(generateEntities(prng, 200, { idCount: 400, wide, density: 0.5 }));
        if (round > 1) extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
        for (let requested = 0; requested < 60; requested++) {
          const plan = generatePlan(prng);
          const found = cursorGroups(extraction, plan, scratch);
          const fault = difference(plan, found, naiveGroups(extraction.entities, plan));
          if (fault !== null) wrong.push(fault);
        }
      }
      t.strictSame(wrong.slice(0, 2), [], `${wrong.length} of 180 differ`);
      for (const arena of arenasOf(extraction.shards, scratch)) {
        t.not(arena.reserveTemporary(64), null);
        arena.releaseTemporary();
      }
    }
  });
}

t.test('a query releases all memory, also if it is refused', async (t) => {
  const prng = new Prng(SEED);
  const extraction = new Extraction(null, 1);
  extraction.insert(generateEntities(prng, 300, { idCount: 400, wide: false, density: 0.5 }));
  const scratch = new Arena(null);
  let refused = 0;
  for (let requested = 0; requested < 100; requested++) {
    const plan = generatePlan(prng);
    const run = new QueryRun(null, 0, prng.pick([0, 10_000, 100_000, 2 ** 32]));
    try {
      cursorGroups(extraction, plan, scratch, run);
    } catch (error) {
      t.match(error, { code: 9006 });
      refused++;
    }
    t.equal(run.reservedBytes, 0);
  }
  t.ok(refused > 10, `${refused} of 100 were refused`);
});
