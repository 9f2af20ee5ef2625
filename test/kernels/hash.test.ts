import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { asWritten, integer, ROW_COUNTS, selections, TwinArena } from './twin-arena.js';

const SEED = 51_907;
t.comment(`seed ${SEED}`);

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const i64s = (numbers: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(numbers).buffer);
const i64 = (prng: Prng): bigint => integer(prng, 'i64');

/** The seed of the hash kernels: two odd integers. */
const seedOf = (prng: Prng): bigint[] =>
  many(2, () => BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()) | 1n));

const KEY_KERNELS = {
  u8: (k: Kernels) => k.addKeysU8,
  u16: (k: Kernels) => k.addKeysU16,
  i8: (k: Kernels) => k.addKeysI8,
  i16: (k: Kernels) => k.addKeysI16,
  i32: (k: Kernels) => k.addKeysI32,
  i64: (k: Kernels) => k.addKeysI64,
} as const;

for (const kind of ['u8', 'u16', 'i8', 'i16', 'i32', 'i64'] as const) {
  t.test(`key words grow by the index of ${kind} values, shifted, modulo 2^64`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    for (const n of [...ROW_COUNTS, 300 + prng.below(2_000)]) {
      arena.reset();
      const values = many(n, () =>
        kind === 'u8' || kind === 'u16'
          ? BigInt(prng.below(kind === 'u8' ? 256 : 65_536))
          : integer(prng, kind),
      );
      const [least, shift] = [i64(prng), prng.below(64)];
      const before = many(n, () => i64(prng));
      const valuesAt = arena.values(kind, kind === 'i64' ? values : values.map(Number));
      const keys = arena.values('i64', before);
      const wanted = before.map((key, row) => key + ((values[row] - least) << BigInt(shift)));
      const run = (k: Kernels): number => {
        KEY_KERNELS[kind](k)(valuesAt, n, least, shift, keys);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(wanted), 0, keys, run), null, `${n} rows`);
    }
  });
}

t.test('key words grow by one of two numbers, by the bits of a bitmap', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng);
  for (const n of [...ROW_COUNTS, 300 + prng.below(2_000)]) {
    for (const bits of selections(prng, n)) {
      if (bits === null) continue;
      arena.reset();
      const [set, clear] = [i64(prng), i64(prng)];
      const before = many(n, () => i64(prng));
      const bitmap = arena.bitmap(bits);
      const keys = arena.values('i64', before);
      const wanted = before.map((key, row) => key + (bits[row] ? set : clear));
      const run = (k: Kernels): number => {
        k.addKeysBits(bitmap, n, set, clear, keys);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(wanted), 0, keys, run), null, `${n} rows`);
    }
  }
});

/** Key words of many kinds, with repetitions. */
const WORDS: Record<string, (prng: Prng, row: number) => bigint> = {
  any: (prng) => i64(prng),
  few: (prng) => BigInt(prng.below(5)),
  sequential: (_, row) => BigInt(row >> 1),
  'upper half only': (prng) => BigInt(prng.below(500)) << 32n,
  'equal halves': (prng) => BigInt(prng.below(500)) * 0x1_0000_0001n,
};

for (const [name, wordAt] of Object.entries(WORDS)) {
  t.test(
    `key words get numbers in order of appearance, block by block, also after a rehash: ${name}`,
    async (t) => {
      const prng = new Prng(SEED + 2);
      const arena = new TwinArena(prng);
      const bytes = new Uint8Array(arena.memory.buffer);
      const u32 = new Uint32Array(arena.memory.buffer);
      const words = new BigInt64Array(arena.memory.buffer);
      for (const kernels of arena.sets) {
        arena.reset();
        const tables = [2_048, 8_192].map((size) => ({
          size,
          at: arena.values(
            'u32',
            many(size, () => 0),
          ),
        }));
        const seed = arena.values('i64', seedOf(prng));
        const groupKeys = arena.values(
          'i64',
          many(2_000, () => 0n),
        );
        const numbers = new Map<bigint, number>();
        let [count, table] = [0, tables[0]];
        for (const [block, n] of [0, 1, 63, 64, 200, 512, 800].entries()) {
          if (block === 5) {
            table = tables[1];
            kernels.rehashGroups(seed, groupKeys, count, table.at, table.size - 1);
          }
          const keys = many(n, (row) => wordAt(prng, row));
          const bits = prng.chance(0.5) ? many(n, () => prng.chance(0.7)) : null;
          const bitmap = bits === null ? 0 : arena.bitmap(bits);
          const keysAt = arena.values('i64', keys);
          const slots = arena.values(
            'u32',
            many(n, () => 77),
          );
          const wanted = keys.map((key, row) => {
            if (bits !== null && !bits[row]) return 77;
            if (!numbers.has(key)) numbers.set(key, numbers.size);
            return numbers.get(key) as number;
          });
          const before = bytes.slice();
          count = kernels.findGroups(
            seed,
            keysAt,
            bitmap,
            n,
            table.at,
            table.size - 1,
            groupKeys,
            count,
            slots,
          );
          t.equal(count, numbers.size, `${kernels.name}, ${n} rows`);
          t.strictSame([...u32.subarray(slots / 4, slots / 4 + n)], wanted);
          const found = [...words.subarray(groupKeys / 8, groupKeys / 8 + count)];
          t.equal(found.join(), [...numbers.keys()].join());
          for (const [at, length] of [
            [slots, n * 4],
            [groupKeys, count * 8],
            [table.at, table.size * 4],
          ]) {
            before.set(bytes.subarray(at, at + length), at);
          }
          t.ok(Buffer.from(bytes.buffer).equals(before), 'nothing else is written');
        }
      }
    },
  );
}

t.test('both sets append the same rows to the chunks of their partitions', async (t) => {
  const prng = new Prng(SEED + 3);
  const [chunkRows, free] = [6, 1_000];
  for (const [recordBytes, extremeBytes] of [
    [16, 0],
    [32, 8],
    [0, 24],
  ]) {
    const chunkBytes = 64 * Math.ceil((16 + chunkRows * (8 + recordBytes + extremeBytes)) / 64);
    const rows = many(900, (row) => ({
      key: prng.chance(0.3) ? 5n : i64(prng),
      record: many(recordBytes / 8, () => i64(prng)),
      extremes: many(extremeBytes / 8, () => i64(prng)),
      row,
    }));
    const results: string[] = [];
    const hashSeed = seedOf(prng);
    for (const set of [0, 1]) {
      const arena = new TwinArena(prng);
      const kernels = arena.sets[set];
      const u32 = new Uint32Array(arena.memory.buffer);
      const words = new BigInt64Array(arena.memory.buffer);
      const seed = arena.values('i64', hashSeed);
      const chunks = arena.values(
        'i64',
        many((free * chunkBytes) / 8, () => 0n),
      );
      const state = arena.values('u32', [...many(256, () => [0, chunkRows]).flat(), chunks, chunkBytes]);
      for (let from = 0; from < rows.length; from += 300) {
        const block = rows.slice(from, from + 300);
        const keys = arena.values(
          'i64',
          asWritten(
            'i64',
            block.map(({ key }) => key),
          ),
        );
        const records = arena.values(
          'i64',
          block.flatMap(({ record }) => record),
        );
        const extremes = arena.values(
          'i64',
          block.flatMap((row) => row.extremes),
        );
        kernels.partitionRows(
          seed,
          keys,
          block.length,
          records,
          recordBytes,
          extremes,
          extremeBytes,
          chunkRows,
          state,
        );
      }
      const fields = (at: number, bytes: number): bigint[] => [...words.subarray(at / 8, (at + bytes) / 8)];
      const found: string[][] = many(256, (partition) => {
        const list: string[] = [];
        let [chunk, count] = [u32[state / 4 + partition * 2], u32[state / 4 + partition * 2 + 1]];
        for (; chunk !== 0; chunk = u32[chunk / 4], count = chunkRows) {
          const recordsAt = chunk + 16 + chunkRows * 8;
          for (let row = 0; row < count; row++) {
            const record = fields(recordsAt + row * recordBytes, recordBytes);
            const extremesAt = recordsAt + chunkRows * recordBytes + row * extremeBytes;
            const key = words[chunk / 8 + 2 + row];
            list.push([key, ...record, ...fields(extremesAt, extremeBytes)].join(' '));
          }
        }
        return list;
      });
      const partitionsOf = new Map<string, Set<number>>();
      found.forEach((list, partition) => {
        for (const row of list) {
          const key = row.split(' ')[0];
          partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition));
        }
      });
      t.ok(
        [...partitionsOf.values()].every(({ size }) => size === 1),
        'equal keys are in one partition',
      );
      const wanted = rows.map(({ key, record, extremes }) => [key, ...record, ...extremes].join(' '));
      t.equal(found.flat().sort().join('\n'), wanted.sort().join('\n'), `${kernels.name}: every row once`);
      results.push(JSON.stringify(found));
    }
    t.equal(results[0], results[1], 'the twin returns the same partitions');
  }
});

t.test('key words that one seed puts in a single partition are spread by another seed', async (t) => {
  const prng = new Prng(SEED + 4);
  const [chunkRows, chunkBytes] = [400, 3_264];
  for (const set of [0, 1]) {
    const arena = new TwinArena(prng);
    const kernels = arena.sets[set];
    const u32 = new Uint32Array(arena.memory.buffer);
    const words = new BigInt64Array(arena.memory.buffer);
    /** By partition, its key words. */
    const partitioned = (keys: readonly bigint[], seed: readonly bigint[]): bigint[][] => {
      arena.reset();
      const [seedAt, keysAt] = [arena.values('i64', seed), arena.values('i64', keys)];
      const chunks = arena.values(
        'u32',
        many((256 * chunkBytes) / 4, () => 0),
      );
      const state = arena.values('u32', [...many(256, () => [0, chunkRows]).flat(), chunks, chunkBytes]);
      kernels.partitionRows(seedAt, keysAt, keys.length, 0, 0, 0, 0, chunkRows, state);
      return many(256, (partition) => {
        const [chunk, count] = u32.subarray(state / 4 + partition * 2, state / 4 + partition * 2 + 2);
        return chunk === 0 ? [] : [...words.subarray(chunk / 8 + 2, chunk / 8 + 2 + count)];
      });
    };
    const known = seedOf(prng);
    const chosen: bigint[] = [];
    for (let first = 0n; chosen.length < 400; first += 20_000n) {
      const keys = many(20_000, (index) => first + BigInt(index));
      chosen.push(...partitioned(keys, known)[7].slice(0, 400 - chosen.length));
    }
    t.equal(partitioned(chosen, known)[7].length, 400, `${kernels.name}: chosen for the known seed`);
    const largest = many(8, () =>
      Math.max(...partitioned(chosen, seedOf(prng)).map(({ length }) => length)),
    ).sort((a, b) => a - b);
    t.ok(largest[6] < 40, `${kernels.name}: at most ${largest.join()} in one partition`);
  }
});
