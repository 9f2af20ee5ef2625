/** Runs of dates by bucket, compared with the buckets of each single date. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { bucketScaleOf, ONE_BUCKET } from '../../../src/exec/aggregate/bucket-scale.js';
import type { Buckets, Window } from '../../../src/ir/index.js';
import { bucketNumber, bucketStart, INTERVALS } from '../../../src/schema/index.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);

const DAY = 86_400;

function dates(prng: Prng, { from, to }: Window, ascending: boolean): Uint32Array {
  const span = to - from + 1;
  const borders = INTERVALS.map((interval) => bucketStart(interval, bucketNumber(interval, from + span / 2)));
  const near = borders.flatMap((border) => [border - 1, border, border]);
  const all = Array.from({ length: prng.pick([0, 1, 2, 40, 400]) }, () =>
    prng.chance(0.3) ? prng.pick(near) : from + prng.below(span),
  );
  const within = Uint32Array.from(all.filter((date) => date >= from && date <= to));
  return ascending ? within.sort() : within;
}

/** The pairs (bucket, index of the date), sorted. */
function pairs(buckets: Buckets, window: Window, stored: Uint32Array, ascending: boolean): string[] {
  const found: string[] = [];
  bucketScaleOf(buckets, window).eachRun(stored, ascending, (bucket, from, to) => {
    if (from >= to) throw new Error('a run is empty');
    for (let at = from; at < to; at++) found.push(`${bucket}/${at}`);
  });
  return found.sort();
}

t.test('each date is visited once, in the last bucket that starts before it', async (t) => {
  const prng = new Prng(SEED);
  for (const interval of INTERVALS) {
    for (let round = 0; round < 60; round++) {
      const from = prng.pick([0, 951_782_400, 1_709_164_800, prng.below(2 ** 31)]) + prng.below(3);
      const window = { from, to: from + prng.pick([0, 10, DAY, 90 * DAY, 900 * DAY]) };
      const ascending = prng.chance(0.5);
      const stored = dates(prng, window, ascending);
      const wanted = Array.from(stored, (date, at) => {
        let bucket = 0;
        const first = bucketNumber(interval, from);
        if (interval === 'months') while (bucketStart(interval, first + bucket + 1) <= date) bucket++;
        else bucket = bucketNumber(interval, date) - first;
        return `${bucket}/${at}`;
      });
      t.strictSame(pairs({ by: 'interval', interval }, window, stored, ascending), wanted.sort());
    }
  }
});

t.test('each date is visited once in every window that contains it, end excluded', async (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 300; round++) {
    const instant = (): number => 1_000_000 + prng.below(60);
    const windows = Array.from({ length: prng.between(1, 6) }, () => ({ from: instant(), to: instant() }));
    const window = { from: 1_000_000, to: 1_000_060 };
    const ascending = prng.chance(0.5);
    const stored = dates(prng, window, ascending);
    const wanted = windows.flatMap(({ from, to }, bucket) =>
      Array.from(stored).flatMap((date, at) => (date >= from && date < to ? [`${bucket}/${at}`] : [])),
    );
    t.strictSame(pairs({ by: 'windows', windows }, window, stored, ascending), wanted.sort());
  }
});

t.test('ascending dates are visited in one run per bucket', async (t) => {
  const stored = Uint32Array.from({ length: 10_000 }, (_, at) => at * 700);
  const runs: number[][] = [];
  const scale = bucketScaleOf({ by: 'interval', interval: 'days' }, { from: 0, to: 10_000 * 700 });
  scale.eachRun(stored, true, (...run) => runs.push(run));
  t.strictSame(
    runs.map(([bucket]) => bucket),
    Array.from({ length: 82 }, (_, bucket) => bucket),
  );
  t.equal(scale.bucketCount, 82);
});

t.test('there is at least one bucket, and exactly one without buckets', async (t) => {
  const none = { from: 10, to: 5 };
  t.equal(bucketScaleOf({ by: 'interval', interval: 'seconds' }, none).bucketCount, 1);
  t.equal(
    bucketScaleOf({ by: 'interval', interval: 'weeks' }, { from: 0, to: 2 ** 32 - 1 }).bucketCount,
    7_102,
  );
  t.equal(bucketScaleOf(null, none), ONE_BUCKET);
  const runs: number[][] = [];
  ONE_BUCKET.eachRun(Uint32Array.of(5, 3, 9), false, (...run) => runs.push(run));
  t.strictSame(runs, [[0, 0, 3]]);
});
