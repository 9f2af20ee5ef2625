import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { integer, TwinArena } from './twin-arena.js';

const SEED = 40_223;
t.comment(`seed ${SEED}`);

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const i64s = (numbers: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(numbers).buffer);
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

t.test('values move to the runs of their slots, in order', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng, 8);
  for (const n of [0, 1, 7, 64, 1_000]) {
    arena.reset();
    const slotCount = prng.between(1, 40);
    const slots = many(n, () => prng.below(slotCount));
    const values = many(n, () => integer(prng, 'i64'));
    const runs = many(slotCount, (slot) => values.filter((_, row) => slots[row] === slot));
    const starts = runs.map((_, slot) => runs.slice(0, slot).reduce((sum, { length }) => sum + length, 0));
    const slotsAt = arena.values('u32', slots);
    const valuesAt = arena.values('i64', values);
    const cursors = arena.values('u32', starts);
    const out = arena.values(
      'i64',
      many(n, () => 0n),
    );
    const ends = new Uint8Array(Uint32Array.from(starts, (start, slot) => start + runs[slot].length).buffer);
    const scatter = (k: Kernels): number => {
      k.scatterRuns(slotsAt, valuesAt, n, cursors, out);
      return 0;
    };
    // The kernel writes both the cursors and the values. Each is compared alone, after the other is restored.
    for (const kernels of arena.sets) {
      const bytes = new Uint8Array(arena.memory.buffer);
      const before = bytes.slice();
      scatter(kernels);
      t.ok(same(bytes.subarray(out, out + n * 8), i64s(runs.flat())), `${kernels.name}, ${n} values`);
      t.strictSame(bytes.slice(cursors, cursors + slotCount * 4), ends, `${kernels.name}, cursors`);
      bytes.set(before.subarray(out, out + n * 8), out);
      bytes.set(before.subarray(cursors, cursors + slotCount * 4), cursors);
      t.ok(Buffer.from(bytes.buffer).equals(before), 'nothing else is written');
    }
  }
});

/** Orders of values that are hard for some sorting algorithms. */
const ORDERS: Record<string, (prng: Prng, count: number) => bigint[]> = {
  any: (prng, count) => many(count, () => integer(prng, 'i64')),
  small: (prng, count) => many(count, () => BigInt(prng.between(-3, 3))),
  narrow: (prng, count) => many(count, () => BigInt(prng.between(-100_000, 100_000))),
  equal: (prng, count) => new Array<bigint>(count).fill(integer(prng, 'i64')),
  ascending: (_, count) => many(count, (index) => BigInt(index)),
  descending: (_, count) => many(count, (index) => BigInt(-index)),
  'organ pipe': (_, count) => many(count, (index) => BigInt(Math.min(index, count - index))),
  'two ends': (prng, count) => many(count, () => (prng.chance(0.5) ? -(2n ** 63n) : 2n ** 63n - 1n)),
};

t.test('each run is sorted, whatever its length and order; distinct values are kept', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng, 16);
  for (const [name, make] of Object.entries(ORDERS)) {
    for (const lengths of [
      [0],
      [1],
      [2, 0, 1],
      [24, 25, 26],
      [255, 256, 257],
      [0, 700, 3, 2_500],
      [20_000],
    ]) {
      arena.reset();
      const runs = lengths.map((length) => make(prng, length));
      const starts = [...runs, []].map((_, run) =>
        lengths.slice(0, run).reduce((sum, length) => sum + length, 0),
      );
      const sorted = runs.map((run) => [...run].sort(ascending));
      const valuesAt = arena.values('i64', runs.flat());
      const startsAt = arena.values('u32', starts);
      const scratch = arena.take(Math.max(...lengths) * 8 + 1_024);
      const words = new Uint32Array(arena.memory.buffer, startsAt, starts.length);
      const bytes = new Uint8Array(arena.memory.buffer);
      for (const kernels of arena.sets) {
        bytes.set(i64s(runs.flat()), valuesAt);
        words.set(starts);
        const label = `${kernels.name}, ${name}, runs of ${lengths.join()}`;
        kernels.sortRuns(valuesAt, startsAt, runs.length, scratch);
        const count = runs.flat().length;
        t.ok(same(bytes.subarray(valuesAt, valuesAt + count * 8), i64s(sorted.flat())), label);
        const distinct = sorted.map((run) => [...new Set(run)]);
        const left = kernels.uniqueRuns(valuesAt, startsAt, runs.length);
        t.equal(left, distinct.flat().length, label);
        t.ok(same(bytes.subarray(valuesAt, valuesAt + left * 8), i64s(distinct.flat())), label);
        t.strictSame(
          [...words],
          [...distinct, []].map((_, run) => distinct.slice(0, run).flat().length),
          label,
        );
      }
    }
  }
});
