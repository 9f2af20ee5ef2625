/** Matches of patterns are those that a search by hand finds, and cost the same whatever the pattern. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { SequenceMatcher } from '../../../../src/exec/behaviour/sequence/matcher.js';
import { compareMasks } from '../../../../src/exec/behaviour/sequence/sequence.js';
import { UNBOUNDED } from '../../../../src/exec/query-run.js';
import type { PatternStep } from '../../../../src/ir/index.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const MANY = 1_000_000;
const STEPS = 16;
t.setTimeout(120_000);

const step = (event: number | null, more: Partial<PatternStep> = {}): PatternStep => ({
  event,
  isNegated: false,
  gap: 'next',
  secondsMin: 0,
  secondsMax: Number.MAX_SAFE_INTEGER,
  ...more,
});
const timed = (event: number, secondsMin: number, secondsMax: number): PatternStep =>
  step(event, { gap: 'timed', secondsMin, secondsMax });

/** Whether the pattern from step `at` on can be matched by events from `from` on that end before `end`. */
function canEnd(
  steps: readonly PatternStep[],
  dates: Uint32Array,
  masks: Uint32Array,
  { at, from, end }: { readonly at: number; readonly from: number; readonly end: number },
): boolean {
  if (at === steps.length) return from <= end;
  const { event, isNegated, gap, secondsMin, secondsMax } = steps[at];
  for (let next = from; next < end && (gap !== 'next' || next === from); next++) {
    const seconds = at === 0 ? 0 : dates[next] - dates[from - 1];
    if (gap === 'timed' && (seconds < secondsMin || seconds > secondsMax)) continue;
    if (event !== null && ((masks[next] >>> event) & 1) !== (isNegated ? 0 : 1)) continue;
    if (canEnd(steps, dates, masks, { at: at + 1, from: next + 1, end })) return true;
  }
  return false;
}

function countByHand(steps: readonly PatternStep[], dates: Uint32Array, masks: Uint32Array): number {
  let count = 0;
  for (let from = 0; from < masks.length; ) {
    let end = from + 1;
    while (end <= masks.length && !canEnd(steps, dates, masks, { at: 0, from, end })) end++;
    if (end <= masks.length) count++;
    from = end <= masks.length ? end : from + 1;
  }
  return count;
}

t.test('matches are those of a search by hand', (t) => {
  t.comment(`seed ${SEED}`);
  const prng = new Prng(SEED);
  for (let round = 0; round < 3000; round++) {
    const count = prng.between(1, 9);
    const dates = Uint32Array.from({ length: count }, () => prng.between(10, 20)).sort();
    const masks = Uint32Array.from({ length: count }, () => prng.between(1, 7));
    const steps = Array.from({ length: prng.between(1, 4) }, (_, index): PatternStep => {
      const gap = prng.pick(
        index === 0 ? (['next', 'later'] as const) : (['next', 'later', 'timed'] as const),
      );
      const secondsMin = prng.between(0, 4);
      return step(prng.chance(0.2) ? null : prng.below(3), {
        isNegated: prng.chance(0.2),
        gap,
        secondsMin,
        secondsMax: prng.chance(0.3) ? Number.MAX_SAFE_INTEGER : secondsMin + prng.between(-1, 4),
      });
    });
    const found = new SequenceMatcher(steps, UNBOUNDED).count(dates, masks, 0, dates.length);
    const expected = countByHand(steps, dates, masks);
    if (found !== expected)
      t.fail(JSON.stringify({ steps, dates: [...dates], masks: [...masks], found, expected }));
  }
  t.end();
});

t.test('a million events of one entity, also of one second, are matched by long patterns', (t) => {
  const spread = Uint32Array.from({ length: MANY }, (_, index) => index);
  const sameSecond = new Uint32Array(MANY).fill(5);
  const masks = new Uint32Array(MANY).fill(1);
  const anywhere = Array.from({ length: STEPS }, () => step(0, { gap: 'later' }));
  const near = [step(0), ...Array.from({ length: STEPS - 1 }, () => timed(0, 0, MANY))];
  for (const dates of [spread, sameSecond]) {
    for (const steps of [anywhere, near]) {
      const matcher = new SequenceMatcher(steps, UNBOUNDED);
      t.equal(matcher.count(dates, masks, 0, dates.length), Math.floor(MANY / STEPS));
      // The last step never matches, so every beginning fails.
      t.equal(
        new SequenceMatcher([...steps, step(0, { isNegated: true })], UNBOUNDED).count(
          dates,
          masks,
          0,
          dates.length,
        ),
        0,
      );
    }
  }
  t.end();
});

t.test('lists of conditions are compared number by number, a shorter one first', (t) => {
  const lists = [[1], [1, 2], [1, 2, 3], [1, 3], [1, 32], [2], [2, 3], [3], [3, 32], [32]];
  const masks = lists.map((list) => list.reduce((mask, number) => mask | (1 << (number - 1)), 0) >>> 0);
  const shuffled = [...masks].sort((a, b) => a - b).sort(compareMasks);
  t.strictSame(shuffled, masks);
  t.equal(compareMasks(masks[3], masks[3]), 0);
  t.end();
});
