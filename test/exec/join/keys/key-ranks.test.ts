/** Compares codes of integer keys by rank, and their filter, with maps of plain values. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { QueryRun } from '../../../../src/exec/index.js';
import { integerRange } from '../../../../src/exec/join/keys/key-range.js';
import { isRankable, RankedCodes } from '../../../../src/exec/join/keys/key-ranks.js';
import { type ExactVector, type Vector, vectorOf } from '../../../../src/vector/index.js';

const SEED = 20_261_130;
t.comment(`seed ${SEED}`);

type Key = bigint | null;

const vector = (keys: readonly Key[]): ExactVector => vectorOf({ type: 'integer' }, keys) as ExactVector;

/** Keys around the start, at the ends of words of bits and anywhere, some more than once, some missing. */
function keysOf(prng: Prng, least: bigint): Key[] {
  const spread = 1 + prng.below(200);
  return Array.from({ length: 1 + prng.below(400) }, () => {
    if (prng.below(12) === 0) return null;
    const offset = prng.below(4) === 0 ? 32 * prng.below(4) - prng.below(2) : prng.below(64 * spread);
    return least + BigInt(Math.max(offset, 0));
  });
}

/** All keys, their neighbours, missing values, and integers outside the range, beyond 2^53 with `isWide`. */
function probesOf(keys: readonly Key[], isWide: boolean): Key[] {
  const near = keys.flatMap((key) => (key === null ? [null] : [key - 1n, key, key + 1n]));
  return isWide ? [...near, 1n << 60n, -(1n << 60n), 1n << 62n] : [...near, -(1n << 33n), 1n << 40n];
}

function codesOf(table: RankedCodes, probes: Vector): number[] {
  const codes = new Int32Array(probes.count).fill(-7);
  table.find(probes, codes);
  return [...codes];
}

t.test('codes are the first rows with the key', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 60; round++) {
    const nullsEqual = prng.below(2) === 0;
    const keys = keysOf(prng, BigInt(prng.below(3) * 2 ** 40) - 2n ** 40n);
    const column = vector(keys);
    const range = integerRange(column) ?? t.fail('the keys are safe integers');
    if (typeof range === 'boolean') return;
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const table = new RankedCodes(column, range, nullsEqual, run);
    const firsts = new Map<Key, number>();
    for (const [row, key] of keys.entries())
      if (!firsts.has(key) && (key !== null || nullsEqual)) firsts.set(key, row + 1);
    const codes = new Int32Array(keys.length);
    const middle = keys.length >> 1;
    table.add(0, middle, codes);
    table.add(middle, keys.length, codes);
    t.strictSame(
      [...codes],
      keys.map((key) => firsts.get(key) ?? 0),
      `round ${round}`,
    );
    for (const isWide of [false, true]) {
      const probes = probesOf(keys, isWide);
      const found = codesOf(table, vector(probes));
      t.strictSame(
        found,
        probes.map((key) => firsts.get(key) ?? 0),
        `round ${round}, ${isWide ? 'with' : 'without'} integers beyond 2^53`,
      );
    }
    const probes = probesOf(keys, false);
    const passing = new Uint32Array(probes.length);
    const count = table.filter().keep(vector(probes), passing);
    const wanted = probes.flatMap((key, row) => (key !== null && keys.includes(key) ? [row] : []));
    t.strictSame([...passing.subarray(0, count)], wanted, `round ${round}: the filter`);
    t.ok(run.reservedBytes >= range.length / 4, 'the bits and ranks are reserved');
    run.releaseAll();
  }
});

t.test('the bounds of the filter are those of the keys', async (t) => {
  const column = vector([7n, 900n, null, 45n]);
  const range = integerRange(column);
  if (range === null) return t.fail('the keys are safe integers');
  const table = new RankedCodes(column, range, false, new QueryRun(null, 0, Number.POSITIVE_INFINITY));
  const filter = table.filter();
  t.equal(filter.mayPass(0, 6), false);
  t.equal(filter.mayPass(0, 7), true);
  t.equal(filter.mayPass(900, 1_000), true);
  t.equal(filter.mayPass(901, 1_000), false);
});

t.test('a range takes at most 64 bytes per row, and 64 MiB', async (t) => {
  const rangeOf = (greatest: number) => ({ least: 0, greatest, length: greatest + 1 });
  t.equal(isRankable(rangeOf(2_559), 10), true);
  t.equal(isRankable(rangeOf(2_560), 10), false);
  t.equal(isRankable(rangeOf(2 ** 28 - 1), 10 ** 7), true);
  t.equal(isRankable(rangeOf(2 ** 28), 10 ** 7), false);
  t.equal(integerRange(vector([1n << 60n, 2n])), null);
});
