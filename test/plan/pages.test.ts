/** The rows of several workers as one list. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { type ExtractedRow, type ExtractPlan, positionOrder } from '../../src/ir/index.js';
import { firstRows } from '../../src/plan/pages.js';
import { packRows } from '../../src/protocol/index.js';

const SEED = 8_128;
t.comment(`seed ${SEED}`);

const PLAN: ExtractPlan = {
  databaseId: 1,
  dimensionId: 2,
  condition: null,
  scored: null,
  near: null,
  order: [],
  after: null,
  limit: 10,
  columns: [],
};

t.test('the first rows of several workers are the first of all rows sorted', async (t) => {
  const prng = new Prng(SEED);
  const order = [{ by: 'attribute', columnId: 1, kind: 'i64', descending: true } as const];
  for (const plan of [PLAN, { ...PLAN, order }, { ...PLAN, scored: [] }]) {
    for (const workerCount of [0, 1, 2, 5]) {
      const compare = (a: ExtractedRow, b: ExtractedRow) => positionOrder(plan)(a.position, b.position);
      const workers = Array.from({ length: workerCount }, (_, worker) =>
        Array.from({ length: prng.below(30) }, (_, row): ExtractedRow => {
          const values = plan.order.map(() => (prng.chance(0.2) ? null : BigInt(prng.below(5))));
          const position = {
            id: `${prng.u32()}-${worker}-${row}`,
            score: prng.below(3),
            distanceKm: 0,
            values,
          };
          return { position, nearest: null, values: [] };
        }).sort(compare),
      );
      const all = workers.flat().sort(compare);
      for (const limit of [0, 1, 10, 1_000]) {
        t.strictSame(firstRows(plan, workers.map(packRows), limit), all.slice(0, limit));
      }
    }
  }
});
