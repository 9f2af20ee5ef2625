/** Rows as bytes: the same values after them, and no damage passes. */
import { crc32 } from 'node:zlib';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  BlockError,
  bytesOfRows,
  fromWire,
  rowsOfBytes,
  type SqlType,
  Texts,
  toWire,
  type Value,
  valueAt,
  vectorOf,
  type WireVector,
} from '../../src/vector/index.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);

const valuesOf = (wire: WireVector): Value[] => {
  const vector = fromWire(wire);
  return Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));
};

const INTEGER: SqlType = { type: 'integer' };
const LISTS: readonly (readonly [SqlType, (prng: Prng) => Value])[] = [
  [INTEGER, (prng) => BigInt(prng.between(-1000, 1000))],
  [INTEGER, (prng) => (prng.chance(0.5) ? -1n : 1n) * (10n ** 38n - BigInt(prng.below(9)))],
  [{ type: 'decimal', scale: 2 }, (prng) => BigInt(prng.below(1000))],
  [{ type: 'float' }, (prng) => prng.between(-9, 9) / 4],
  [{ type: 'boolean' }, (prng) => prng.chance(0.5)],
  [{ type: 'text' }, (prng) => ['', 'a', 'ä😀', 'x'.repeat(200)][prng.below(4)]],
];

function generate(prng: Prng, count: number, missing: number): WireVector[] {
  const columns = LISTS.map(([type, value]) => {
    const values = Array.from({ length: count }, () => (prng.chance(missing) ? null : value(prng)));
    return toWire(vectorOf(type, values));
  });
  const wide = BigInt64Array.from({ length: count }, () => 2n ** 62n - BigInt(prng.below(1000)));
  return [...columns, { kind: 'exact', count, valid: null, numbers: null, wide }];
}

t.test('rows of every kind keep their values', async (t) => {
  const prng = new Prng(SEED);
  for (const count of [0, 1, 7, 8, 1_000]) {
    for (const missing of [0, 0.3, 1]) {
      const columns = generate(prng, count, missing);
      const sent = structuredClone(bytesOfRows({ count, columns }));
      const rows = rowsOfBytes(sent);
      t.equal(rows.count, count);
      t.strictSame(rows.columns.map(valuesOf), columns.map(valuesOf), `${count} rows, ${missing} missing`);
    }
  }
  t.strictSame(rowsOfBytes(bytesOfRows({ count: 9, columns: [] })), { count: 9, columns: [] });
});

t.test('bytes at any address are read, and the properties of texts are kept', async (t) => {
  const { utf8 } = Texts.ofStrings(['a', 'b']);
  const texts = Texts.ofBytes(utf8, 2, true, Uint32Array.of(3, 4));
  const column = toWire({ kind: 'text', count: 3, valid: null, codes: Uint32Array.of(1, 0, 1), texts }, true);
  const bytes = bytesOfRows({ count: 3, columns: [column] });
  for (const shift of [0, 1, 4, 8]) {
    const moved = new Uint8Array(bytes.length + shift).subarray(shift);
    moved.set(bytes);
    const [read] = rowsOfBytes(moved).columns;
    t.strictSame(valuesOf(read), ['b', 'a', 'b']);
    t.match(read, { distinct: true, hashes: Uint32Array.of(4, 3) }, `moved by ${shift}`);
  }
});

t.test('only the rows that the column counts are sent', async (t) => {
  const numbers = Float64Array.of(1, 2, 3, 4);
  const columns: WireVector[] = [{ kind: 'float', count: 2, valid: null, numbers }];
  t.strictSame(valuesOf(rowsOfBytes(bytesOfRows({ count: 2, columns })).columns[0]), [1, 2]);
});

t.test('integers of any length are sent, as sums of doubles have them', async (t) => {
  const lists = [[2n ** 127n], [-(2n ** 2000n), 0n, 2n ** 1000n + 2n ** 900n], [1n << 4_000n, -1n], [0n]];
  for (const wide of lists) {
    const columns: WireVector[] = [{ kind: 'exact', count: wide.length, valid: null, numbers: null, wide }];
    const [read] = rowsOfBytes(bytesOfRows({ count: wide.length, columns })).columns;
    t.strictSame(valuesOf(read), wide);
  }
  const wide = [2n ** 9_000n];
  const tooLong: WireVector[] = [{ kind: 'exact', count: 1, valid: null, numbers: null, wide }];
  t.throws(() => bytesOfRows({ count: 1, columns: tooLong }));
});

const sample = (prng: Prng): Uint8Array => bytesOfRows({ count: 20, columns: generate(prng, 20, 0.3) });

t.test('a changed bit and a cut are found wherever they are', async (t) => {
  const bytes = sample(new Prng(SEED));
  let passed = 0;
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const damaged = bytes.slice();
    damaged[bit >> 3] ^= 1 << (bit & 7);
    try {
      rowsOfBytes(damaged);
      passed++;
    } catch (error) {
      if (!(error instanceof BlockError)) throw error;
    }
  }
  t.equal(passed, 0);
  for (let length = 0; length < bytes.length; length++) {
    if (!isRefused(bytes.subarray(0, length))) t.fail(`${length} bytes of ${bytes.length} pass`);
  }
  t.ok(isRefused(Uint8Array.of(...bytes, 0, 0, 0, 0, 0, 0, 0, 0)));
});

function isRefused(bytes: Uint8Array): boolean {
  try {
    rowsOfBytes(bytes);
    return false;
  } catch (error) {
    if (error instanceof BlockError) return true;
    throw error;
  }
}

/** The same bytes with another 32-bit word at `at`, and the checksum of a sender that wrote it. */
function changed(bytes: Uint8Array, at: number, word: number): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  view.setUint32(at, word, true);
  view.setUint32(8, copy.length, true);
  view.setUint32(12, crc32(copy.subarray(16)), true);
  return copy;
}

t.test('another version and impossible sizes are refused, though the checksum holds', async (t) => {
  const codes = Uint32Array.of(0, 1);
  const { offsets, bytes: textBytes } = Texts.ofStrings(['a', 'b']).utf8;
  const text: WireVector = {
    ...{ kind: 'text', count: 2, valid: null, codes, offsets, bytes: textBytes, distinct: true },
  };
  const bytes = bytesOfRows({ count: 2, columns: [text] });
  t.notOk(isRefused(changed(bytes, 0, new DataView(bytes.buffer).getUint32(0, true))));
  const cases = [
    ['version', 4, 1],
    ['rows', 16, 2 ** 31],
    ['columns', 20, 2 ** 32 - 1],
    ['fewer columns', 20, 0],
    ['kind', 24, 9],
    ['flags', 28, 2 ** 20],
    ['texts', 32, 2 ** 31],
    ['bytes of texts', 36, 2 ** 32 - 1],
    ['code', 40, 2],
    ['first offset', 48, 1],
    ['order of offsets', 52, 3],
    ['last offset', 56, 1],
  ] as const;
  for (const [name, at, word] of cases) t.ok(isRefused(changed(bytes, at, word)), name);
});

t.test('values that no vector has are refused, though the checksum holds', async (t) => {
  const numbers = Float64Array.of(1);
  const bits = Uint8Array.of(1);
  const rows: readonly (readonly [WireVector, number, number])[] = [
    [{ kind: 'float', count: 1, valid: null, numbers }, 44, 0x7ff80000],
    [{ kind: 'exact', count: 1, valid: null, numbers, wide: null }, 44, 0x3fe00000],
    [{ kind: 'boolean', count: 1, valid: null, bits }, 40, 2],
    [{ kind: 'boolean', count: 1, valid: bits, bits }, 40, 2],
    // Neither numbers nor wide integers.
    [{ kind: 'exact', count: 1, valid: null, numbers, wide: null }, 28, 0],
  ];
  for (const [column, at, word] of rows) {
    const bytes = bytesOfRows({ count: 1, columns: [column] });
    t.ok(isRefused(changed(bytes, at, word)), `${column.kind} with ${word} at ${at}`);
  }
});
