/** A latest-value column compared with an array of values, row by row. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { ValueKind } from '../../src/schema/index.js';
import { ARENA_BYTES, ArenaPool, LatestColumn } from '../../src/storage/index.js';
import { type Stored, setValue, valueAt } from './stored.js';

const SEED = 60_606;
t.comment(`seed ${SEED}`);

const CODE = 'code';

/** All values of the column; codes as texts of their digits. */
function read(column: LatestColumn, rowCount: number): (Stored | null)[] {
  return Array.from({ length: rowCount }, (_, row) =>
    column.has(row) ? valueAt(column, row, (code) => String(code)) : null,
  );
}

/** Every byte of the values under a clear validity bit is 0. */
function zeroWhereMissing(column: LatestColumn, rowCount: number): boolean {
  for (let row = 0; row < rowCount; row++) {
    if (column.has(row)) continue;
    const value = valueAt(column, row, (code) => String(code));
    const zero = Array.isArray(value) ? value.every((part) => part === 0) : Number(value) === 0;
    if (!zero) return false;
  }
  return true;
}

function generate(prng: Prng, kind: ValueKind): Stored {
  switch (kind) {
    case 'bits':
      return BigInt(prng.below(2));
    case 'i32':
      return BigInt(prng.pick([-(2 ** 31), 2 ** 31 - 1, prng.between(-99, 99)]));
    case 'i64':
      return prng.pick([-(2n ** 63n), 2n ** 63n - 1n, -1n, 2n ** 32n, BigInt(prng.u32())]);
    case 'geo':
      return [prng.unit() * 360 - 180, prng.unit() * 180 - 90];
    case 'code':
      return String(prng.between(1, prng.pick([200, 300, 70_000])));
  }
}

for (const kind of ['bits', 'i32', 'i64', 'geo', CODE] as const) {
  t.test(`values of kind ${kind} are kept through updates, removals, growth and widening`, async (t) => {
    const prng = new Prng(SEED);
    const pool = new ArenaPool(null);
    const column = new LatestColumn(pool, null, kind, 256, 1);
    const model: (Stored | null)[] = Array(256).fill(null);
    for (let step = 0; step < 20_000; step++) {
      if (step % 4000 === 3999) {
        column.reserve(model.length * 2);
        model.push(...Array(model.length).fill(null));
      }
      const row = prng.below(model.length);
      if (prng.chance(0.2)) {
        column.remove(row);
        model[row] = null;
      } else {
        const value = generate(prng, kind);
        setValue(column, row, value);
        model[row] = value;
      }
    }
    t.strictSame(read(column, model.length), model);
    t.equal(column.presentCount, model.filter((value) => value !== null).length);
    t.ok(zeroWhereMissing(column, model.length), 'missing values are 0');
    if (kind === 'i32' || kind === 'i64' || kind === CODE) {
      const numbers = model.flatMap((value) => (value === null ? [] : [Number(value)]));
      t.ok(numbers.every((value) => value >= column.min && value <= column.max));
    }
    column.release();
    t.equal(pool.usedBytes, 0);
  });
}

t.test(
  'codes take 1, 2 or 4 bytes, as the greatest one requires, and remain correct when they widen',
  async (t) => {
    const column = new LatestColumn(new ArenaPool(null), null, CODE, 256, 1);
    const widths: number[] = [];
    for (const code of [1, 0xff, 0x100, 0xffff, 0x10000, 0xffffffff]) {
      setValue(column, widths.length, code);
      widths.push(column.width);
    }
    t.strictSame(widths, [1, 1, 2, 2, 4, 4]);
    t.strictSame(read(column, 6), ['1', '255', '256', '65535', '65536', '4294967295']);
  },
);

t.test('integers take 1, 2, 4 or 8 bytes, as the widest requires, at both ends of each width', async (t) => {
  for (const sign of [1n, -1n]) {
    const column = new LatestColumn(new ArenaPool(null), null, 'i64', 256, 1);
    const values = [7n, 15n, 31n, 63n].flatMap((bits) => {
      const end = 2n ** bits;
      const inside = sign > 0n ? end - 1n : -end;
      return bits === 63n ? [inside] : [inside, inside + sign];
    });
    const widths = values.map((value, row) => {
      setValue(column, row, value);
      return column.width;
    });
    t.strictSame(widths, [1, 2, 2, 4, 4, 8, 8]);
    t.strictSame(read(column, values.length), values);
  }
});

t.test('widening and growing in a full arena move values and validity together', async (t) => {
  const pool = new ArenaPool(null);
  const column = new LatestColumn(pool, null, CODE, 256, 1);
  const first = column.arena;
  for (let row = 0; row < 256; row += 2) setValue(column, row, Math.min(row + 1, 255));
  const before = read(column, 256);
  // Fills the arena so that it has no free block of 512 bytes or more, including released blocks.
  for (let bytes = ARENA_BYTES / 2; bytes >= 64; bytes /= 2) {
    while (first.allocate(bytes) !== null);
  }
  setValue(column, 1, 70_000);
  t.not(column.arena, first);
  t.strictSame(
    read(column, 256),
    before.map((value, row) => (row === 1 ? '70000' : value)),
  );
  // Validity is read from the arena of the values.
  const bits = column.arena.u8[column.validityAt];
  t.equal(bits & 0b111, 0b111);
  column.reserve(512);
  t.equal(read(column, 512).filter((value) => value !== null).length, 129);
});
