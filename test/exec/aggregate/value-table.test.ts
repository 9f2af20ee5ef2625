/** Tables from 64-bit keys and points to numbers, compared with a plain map. */
import t from 'tap';
import { Prng, type RandomBytes } from '../../../src/base/index.js';
import { PointTable, WordTable } from '../../../src/exec/aggregate/value-table.js';
import { collidingTexts } from '../../support/ingest/colliding.js';
import { boundedRun } from '../bounded.js';

const SEED = 77_003;
t.comment(`seed ${SEED}`);
const KEY_COUNT = 200_000;

t.test('64-bit keys get numbers in order of first occurrence and keep them', async (t) => {
  const prng = new Prng(SEED);
  const makers: (() => bigint)[] = [
    () => BigInt(prng.below(5_000)),
    () => BigInt(prng.below(5_000)) << 32n,
    () => BigInt(prng.below(5_000)) << 45n,
    () => (BigInt(prng.u32()) << 32n) | BigInt(prng.below(3)),
    () => BigInt.asUintN(64, -BigInt(prng.below(3_000))),
  ];
  for (const make of makers) {
    const table = new WordTable(boundedRun().child());
    const wanted = new Map<bigint, number>();
    const wrong: string[] = [];
    for (let step = 0; step < 8_000; step++) {
      const key = make();
      const [low, high] = [Number(key & 0xffffffffn), Number(key >> 32n)];
      const known = wanted.get(key);
      // Words are taken modulo 2^32, so signed words are equal to unsigned ones.
      if (table.find(low | 0, high | 0) !== (known ?? -1)) wrong.push(`found ${key}`);
      if (known === undefined) wanted.set(key, wanted.size);
      if (table.add(low, high) !== wanted.get(key)) wrong.push(`added ${key}`);
    }
    t.strictSame(wrong, []);
    t.equal(table.count, wanted.size);
    const keys = [...wanted.keys()].flatMap((key) => [Number(key & 0xffffffffn), Number(key >> 32n)]);
    t.ok(Uint32Array.from(keys).every((word, at) => table.keys[at] === word));
  }
});

t.test('points get numbers in order of first occurrence, and -0 equals 0', async (t) => {
  const prng = new Prng(SEED + 1);
  const table = new PointTable(boundedRun().child());
  const wanted = new Map<string, number>();
  const wrong: string[] = [];
  for (let step = 0; step < 20_000; step++) {
    const sign = prng.chance(0.5) ? 1 : -1;
    const [longitude, latitude] = [prng.below(90) * sign, (prng.below(70) * sign) / 7];
    const key = `${longitude + 0} ${latitude + 0}`;
    const known = wanted.get(key);
    if (table.find(longitude, latitude) !== (known ?? -1)) wrong.push(`found ${key}`);
    if (known === undefined) wanted.set(key, wanted.size);
    if (table.add(longitude, latitude) !== wanted.get(key)) wrong.push(`added ${key}`);
  }
  t.strictSame(wrong, []);
  t.equal(table.count, wanted.size);
  t.notOk([...table.keys].some((part) => Object.is(part, -0)));
});

t.test('a table reserves memory before it grows, and stays unchanged if there is no memory', async (t) => {
  const memory = boundedRun(20_000).child();
  const table = new WordTable(memory);
  let added = 0;
  t.throws(
    () => {
      for (;;) {
        table.add(added, 7);
        added++;
      }
    },
    { code: 9006 },
  );
  t.ok(added > 100);
  t.equal(table.count, added);
  t.equal(table.find(added - 1, 7), added - 1);
  t.equal(table.find(added, 7), -1);
  t.ok(memory.reservedBytes <= 20_000);
});

/** Distinct keys that a fixed, simple hash of two words would map to few slots. */
const HOSTILE: Readonly<Record<string, (index: number) => readonly [number, number]>> = {
  'integers of one hash': (index) => [COLLIDING[2 * index], COLLIDING[2 * index + 1]],
  'words whose multiples cancel': (index) => [Math.imul(index, 0x9e3779b1), index],
  'words that differ only in the highest bits': (index) => [(index & 511) << 23, (index >>> 9) << 23],
};
const COLLIDING = collidingTexts(KEY_COUNT);

for (const [name, keyAt] of Object.entries(HOSTILE)) {
  // With linear probing over one run of slots, these would take minutes.
  t.test(`${name}: 200,000 keys and points are distinguished`, async (t) => {
    const memory = boundedRun().child();
    const [words, points] = [new WordTable(memory), new PointTable(memory)];
    const wrong: number[] = [];
    const part = new Float64Array(2);
    const partWords = new Uint32Array(part.buffer);
    for (let pass = 0; pass < 2; pass++) {
      for (let index = 0; index < KEY_COUNT; index++) {
        const [low, high] = keyAt(index);
        if (words.add(low, high) !== index) wrong.push(index);
        // The bits of any words with these exponent bits are a finite number.
        partWords.set([low, (high & 0x3fffffff) | 0x20000000, high, 0x20000000 | (low >>> 4)]);
        if (points.add(part[0], part[1]) !== index) wrong.push(index);
      }
    }
    t.strictSame(wrong, []);
  });
}

t.test('results of a table do not depend on its random numbers', async (t) => {
  const prng = new Prng(SEED + 2);
  const keys = Array.from({ length: 3_000 }, () => prng.below(2_000));
  const numbersWith = (random: RandomBytes | undefined): readonly number[][] => {
    const memory = boundedRun().child();
    const [words, points] = [new WordTable(memory, random), new PointTable(memory, random)];
    return keys.map((key) => [words.add(key, key & 3), points.add(key, key / 8)]);
  };
  const drawn = numbersWith(undefined);
  t.strictSame(
    // Also with all keys in one slot.
    numbersWith((count) => new Uint8Array(count)),
    drawn,
  );
  t.strictSame(numbersWith(undefined), drawn);
});
