import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import {
  asWritten,
  INTEGER_KINDS,
  type IntegerKind,
  integer,
  ROW_COUNTS,
  selections,
  TwinArena,
} from './twin-arena.js';

const SEED = 30_117;
t.comment(`seed ${SEED}`);

const I64_BYTES = 8;
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const u32s = (numbers: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(numbers).buffer);
const i64s = (numbers: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(numbers).buffer);
const i64 = (prng: Prng): bigint => integer(prng, 'i64');

const SLOT_KERNELS = {
  u8: (k: Kernels) => k.addSlotsU8,
  u16: (k: Kernels) => k.addSlotsU16,
  i8: (k: Kernels) => k.addSlotsI8,
  i16: (k: Kernels) => k.addSlotsI16,
  i32: (k: Kernels) => k.addSlotsI32,
} as const;
const VALUES = {
  u8: (prng: Prng) => prng.below(256),
  u16: (prng: Prng) => prng.below(65_536),
  i8: (prng: Prng) => Number(integer(prng, 'i8')),
  i16: (prng: Prng) => Number(integer(prng, 'i16')),
  i32: (prng: Prng) => Number(integer(prng, 'i32')),
} as const;

for (const kind of ['u8', 'u16', 'i8', 'i16', 'i32'] as const) {
  t.test(`slots grow by the index of ${kind} values times a stride, modulo 2^32`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    for (const n of [...ROW_COUNTS, 300 + prng.below(2_000)]) {
      arena.reset();
      const values = many(n, () => VALUES[kind](prng));
      const [least, stride] = [Number(integer(prng, 'i32')), prng.u32()];
      const before = many(n, () => prng.u32());
      const valuesAt = arena.values(kind, values);
      const slots = arena.values('u32', before);
      const wanted = before.map((slot, row) => (slot + Math.imul(values[row] - least, stride)) >>> 0);
      const run = (k: Kernels): number => {
        SLOT_KERNELS[kind](k)(valuesAt, n, least, stride, slots);
        return 0;
      };
      t.equal(arena.bytesMismatch(u32s(wanted), 0, slots, run), null, `${n} rows`);
    }
  });
}

t.test('slots grow by one of two numbers, by the bits of a bitmap', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng);
  for (const n of [...ROW_COUNTS, 300 + prng.below(2_000)]) {
    for (const bits of selections(prng, n)) {
      if (bits === null) continue;
      arena.reset();
      const [set, clear] = [prng.u32(), prng.u32()];
      const before = many(n, () => prng.u32());
      const bitmap = arena.bitmap(bits);
      const slots = arena.values('u32', before);
      const wanted = before.map((slot, row) => (slot + (bits[row] ? set : clear)) >>> 0);
      const run = (k: Kernels): number => {
        k.addSlotsBits(bitmap, n, set, clear, slots);
        return 0;
      };
      t.equal(arena.bytesMismatch(u32s(wanted), 0, slots, run), null, `${n} rows`);
    }
  }
});

const STAGE_KERNELS = {
  i8: (k: Kernels) => k.stageI8,
  i16: (k: Kernels) => k.stageI16,
  i32: (k: Kernels) => k.stageI32,
  i64: (k: Kernels) => k.stageI64,
} as const;

/** The bytes of `stored` with `written[i]` in field 0 of record i. */
function withFields(stored: readonly bigint[], written: readonly bigint[], step: number): Uint8Array {
  const fields = [...stored];
  written.forEach((value, index) => {
    fields[index * step] = value;
  });
  return i64s(fields);
}

for (const kind of INTEGER_KINDS) {
  t.test(`selected ${kind} values are staged as a field of records, in order`, async (t) => {
    const prng = new Prng(SEED + 2);
    const arena = new TwinArena(prng);
    for (const n of ROW_COUNTS) {
      for (const bits of selections(prng, n)) {
        arena.reset();
        const step = prng.between(1, 5);
        const values = many(n, () => integer(prng, kind as IntegerKind));
        const stored = many(n * step, () => i64(prng));
        const valuesAt = arena.values(kind, asWritten(kind, values));
        const bitmap = bits === null ? 0 : arena.bitmap(bits);
        const out = arena.values('i64', stored);
        const chosen = values.filter((_, row) => bits === null || bits[row]);
        const run = (k: Kernels): number =>
          STAGE_KERNELS[kind](k)(valuesAt, bitmap, n, out, step * I64_BYTES);
        t.equal(
          arena.bytesMismatch(withFields(stored, chosen, step), chosen.length, out, run),
          null,
          `${n} rows`,
        );
      }
    }
  });
}

t.test('selected bits are staged as 0 and 1', async (t) => {
  const prng = new Prng(SEED + 3);
  const arena = new TwinArena(prng);
  for (const n of ROW_COUNTS) {
    for (const bits of selections(prng, n)) {
      arena.reset();
      const step = prng.between(1, 5);
      const values = many(n, () => prng.chance(0.5));
      const stored = many(n * step, () => i64(prng));
      const valuesAt = arena.bitmap(values);
      const bitmap = bits === null ? 0 : arena.bitmap(bits);
      const out = arena.values('i64', stored);
      const chosen = values.filter((_, row) => bits === null || bits[row]).map((bit) => (bit ? 1n : 0n));
      const run = (k: Kernels): number => k.stageBits(valuesAt, bitmap, n, out, step * I64_BYTES);
      t.equal(
        arena.bytesMismatch(withFields(stored, chosen, step), chosen.length, out, run),
        null,
        `${n} rows`,
      );
    }
  }
});

t.test('fields are split, squared, set to one, and replaced where the value is missing', async (t) => {
  const prng = new Prng(SEED + 4);
  const arena = new TwinArena(prng);
  const halves = (value: bigint): [bigint, bigint] => [BigInt.asUintN(32, value), value >> 32n];
  for (const n of [0, 1, 2, 63, 64, 65, 1_000]) {
    arena.reset();
    const records = many(n, () => [integer(prng, 'i32'), i64(prng), i64(prng), prng.chance(0.5) ? 1n : 0n]);
    const at = arena.values('i64', records.flat());
    const bytes = 4 * I64_BYTES;
    const cases: [string, (k: Kernels) => void, (record: readonly bigint[]) => bigint[]][] = [
      [
        'split',
        (k) => k.splitFields(at + 8, n, at + 8, at + 16, bytes),
        ([a, b, , d]) => [a, ...halves(b), d],
      ],
      [
        'squares',
        (k) => k.squareFields(at, n, at + 8, at + 16, bytes),
        ([a, , , d]) => [a, ...halves(a * a), d],
      ],
      ['ones', (k) => k.stageOnes(n, at + 16, bytes), ([a, b, , d]) => [a, b, 1n, d]],
      [
        'missing',
        (k) => k.replaceMissing(at, at + 24, n, -77n, bytes),
        ([a, b, c, d]) => [d === 0n ? -77n : a, b, c, d],
      ],
    ];
    for (const [name, work, wanted] of cases) {
      const run = (k: Kernels): number => {
        work(k);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(records.flatMap(wanted)), 0, at, run), null, `${name}, ${n} records`);
    }
  }
});

t.test('records are added to those of their slots, field by field', async (t) => {
  const prng = new Prng(SEED + 5);
  const arena = new TwinArena(prng);
  for (const fields of [2, 4, 6, 8, 10]) {
    for (const n of [0, 1, 2, 7, 500]) {
      arena.reset();
      const slotCount = prng.between(1, 20);
      const slots = many(n, () => prng.below(slotCount));
      const records = many(n, () => many(fields, () => i64(prng)));
      const table = many(slotCount, () => many(fields, () => i64(prng)));
      const slotsAt = arena.values('u32', slots);
      const recordsAt = arena.values('i64', records.flat());
      const tableAt = arena.values('i64', table.flat());
      const wanted = table.map((record) => [...record]);
      slots.forEach((slot, row) => {
        for (let field = 0; field < fields; field++) wanted[slot][field] += records[row][field];
      });
      const run = (k: Kernels): number => {
        k.addRecords(slotsAt, n, recordsAt, fields * I64_BYTES, tableAt);
        return 0;
      };
      t.equal(
        arena.bytesMismatch(i64s(wanted.flat()), 0, tableAt, run),
        null,
        `${n} rows of ${fields} fields`,
      );
    }
  }
});

t.test('records are added to one, field by field', async (t) => {
  const prng = new Prng(SEED + 7);
  const arena = new TwinArena(prng);
  for (const fields of [2, 4, 6, 10]) {
    for (const n of [0, 1, 2, 7, 500]) {
      arena.reset();
      const [sum, ...records] = many(n + 1, () => many(fields, () => i64(prng)));
      const recordsAt = arena.values('i64', records.flat());
      const sumAt = arena.values('i64', sum);
      const wanted = sum.map((value, field) =>
        records.reduce((total, record) => total + record[field], value),
      );
      const run = (k: Kernels): number => {
        k.sumRecords(n, recordsAt, fields * I64_BYTES, sumAt);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(wanted), 0, sumAt, run), null, `${n} rows of ${fields} fields`);
    }
  }
});

t.test('records of extremes keep the minima, then the maxima', async (t) => {
  const prng = new Prng(SEED + 6);
  const arena = new TwinArena(prng);
  for (const [minCount, maxCount] of [
    [1, 0],
    [0, 1],
    [1, 1],
    [2, 3],
    [3, 0],
  ]) {
    for (const n of [0, 1, 7, 500]) {
      arena.reset();
      const fields = minCount + maxCount;
      const slotCount = prng.between(1, 20);
      const slots = many(n, () => prng.below(slotCount));
      const records = many(n, () => many(fields, () => i64(prng)));
      const slotsAt = arena.values('u32', slots);
      const recordsAt = arena.values('i64', records.flat());
      const table = many(slotCount, () => many(fields, () => i64(prng)));
      const tableAt = arena.values('i64', table.flat());
      const wanted = table.map((record) => [...record]);
      slots.forEach((slot, row) => {
        for (let field = 0; field < fields; field++) {
          const value = records[row][field];
          const stored = wanted[slot][field];
          if (field < minCount ? value < stored : value > stored) wanted[slot][field] = value;
        }
      });
      const run = (k: Kernels): number => {
        k.widenRecords(slotsAt, n, recordsAt, minCount, maxCount, tableAt);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(wanted.flat()), 0, tableAt, run), null, `${n} rows`);
    }
  }
});

t.test('memory is filled with one value; bits are set by slot and value', async (t) => {
  const prng = new Prng(SEED + 7);
  const arena = new TwinArena(prng);
  for (const n of [0, 1, 7, 500]) {
    arena.reset();
    const value = i64(prng);
    const out = arena.values(
      'i64',
      many(n, () => i64(prng)),
    );
    const fill = (k: Kernels): number => {
      k.fillI64(value, n, out);
      return 0;
    };
    t.equal(arena.bytesMismatch(i64s(many(n, () => value)), 0, out, fill), null, `${n} values`);
    const [slotCount, span, least] = [prng.between(1, 5), prng.between(1, 300), i64(prng) >> 2n];
    const slots = many(n, () => prng.below(slotCount));
    const values = many(n, () => least + BigInt(prng.below(span)));
    const bits = many(slotCount * span, () => prng.chance(0.1));
    const [slotsAt, valuesAt, bitsAt] = [
      arena.values('u32', slots),
      arena.values('i64', values),
      arena.bitmap(bits),
    ];
    const wanted = [...bits];
    slots.forEach((slot, row) => {
      wanted[slot * span + Number(values[row] - least)] = true;
    });
    const bytes = new Uint8Array(wanted.length >> 3);
    for (let bit = 0; bit < bytes.length * 8; bit++) if (wanted[bit]) bytes[bit >> 3] |= 1 << (bit & 7);
    const set = (k: Kernels): number => {
      k.setSlotBits(slotsAt, valuesAt, n, least, span, bitsAt);
      return 0;
    };
    // The last, partial byte contains noise after the last bit.
    if (wanted.length % 8 === 0) t.equal(arena.bytesMismatch(bytes, 0, bitsAt, set), null, `${n} bits`);
  }
});
