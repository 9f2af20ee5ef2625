/** Sort keys of integers, days and booleans compared with the values, with both sets of kernels. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { IntegerKey } from '../../../src/exec/extract/integer-key.js';
import { fillWords, hasBit } from '../../../src/exec/extract/row-words.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type StoredColumn } from '../../storage/stored.js';
import { Extraction } from './extraction.js';

const SEED = 1_414;
t.comment(`seed ${SEED}`);

const [BITS, DAYS, INTEGERS] = COLUMNS;
const ROWS = 200;

/** Values up to about `spread`, the greatest value of a width. */
const about = (spread: bigint) => (prng: Prng) =>
  prng.pick([-spread - 1n, -spread, spread, spread - 1n, 0n, BigInt(prng.between(-20, 20)), spread - 700n]);

const CASES: readonly (readonly [string, StoredColumn, (prng: Prng) => bigint])[] = [
  ['booleans', BITS, (prng) => BigInt(prng.below(2))],
  ['days', DAYS, about(2n ** 31n - 1n)],
  ['integers of one byte', INTEGERS, (prng) => BigInt(prng.between(-128, 127))],
  ['integers of two bytes', INTEGERS, about(2n ** 15n - 1n)],
  ['integers of four bytes', INTEGERS, about(2n ** 31n - 1n)],
  ['integers of eight bytes', INTEGERS, about(2n ** 63n - 1n)],
  ['integers that doubles round', INTEGERS, (prng) => 2n ** 53n + BigInt(prng.between(-4, 4))],
];

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  for (const [what, column, generate] of CASES) {
    for (const missing of [0, 0.2]) {
      t.test(`${kernels} kernels: ${what}, ${missing * 100}% missing, sort like their values`, async (t) => {
        const prng = new Prng(SEED);
        const extraction = new Extraction(module, 1);
        const values = Array.from({ length: ROWS }, () => (prng.chance(missing) ? null : generate(prng)));
        values.forEach((latest, row) => {
          extraction.insert([{ id: `e${row}`, fields: [{ column, latest }] }]);
        });
        const shard = extraction.shards[0].dimension(KEY);
        const faults: string[] = [];
        for (const descending of [false, true]) {
          const key = new IntegerKey(shard, column.id, descending, 0);
          const wanted = (a: bigint | null, b: bigint | null): number => {
            if (a === null || b === null) return Number(a === null) - Number(b === null);
            return descending ? sign(b, a) : sign(a, b);
          };
          const segmentRows = Uint32Array.from({ length: ROWS }, (_, row) => row);
          const numbers = new Float64Array(ROWS);
          key.fill(0, segmentRows, ROWS, numbers);
          const zone = key.zone(0);
          for (let a = 0; a < ROWS; a++) {
            if (key.value(a) !== values[a]) faults.push(`row ${a} has ${key.value(a)}, not ${values[a]}`);
            if (numbers[a] !== key.number(a))
              faults.push(`${values[a]} is ${numbers[a]} and ${key.number(a)}`);
            if (numbers[a] < zone.low || numbers[a] > zone.high)
              faults.push(`${values[a]} is outside the zone`);
            for (let b = 0; b < ROWS; b++) {
              const order = sign(key.number(a), key.number(b)) || sign(key.compareTied(a, b), 0);
              if (order !== wanted(values[a], values[b]))
                faults.push(`${values[a]} and ${values[b]}: ${order}`);
            }
          }
          for (let query = 0; query < 60; query++) {
            const value = prng.pick([prng.pick(values), generate(prng), -(2n ** 63n), 2n ** 63n - 1n, null]);
            const bound = key.bound({ id: 'x', score: 0, distanceKm: 0, values: [value] });
            const [from, to] = [
              prng.pick([...numbers, Number.NEGATIVE_INFINITY]),
              prng.pick([...numbers, Number.POSITIVE_INFINITY, bound.number]),
            ];
            const words = new Uint32Array(2_048);
            fillWords(words, 0, ROWS);
            key.narrow(0, from, to, words);
            for (let row = 0; row < ROWS; row++) {
              const order = sign(numbers[row], bound.number) || sign(bound.compareTied(row), 0);
              if (order !== wanted(values[row], value)) faults.push(`${values[row]} to ${value}: ${order}`);
              const within = numbers[row] >= from && numbers[row] <= to;
              if (within && !hasBit(words, row)) faults.push(`${values[row]} is missing in ${from} to ${to}`);
            }
          }
        }
        t.strictSame(faults.slice(0, 3), []);
      });
    }
  }
}

t.test(
  'bounds exclude the values beyond them, and a bound of a missing value excludes all rows with a value',
  async (t) => {
    const extraction = new Extraction(null, 1);
    for (let row = 0; row < 100; row++) {
      const latest = row % 10 === 0 ? null : BigInt(row);
      extraction.insert([{ id: `e${row}`, fields: [{ column: INTEGERS, latest }] }]);
    }
    const key = new IntegerKey(extraction.shards[0].dimension(KEY), INTEGERS.id, false, 0);
    const left = (low: number, high: number): number[] => {
      const words = new Uint32Array(2_048);
      fillWords(words, 0, 100);
      key.narrow(0, low, high, words);
      return Array.from({ length: 100 }, (_, row) => row).filter((row) => hasBit(words, row));
    };
    t.strictSame(left(38, 42), [38, 39, 41, 42]);
    t.strictSame(
      left(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      Array.from({ length: 10 }, (_, tenth) => tenth * 10),
    );
  },
);
