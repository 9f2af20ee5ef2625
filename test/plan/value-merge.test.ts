import t from 'tap';
import { type MemoryAccount, Prng, QuarryError, runToEnd } from '../../src/base/index.js';
import type { ValueCounts } from '../../src/ir/index.js';
import { mergeMemory } from '../../src/plan/merge-memory.js';
import { hashValues } from '../../src/plan/value-hash.js';
import { mergeCounts, presentEntries } from '../../src/plan/value-merge.js';
import { collidingTexts } from '../support/ingest/colliding.js';
import { type Counted, countedOf, countsOf, keyOf, listOf, type Plain, type PlainKind } from './values.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);

const enough = (): MemoryAccount => mergeMemory(2 ** 30);

const pairOf = ({ groupKey, value }: Counted): string => `${groupKey} ${keyOf(value)}`;

/** Sums by pair of group key and value. */
function summed(tables: readonly (readonly Counted[])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const one of tables.flat()) sums.set(pairOf(one), (sums.get(pairOf(one)) ?? 0) + one.count);
  return sums;
}

const MAKE: Readonly<Record<PlainKind, (prng: Prng, bound: number) => Plain>> = {
  text: (prng, bound) =>
    `${prng.pick(['', 'user-', 'ä', '😀', 'a longer beginning of a text '])}${prng.below(bound)}`,
  i64: (prng, bound) =>
    BigInt.asIntN(64, BigInt(prng.between(-bound, bound)) << BigInt(prng.pick([0, 0, 31, 32, 63]))),
  geo: (prng, bound) => [prng.below(bound) / 8 - 1, prng.below(3) / 8],
};

/** A table of distinct pairs. */
function table(kind: PlainKind, prng: Prng, size: number, groupKeyCount: number): Counted[] {
  const made = new Map<string, Counted>();
  for (let index = 0; index < size; index++) {
    const value = MAKE[kind](prng, size);
    const one = { groupKey: prng.below(groupKeyCount), value, count: prng.between(1, 1_000) };
    made.set(pairOf(one), one);
  }
  return [...made.values()];
}

for (const kind of ['text', 'i64', 'geo'] as const) {
  t.test(
    `merged tables of ${kind} contain each pair of group key and value once, with its sum`,
    async (t) => {
      const prng = new Prng(SEED);
      for (const shardCount of [1, 2, 7]) {
        for (const groupKeyCount of [1, 5, 4_000]) {
          for (const size of [1, 30, 3_000]) {
            const tables = Array.from({ length: shardCount }, () =>
              table(kind, prng, 1 + prng.below(size), groupKeyCount),
            );
            const merged = runToEnd(
              mergeCounts(
                tables.map((one) => countsOf(kind, one, groupKeyCount > 1)),
                enough(),
              ),
            );
            if (merged === null) return t.fail('nothing was merged');
            const found = countedOf(merged).filter(({ count }) => count > 0);
            const sums = summed(tables);
            t.equal(found.length, sums.size, `${shardCount} shards, ${groupKeyCount} groups, ${size} values`);
            t.strictSame(summed([found]), sums);
          }
        }
      }
    },
  );
}

/** Odd, so that its multiples differ in both words. */
const SPREAD = 0x9e37_79b9_7f4a_7c15n;

/** Two values with the same hash, from a set that is large enough to contain such a pair. */
function collidingPair(kind: PlainKind, make: (index: number) => Plain): readonly [Plain, Plain] {
  const values = Array.from({ length: 300_000 }, (_, index) => make(index));
  const hashes = new Uint32Array(values.length);
  hashValues(listOf(kind, values), hashes, 0, hashes.length);
  const seen = new Map<number, Plain>();
  for (const [index, value] of values.entries()) {
    const other = seen.get(hashes[index]);
    if (other !== undefined) return [other, value];
    seen.set(hashes[index], value);
  }
  throw new Error('no two hashes are equal');
}

t.test('values with the same hash stay distinct', async (t) => {
  const pairs = [
    ['text', collidingPair('text', (index) => `text ${index}`)],
    ['i64', collidingPair('i64', (index) => BigInt.asIntN(64, BigInt(index) * SPREAD))],
  ] as const;
  for (const [kind, [a, b]] of pairs) {
    const orders = [[a, b], [b, a], [b]];
    const tables = orders.map((values) => values.map((value) => ({ groupKey: 7, value, count: 1 })));
    const merged = runToEnd(
      mergeCounts(
        tables.map((table) => countsOf(kind, table, true)),
        enough(),
      ),
    );
    t.strictSame(merged === null ? null : countedOf(merged).filter(({ count }) => count > 0), [
      { groupKey: 7, value: a, count: 2 },
      { groupKey: 7, value: b, count: 3 },
    ]);
  }
});

/** Values first, first + 1, ... of `words` in a random order, as a shard's table of group 0 or of several groups. */
function collidingTable(
  words: Uint32Array,
  first: number,
  last: number,
  groupKeyCount: number,
  kind: 'i64' | 'text',
  prng: Prng,
): ValueCounts {
  const positions = Uint32Array.from({ length: last - first }, (_, index) => first + index);
  for (let index = positions.length - 1; index > 0; index--) {
    const other = prng.below(index + 1);
    [positions[index], positions[other]] = [positions[other], positions[index]];
  }
  const shuffled = Uint32Array.from({ length: 2 * positions.length }, (_, index) => {
    return words[2 * positions[index >> 1] + (index & 1)];
  });
  const offsets = Uint32Array.from({ length: positions.length + 1 }, (_, index) => 8 * index);
  return {
    answers: 'values',
    values:
      kind === 'i64' ? { kind, words: shuffled } : { kind, offsets, bytes: new Uint8Array(shuffled.buffer) },
    counts: Float64Array.from(positions, () => prng.between(1, 1_000)),
    groupKeys: groupKeyCount === 1 ? null : Uint32Array.from(positions, (index) => index % groupKeyCount),
    restMax: 0,
  };
}

/** By group key and value, regardless of the list: the words of 8 bytes. */
function sumsOf(tables: readonly ValueCounts[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { values, counts, groupKeys } of tables) {
    const bytes = values.kind === 'text' ? values.bytes : (values as { words: Uint32Array }).words;
    const words = new Uint32Array(bytes.buffer, 0, 2 * counts.length);
    for (let entry = 0; entry < counts.length; entry++) {
      if (counts[entry] === 0) continue;
      const key = `${groupKeys === null ? 0 : groupKeys[entry]} ${words[2 * entry]} ${words[2 * entry + 1]}`;
      sums.set(key, (sums.get(key) ?? 0) + counts[entry]);
    }
  }
  return sums;
}

// Comparing each value with every other one would take minutes.
for (const kind of ['i64', 'text'] as const) {
  for (const groupKeyCount of [1, 3]) {
    t.test(`200,000 values of ${kind} with one hash in ${groupKeyCount} groups are merged`, async (t) => {
      const prng = new Prng(SEED);
      const words = collidingTexts(200_000);
      const hashes = new Uint32Array(200_000);
      hashValues({ kind: 'i64', words }, hashes, 0, hashes.length);
      t.equal(new Set(hashes).size, 1);
      const tables = [
        collidingTable(words, 0, 120_000, groupKeyCount, kind, prng),
        collidingTable(words, 60_000, 200_000, groupKeyCount, kind, prng),
        collidingTable(words, 100_000, 130_000, groupKeyCount, kind, prng),
      ];
      const merged = runToEnd(mergeCounts(tables, enough()));
      if (merged === null) return t.fail('nothing was merged');
      t.equal(merged.counts.filter((count) => count > 0).length, 200_000);
      const [found, expected] = [sumsOf([merged]), sumsOf(tables)];
      const wrong = [...expected].filter(([key, sum]) => found.get(key) !== sum);
      t.strictSame([wrong, found.size], [[], expected.size]);
    });
  }
}

t.test('a run of one hash is merged for any length', async (t) => {
  const prng = new Prng(SEED);
  for (const length of [1, 2, 30, 31, 32, 33, 34, 63, 64, 65, 66, 130, 1_000, 3_000]) {
    const words = collidingTexts(length);
    const tables = [0, 1].map(() => collidingTable(words, 0, length, 1, 'i64', prng));
    const merged = runToEnd(mergeCounts(tables, enough()));
    t.strictSame(merged === null ? null : sumsOf([merged]), sumsOf(tables), `${length} values`);
  }
});

t.test('a table of groups and one of group 0 alone are merged', async (t) => {
  const merged = runToEnd(
    mergeCounts(
      [
        countsOf('text', [{ groupKey: 0, value: 'a', count: 1 }], false),
        countsOf(
          'text',
          [1, 0].map((groupKey) => ({ groupKey, value: 'a', count: 10 })),
          true,
        ),
      ],
      enough(),
    ),
  );
  t.strictSame(merged === null ? null : countedOf(merged), [
    { groupKey: 0, value: 'a', count: 11 },
    { groupKey: 1, value: 'a', count: 10 },
    { groupKey: 0, value: 'a', count: 0 },
  ]);
  if (merged !== null) t.strictSame(runToEnd(presentEntries(merged.counts, enough())), Uint32Array.of(0, 1));
});

t.test('texts may start anywhere in their bytes', async (t) => {
  const list = {
    kind: 'text',
    offsets: Uint32Array.of(3, 4, 6),
    bytes: Uint8Array.from(Buffer.from('xyzabc')),
  } as const;
  const shifted = {
    answers: 'values',
    values: list,
    counts: Float64Array.of(1, 2),
    groupKeys: null,
    restMax: 0,
  } as const;
  const plain = countsOf(
    'text',
    ['bc', 'd', 'e'].map((value) => ({ groupKey: 0, value, count: 5 })),
    false,
  );
  const merged = runToEnd(mergeCounts([shifted, plain], enough()));
  t.strictSame(merged === null ? null : countedOf(merged), [
    { groupKey: 0, value: 'a', count: 1 },
    { groupKey: 0, value: 'bc', count: 7 },
    { groupKey: 0, value: 'bc', count: 0 },
    { groupKey: 0, value: 'd', count: 5 },
    { groupKey: 0, value: 'e', count: 5 },
  ]);
});

t.test('a point with -0 equals the point with 0', async (t) => {
  const one = (value: Plain) => countsOf('geo', [{ groupKey: 0, value, count: 1 }], false);
  const merged = runToEnd(mergeCounts([one([0, -0]), one([-0, 0])], enough()));
  t.strictSame(merged?.counts, Float64Array.of(2, 0));
});

t.test('shards without counts, and no shards, return null', async (t) => {
  t.equal(runToEnd(mergeCounts([], enough())), null);
  t.equal(runToEnd(mergeCounts([countsOf('text', [], false), countsOf('i64', [], true)], enough())), null);
});

t.test('a merge that exceeds its memory throws 9006 for any limit', async (t) => {
  const prng = new Prng(SEED);
  const tables = [1, 2].map(() => countsOf('text', table('text', prng, 2_000, 3), true));
  let refusals = 0;
  for (let bytesMax = 0; ; bytesMax += 5_000) {
    try {
      runToEnd(mergeCounts(tables, mergeMemory(bytesMax)));
      break;
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 9006) throw error;
      refusals++;
    }
  }
  t.ok(refusals > 10, `${refusals} refusals`);
  t.ok(refusals < 100, 'the merge needs less than 500,000 bytes');
});
