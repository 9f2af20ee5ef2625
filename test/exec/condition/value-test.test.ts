/** Zone maps only skip rows: a test selects the same rows with and without them, including 64-bit extremes. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import { type ColumnRun, runOf } from '../../../src/exec/condition/run.js';
import { PreparedTest } from '../../../src/exec/condition/value-test.js';
import { UNBOUNDED } from '../../../src/exec/query-run.js';
import type { ValueTest } from '../../../src/ir/index.js';
import { bitmapBytes, compileKernels } from '../../../src/kernels/index.js';
import { type Arena, ArenaPool, Dictionary, LatestColumn } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { likeExpression } from '../../ir/evaluate.js';
import { setValue } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateRanges, generateTest } from './conditions.js';

const SEED = 2_718_281;
t.comment(`seed ${SEED}`);

/** The selected rows, as a list. */
function selected(test: PreparedTest, run: ColumnRun): number[] {
  const { arena, rowCount } = run;
  const [out, spare] = [arena.scratchBitmap(3), arena.scratchBitmap(4)];
  arena.u8.fill(0x5a, out, spare + 8192);
  const count = test.select(run, out, spare);
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  if (count === 0) return [];
  if (count === rowCount) return rows;
  const found = rows.filter((row) => (arena.u8[out + (row >> 3)] & (1 << (row & 7))) !== 0);
  if (found.length !== count)
    throw new Error(`${count} rows were reported as selected, but ${found.length} are`);
  for (let row = rowCount; row < bitmapBytes(rowCount) * 8; row++) {
    if ((arena.u8[out + (row >> 3)] & (1 << (row & 7))) !== 0)
      throw new Error('a bit after the last row is set');
  }
  return found;
}

const EXTREMES = [-(2n ** 63n), -(2n ** 63n) + 1n, 2n ** 63n - 2n, 2n ** 63n - 1n, 2n ** 53n + 1n, 0n, -1n];

function passes(test: ValueTest, value: bigint): boolean {
  if (test.kind !== 'ranges') throw new Error('ranges only');
  return test.ranges.some(({ low, high }) => value >= low && value <= high) !== test.negated;
}

/** Runs `work` while the arena has no capacity for tables of codes. */
function withoutFreeMemory(arena: Arena, work: () => void): void {
  let taken = 0;
  for (let bytes = 2 ** 26; bytes >= 16; bytes /= 2) {
    while (arena.reserveTemporary(bytes) !== null) taken++;
  }
  work();
  for (; taken > 0; taken--) arena.releaseTemporary();
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  const pool = new ArenaPool(module);

  for (const kind of ['i64', 'i32', 'bits'] as const) {
    t.test(
      `${kernels} kernels: ranges over ${kind} select the correct rows with and without zone maps`,
      async (t) => {
        const prng = new Prng(SEED);
        for (let round = 0; round < 60; round++) {
          const column = new LatestColumn(pool, null, kind, 512, 1);
          const centre = kind === 'i64' ? prng.pick([...EXTREMES, 10n ** 15n]) : 0n;
          const rowCount = prng.pick([1, 5, 128, 129, 400]);
          const values: (bigint | null)[] = [];
          const density = prng.pick([0.02, 0.7, 1]);
          for (let row = 0; row < rowCount; row++) {
            let value = kind === 'bits' ? BigInt(prng.below(2)) : centre + BigInt(prng.between(-20, 20));
            if (kind === 'i64') value = BigInt.asIntN(64, value);
            if (!prng.chance(density)) values.push(null);
            else {
              values.push(value);
              setValue(column, row, value);
            }
          }
          const run = runOf(column, rowCount);
          // The widest possible range of values of this kind and width.
          const half = 2 ** ((kind === 'i32' ? 32 : run.width * 8) - 1);
          const blind = { ...run, min: -half, max: half - 1 };
          let wrong = 0;
          for (let query = 0; query < 40; query++) {
            const ranges = generateRanges(prng);
            if (prng.chance(0.5)) {
              const low = BigInt.asIntN(64, centre + BigInt(prng.between(-22, 22)));
              ranges.splice(0, ranges.length, { low, high: prng.chance(0.5) ? low : 2n ** 63n - 1n });
            }
            const test: ValueTest = { kind: 'ranges', ranges, negated: prng.chance(0.5) };
            const wanted = values.flatMap((value, row) =>
              value !== null && passes(test, value) ? [row] : [],
            );
            for (const seen of [run, blind]) {
              const prepared = new PreparedTest(test, undefined, boundedRun());
              const found = selected(prepared, seen);
              const path = prepared.path(seen);
              if (path === 'none' && wanted.length > 0) wrong++;
              if (path === 'present' && wanted.length < seen.presentCount) wrong++;
              if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong++;
            }
          }
          t.equal(wrong, 0, `${rowCount} rows`);
        }
      },
    );
  }

  t.test(
    `${kernels} kernels: texts select the same rows with and without zone maps, for every code width`,
    async (t) => {
      const prng = new Prng(SEED + 1);
      for (const textCount of [5, 200, 3_000, 70_000]) {
        const dictionary = new Dictionary();
        const texts = ['', ...Array.from({ length: textCount }, (_, index) => `text-${index}-ß`)];
        for (const text of texts.slice(1)) {
          const bytes = Buffer.from(text, 'utf8');
          dictionary.intern(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
        }
        const column = new LatestColumn(pool, null, 'code', 512, 1);
        const codes = Array.from({ length: 400 }, () =>
          prng.chance(0.2) ? 0 : prng.between(Math.floor(textCount / 3) + 1, textCount),
        );
        codes.forEach((code, row) => {
          if (code !== 0) setValue(column, row, code);
        });
        const run = runOf(column, codes.length);
        const blind = { ...run, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
        for (let query = 0; query < 60; query++) {
          const test = generateTest(prng, 'code', textCount);
          if (test.kind !== 'text') throw new Error('texts only');
          const likes = test.match === 'like' ? test.texts.map(likeExpression) : [];
          const holds = (text: string): boolean =>
            likes.some((expression) => expression.test(text)) ||
            test.texts.some((piece) => {
              if (test.match === 'like') return false;
              if (test.match === 'equals') return text === piece;
              if (test.match === 'contains') return text.includes(piece);
              return test.match === 'starts-with' ? text.startsWith(piece) : text.endsWith(piece);
            });
          const wanted = codes.flatMap((code, row) =>
            code !== 0 && holds(texts[code]) !== test.negated ? [row] : [],
          );
          for (const seen of [run, blind]) {
            const prepared = new PreparedTest(test, dictionary, boundedRun());
            t.strictSame(selected(prepared, seen), wanted, JSON.stringify(test));
            const path = prepared.path(seen);
            if (path === 'none') t.equal(wanted.length, 0, 'path "none" selects no row');
            else if (path === 'present')
              t.equal(wanted.length, seen.presentCount, 'path "present" selects every row with a value');
            else t.match(path, /^(equal|member)U(8|16|32)$/);
            prepared.release();
            withoutFreeMemory(seen.arena, () => {
              t.strictSame(
                selected(new PreparedTest(test, dictionary, UNBOUNDED), seen),
                wanted,
                'row by row',
              );
            });
          }
        }
      }
    },
  );

  t.test(`${kernels} kernels: several areas contain the points that any of them contains`, async (t) => {
    const prng = new Prng(SEED + 2);
    for (const rowCount of [1, 129, 400]) {
      const column = new LatestColumn(pool, null, 'geo', 512, 1);
      const points = Array.from({ length: rowCount }, () => [prng.between(-180, 180), prng.between(-90, 90)]);
      const present = points.map(() => prng.chance(0.8));
      points.forEach(([longitude, latitude], row) => {
        if (present[row]) setValue(column, row, [longitude, latitude]);
      });
      const run = runOf(column, rowCount);
      for (let query = 0; query < 40; query++) {
        const areas = Array.from({ length: prng.between(1, 4) }, () => {
          const area = generateTest(prng, 'geo', 0);
          if (area.kind !== 'geo-box' && area.kind !== 'geo-radius') throw new Error('areas only');
          return { ...area, negated: false };
        });
        const alone = areas.map((area) => new PreparedTest(area, undefined, boundedRun()));
        const holds = points.map(([x, y]) => alone.some((area) => area.holdsFor('geo', x, y)));
        const negated = prng.chance(0.5);
        const test = new PreparedTest({ kind: 'geo-any', areas, negated }, undefined, boundedRun());
        const wanted = points.flatMap((_, row) => (present[row] && holds[row] !== negated ? [row] : []));
        t.strictSame(selected(test, run), wanted, JSON.stringify(areas));
        t.strictSame(
          points.map(([x, y]) => test.holdsFor('geo', x, y)),
          holds,
        );
      }
    }
  });
}
