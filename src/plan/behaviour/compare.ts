/** Merges the values of a comparison, and keeps those by which the segments differ most. */
import { inSlices, type Task } from '../../base/index.js';
import { type ComparedValues, type CompareQuestion, comparedOfKey } from '../../ir/index.js';
import { FirstEntries } from './first-entries.js';

interface Compared {
  readonly key: string;
  readonly first: number;
  readonly second: number;
}

/** The values in the order of the answer, and the number of all values. */
export function* greatestDifferences(
  { limit }: CompareQuestion,
  sizes: readonly [number, number],
  partials: readonly ComparedValues[],
): Task<{ readonly compared: ComparedValues; readonly tested: number }> {
  const totals = new Map<string, [number, number]>();
  for (const { keys, counts } of partials) {
    yield* inSlices(keys.length, (from, to) => {
      for (let index = from; index < to; index++) {
        const total = totals.get(keys[index]) ?? [0, 0];
        total[0] += counts[index * 2];
        total[1] += counts[index * 2 + 1];
        totals.set(keys[index], total);
      }
    });
  }
  const all = [...totals];
  const best = new FirstEntries<Compared>(limit, (a, b) => compare(a, b, sizes));
  yield* inSlices(all.length, (from, to) => {
    for (let index = from; index < to; index++) {
      const [key, [first, second]] = all[index];
      best.add({ key, first, second });
    }
  });
  const counts = Float64Array.from(best.all.flatMap(({ first, second }) => [first, second]));
  return { compared: { keys: best.all.map(({ key }) => key), counts }, tested: totals.size };
}

/** Up to this relative difference of two statistics, their order is decided exactly. */
const NEAR = 1e-9;

/** The greater statistic of the test first, then by column and value. */
function compare(a: Compared, b: Compared, sizes: readonly [number, number]): number {
  const [x, y] = [squareOf(a, sizes), squareOf(b, sizes)];
  if (Math.abs(x - y) > NEAR * Math.max(x, y)) return y - x;
  const exact = compareExactly(a, b, sizes);
  if (exact !== 0) return exact;
  const [left, right] = [comparedOfKey(a.key), comparedOfKey(b.key)];
  return left.column - right.column || Buffer.compare(Buffer.from(left.value), Buffer.from(right.value));
}

/** The square of the statistic, but for a factor that all values have in common; 0 if all entities have the value. */
function squareOf({ first, second }: Compared, [m, n]: readonly [number, number]): number {
  const pooled = (first + second) * (m + n - first - second);
  return pooled === 0 ? 0 : (first * n - second * m) ** 2 / pooled;
}

function compareExactly(a: Compared, b: Compared, [m, n]: readonly [number, number]): number {
  const fractionOf = ({ first, second }: Compared): readonly [bigint, bigint] => {
    const difference = BigInt(first) * BigInt(n) - BigInt(second) * BigInt(m);
    const pooled = BigInt(first + second) * BigInt(m + n - first - second);
    return pooled === 0n ? [0n, 1n] : [difference * difference, pooled];
  };
  const [[x, xOf], [y, yOf]] = [fractionOf(a), fractionOf(b)];
  const [left, right] = [x * yOf, y * xOf];
  return left === right ? 0 : left > right ? -1 : 1;
}
