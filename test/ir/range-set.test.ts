import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { IntRange } from '../../src/ir/index.js';
import { complement, intersect, type RangeSet, rangeWithin, unite } from '../../src/ir/range-set.js';

const DOMAIN: IntRange = { low: 0n, high: 31n };
const members = (set: RangeSet): boolean[] =>
  Array.from({ length: 32 }, (_, value) => set.some(({ low, high }) => low <= value && value <= high));
const isTidy = (set: RangeSet): boolean =>
  set.every(({ low, high }, index) => low <= high && (index === 0 || low > set[index - 1].high + 1n));

t.test('sets of ranges behave as sets of their members, seed 5', async (t) => {
  const prng = new Prng(5);
  const randomSet = (): RangeSet =>
    unite(
      Array.from({ length: prng.below(6) }, () => {
        const low = prng.below(32);
        return { low: BigInt(low), high: BigInt(prng.between(low, Math.min(31, low + 5))) };
      }),
    );
  for (let round = 0; round < 500; round++) {
    const [a, b] = [randomSet(), randomSet()];
    const [inA, inB] = [members(a), members(b)];
    t.ok(isTidy(a) && isTidy(complement(DOMAIN, a)) && isTidy(unite([...a, ...b])));
    t.strictSame(
      members(complement(DOMAIN, a)),
      inA.map((inside) => !inside),
    );
    t.strictSame(
      members(intersect(a, b)),
      inA.map((inside, value) => inside && inB[value]),
    );
    t.strictSame(
      members(unite([...b, ...a])),
      inA.map((inside, value) => inside || inB[value]),
    );
  }
});

t.test('a range is clipped to its domain', async (t) => {
  t.strictSame(rangeWithin(DOMAIN, -5n, 3n), [{ low: 0n, high: 3n }]);
  t.strictSame(rangeWithin(DOMAIN, 30n, 90n), [{ low: 30n, high: 31n }]);
  t.strictSame(rangeWithin(DOMAIN, 32n, 90n), []);
  t.strictSame(rangeWithin(DOMAIN, 4n, 3n), []);
});
