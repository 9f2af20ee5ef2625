/** The numbers by which segments and rows are excluded, compared with the values of rows, with both sets of kernels. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { type BoundKey, boundKeyOf } from '../../../src/exec/sort/bound-key.js';
import { INTEGER, type Input } from '../../../src/ir/index.js';
import { greatCircleKm } from '../../../src/kernels/index.js';
import type { EntitySegment } from '../../../src/storage/index.js';
import { KEY } from '../../storage/shard-model.js';
import type { StoredColumn } from '../../storage/stored.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction } from '../extract/extraction.js';
import { columnOf, inputOf } from '../scan/select-rows.js';

const SEED = 1_414;
t.comment(`seed ${SEED}`);

const [DAYS, INTEGERS, POINTS] = [columnOf(2), columnOf(3), columnOf(5)];
const ROWS = 200;

/** Values up to about `spread`, the greatest value of a width. */
const about = (spread: bigint) => (prng: Prng) =>
  prng.pick([-spread - 1n, -spread, spread, spread - 1n, 0n, BigInt(prng.between(-20, 20)), spread - 700n]);

const CASES: readonly (readonly [string, StoredColumn, (prng: Prng) => bigint])[] = [
  ['days', DAYS, about(2n ** 31n - 1n)],
  ['integers of one byte', INTEGERS, (prng) => BigInt(prng.between(-128, 127))],
  ['integers of two bytes', INTEGERS, about(2n ** 15n - 1n)],
  ['integers of four bytes', INTEGERS, about(2n ** 31n - 1n)],
  ['integers of eight bytes', INTEGERS, about(2n ** 63n - 1n)],
  ['integers that doubles round', INTEGERS, (prng) => 2n ** 53n + BigInt(prng.between(-4, 4))],
];

function keyOf(input: Input, descending: boolean): BoundKey {
  const key = boundKeyOf(input, { of: { op: 'input', type: INTEGER, input: 0 }, descending });
  if (key === null) throw new Error('the input has no such numbers');
  return key;
}

/** Whether each row remains, of those in `selected`. */
function remaining(
  key: BoundKey,
  segment: EntitySegment,
  [low, high]: readonly [number, number],
  selected: readonly boolean[],
): boolean[] {
  const { rowCount } = segment;
  const bitmap = new Uint8Array(8_192);
  const isWhole = selected.every((is) => is);
  selected.forEach((is, row) => {
    if (is && !isWhole) bitmap[row >> 3] |= 1 << (row & 7);
  });
  const count = key.narrow(segment, { low, high }, selected.filter((is) => is).length, bitmap);
  if (count === 0) return selected.map(() => false);
  if (count === rowCount) return selected.map(() => true);
  return selected.map((_, row) => ((bitmap[row >> 3] >> (row & 7)) & 1) === 1);
}

/** The faults of a key whose numbers by row are `numbers`; `lost` counts the rows that were excluded. */
function faultsOf(key: BoundKey, segment: EntitySegment, numbers: readonly number[], prng: Prng) {
  const faults: string[] = [];
  let excluded = 0;
  const range = key.range(segment);
  for (const number of numbers) {
    if (number < range.low || number > range.high) faults.push(`${number} is outside the range`);
  }
  for (let query = 0; query < 60; query++) {
    const from = prng.pick([...numbers, Number.NEGATIVE_INFINITY]);
    const to = prng.pick([...numbers, Number.POSITIVE_INFINITY]);
    const isWhole = prng.chance(0.4);
    const selected = numbers.map(() => isWhole || prng.chance(0.5));
    const left = remaining(key, segment, [from, to], selected);
    numbers.forEach((number, row) => {
      if (left[row] && !selected[row]) faults.push(`${number} was not selected`);
      if (!left[row] && selected[row]) excluded++;
      if (!left[row] && selected[row] && number >= from && number <= to)
        faults.push(`${number} is missing in ${from} to ${to}`);
    });
  }
  return { faults, excluded };
}

for (const [kernels, module] of MODULES) {
  for (const [what, column, generate] of CASES) {
    for (const missing of [0, 0.2]) {
      t.test(`${kernels} kernels: ${what}, ${missing * 100}% missing`, async (t) => {
        const prng = new Prng(SEED);
        const extraction = new Extraction(module, 1);
        const values = Array.from({ length: ROWS }, () => (prng.chance(missing) ? null : generate(prng)));
        values.forEach((latest, row) => {
          extraction.insert([{ id: `e${row}`, fields: [{ column, latest }] }]);
        });
        const [segment] = extraction.shards[0].dimension(KEY).segments;
        for (const descending of [false, true]) {
          const numbers = values.map((value) => {
            if (value === null) return Number.POSITIVE_INFINITY;
            return descending ? -Number(value) : Number(value);
          });
          const key = keyOf(inputOf(column), descending);
          const { faults, excluded } = faultsOf(key, segment, numbers, prng);
          t.strictSame(faults.slice(0, 3), []);
          t.ok(excluded > 0, `${excluded} rows are excluded`);
        }
      });
    }
  }

  t.test(`${kernels} kernels: distances`, async (t) => {
    const prng = new Prng(SEED);
    const extraction = new Extraction(module, 1);
    const coordinate = (most: number): number => prng.pick([-most, most, (prng.unit() * 2 - 1) * most]);
    const points = Array.from({ length: ROWS }, () => [coordinate(180), coordinate(90)] as const);
    points.forEach((latest, row) => {
      extraction.insert([{ id: `e${row}`, fields: [{ column: POINTS, latest }] }]);
    });
    const [segment] = extraction.shards[0].dimension(KEY).segments;
    const [longitude, latitude] = [coordinate(180), coordinate(90)];
    const near = { longitude, latitude, from: 'attribute', columnId: POINTS.id, tests: [] } as const;
    const key = keyOf({ from: 'nearest', type: { type: 'float' }, near, part: 'distance' }, false);
    const numbers = points.map(([x, y]) => greatCircleKm(longitude, latitude, x, y));
    const { faults, excluded } = faultsOf(key, segment, numbers, prng);
    t.strictSame(faults.slice(0, 3), []);
    t.ok(excluded > 0, `${excluded} rows are excluded`);
  });
}
