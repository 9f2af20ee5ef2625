/** Samples are counted as a sorted list of all of them, however many and however large. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SampleList } from '../../../src/exec/behaviour/sample-list.js';
import { boundedRun } from '../bounded.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_SEED=${SEED}`);

/** With more samples, some are joined before the end. */
const JOINED_FROM = 2 ** 18;

/** Different samples, how many samples are at most each, and the sum of all. */
function endsOf(list: SampleList): {
  readonly values: readonly number[];
  readonly ends: readonly number[];
  readonly sum: number;
} {
  const count = list.finish();
  const [written, ends] = [new Uint32Array(count.values), new Uint32Array(count.ends)];
  const sum = list.writeTo(written, ends);
  if (count.ends > 0) return { values: [...written], ends: [...ends], sum };
  const lasts = [...written.keys()].filter((at) => written[at] !== written[at + 1]);
  return { values: lasts.map((at) => written[at]), ends: lasts.map((at) => at + 1), sum };
}

t.test('values, counts and sums', async (t) => {
  const prng = new Prng(SEED);
  for (const count of [0, 1, 15, 16, 17, 63, 64, 65, 300, 5_000, 300_000]) {
    const bounds = count > JOINED_FROM ? [300, 2 ** 32] : [2, 256, 1_000, 2 ** 21, 2 ** 32];
    for (const below of bounds) {
      const list = new SampleList(boundedRun());
      const counts = new Map<number, number>();
      let sum = 0;
      for (let sample = 0; sample < count; sample++) {
        const value = prng.chance(0.05) ? below - 1 : Math.floor(prng.unit() * below);
        const times = value < 256 && prng.chance(0.1) ? prng.below(100) : 1;
        if (times === 1) list.add(value);
        else list.addSmall(value, times);
        if (times > 0) counts.set(value, (counts.get(value) ?? 0) + times);
        sum += value * times;
      }
      const found = endsOf(list);
      let end = 0;
      const wanted = [...counts]
        .sort(([a], [b]) => a - b)
        .map(([value, own]) => {
          end += own;
          return [value, end];
        });
      t.equal(found.sum, sum);
      if (count <= 5_000) {
        t.strictSame(
          found.values.map((value, at) => [value, found.ends[at]]),
          wanted,
        );
      } else {
        const isEqual = wanted.every(
          ([value, own], at) => found.values[at] === value && found.ends[at] === own,
        );
        t.ok(isEqual && found.values.length === wanted.length, `${count} samples below ${below}`);
      }
    }
  }
});

t.test('memory grows with different samples, and is refused', async (t) => {
  const run = boundedRun(2 ** 23);
  const list = new SampleList(run);
  for (let sample = 0; sample < 3_000_000; sample++) list.add(1_000 + (sample % 100));
  t.strictSame(list.finish(), { values: 100, ends: 100 });
  const other = new SampleList(boundedRun(2 ** 20));
  t.throws(
    () => {
      for (let sample = 0; sample < 1_000_000; sample++) other.add(1_000 + sample);
    },
    { code: 9006 },
  );
});
