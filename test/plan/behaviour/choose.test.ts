import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import type { BehaviourPlan, BehaviourRanking } from '../../../src/ir/index.js';
import { chooseValues } from '../../../src/plan/index.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_TEST_SEED=${SEED}`);

const planOf = (limit: number | null): BehaviourPlan =>
  ({ question: { kind: 'sessions', gap: 1 }, breakdown: limit === null ? null : { limit } }) as BehaviourPlan;

t.test('the most frequent values of all workers are chosen, then by text', (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 200; round++) {
    const totals = new Map<string, number>();
    const rankings = Array.from({ length: prng.between(1, 4) }, (): BehaviourRanking => {
      const values = [...new Set(Array.from({ length: prng.below(60) }, () => `v${prng.below(40)}é`))];
      const counts = Float64Array.from(values, () => prng.below(4));
      values.forEach((value, at) => {
        totals.set(value, (totals.get(value) ?? 0) + counts[at]);
      });
      return { values, counts };
    });
    const limit = prng.between(1, 12);
    const expected = [...totals]
      .filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, limit)
      .map(([value]) => value);
    const chosen = runToEnd(chooseValues(planOf(limit), rankings));
    if (chosen?.values.join() !== expected.join()) t.strictSame(chosen?.values, expected);
  }
  t.equal(runToEnd(chooseValues(planOf(null), [])), null, 'nothing is chosen without a breakdown');
  t.end();
});
