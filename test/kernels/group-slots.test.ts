import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { ROW_COUNTS, selections, TwinArena } from './twin-arena.js';

const SEED = 20_017;
t.comment(`seed ${SEED}`);

const KINDS = {
  u8: { least: 0, most: 255 },
  u16: { least: 0, most: 65_535 },
  i8: { least: -128, most: 127 },
  i16: { least: -32_768, most: 32_767 },
  i32: { least: -(2 ** 31), most: 2 ** 31 - 1 },
} as const;
type Kind = keyof typeof KINDS;
/** Maximum number of different values. */
const SPAN_MAX = 5_000;

/** Each function returns 0, because bytesMismatch expects a number. */
function add(k: Kernels, kind: Kind, values: number, n: number, least: number, table: number, slots: number) {
  if (kind === 'u8') k.addGroupSlotsU8(values, n, least, table, slots);
  else if (kind === 'u16') k.addGroupSlotsU16(values, n, least, table, slots);
  else if (kind === 'i8') k.addGroupSlotsI8(values, n, least, table, slots);
  else if (kind === 'i16') k.addGroupSlotsI16(values, n, least, table, slots);
  else k.addGroupSlotsI32(values, n, least, table, slots);
  return 0;
}

function sum(
  k: Kernels,
  kind: Kind,
  values: number,
  slots: number,
  bitmap: number,
  n: number,
  sums: number,
): number {
  if (kind === 'i8') k.sumGroupSlotsI8(values, slots, bitmap, n, sums);
  else if (kind === 'i16') k.sumGroupSlotsI16(values, slots, bitmap, n, sums);
  else k.sumGroupSlotsI32(values, slots, bitmap, n, sums);
  return 0;
}

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

for (const [kind, { least, most }] of Object.entries(KINDS) as [Kind, (typeof KINDS)[Kind]][]) {
  t.test(`each slot of ${kind} values has its table entry added`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (const low of [least, Math.max(least, most - SPAN_MAX), Math.max(least, -7)]) {
        arena.reset();
        const span = Math.min(1 + prng.below(SPAN_MAX), most - low + 1);
        const values = many(n, () => low + (prng.chance(0.1) ? span - 1 : prng.below(span)));
        const table = many(span, () => prng.below(65_536));
        const stored = many(n, () => prng.below(65_536));
        const valuesAt = arena.values(kind, values);
        const tableAt = arena.values('u16', table);
        const slots = arena.values('u16', stored);
        const expected = Uint16Array.from(values, (value, row) => stored[row] + table[value - low]);
        const mismatch = arena.bytesMismatch(new Uint8Array(expected.buffer), 0, slots, (k) =>
          add(k, kind, valuesAt, n, low, tableAt, slots),
        );
        if (mismatch !== null) return t.fail(`n ${n}, from ${low}: ${mismatch}`);
      }
    }
    t.pass();
  });
}

t.test('slots have one number added where a bit is set and another where it is not', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng);
  for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
    for (const set of selections(prng, n)) {
      arena.reset();
      const stored = many(n, () => prng.below(65_536));
      const [ifSet, ifClear] = [prng.below(65_536), prng.pick([0, 1, 65_535])];
      const bitmap = set === null ? 0 : arena.bitmap(set);
      const slots = arena.values('u16', stored);
      const expected = Uint16Array.from(
        stored,
        (slot, row) => slot + (set === null || set[row] ? ifSet : ifClear),
      );
      const mismatch = arena.bytesMismatch(new Uint8Array(expected.buffer), 0, slots, (k) => {
        k.addGroupSlotsBits(bitmap, n, ifSet, ifClear, slots);
        return 0;
      });
      if (mismatch !== null) return t.fail(`n ${n}: ${mismatch}`);
    }
  }
  t.pass();
});

for (const kind of ['i8', 'i16', 'i32'] as const) {
  t.test(`sums by slot of ${kind} values are exact, also below zero and beyond 32 bits`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const { least, most } = KINDS[kind];
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (const set of selections(prng, n)) {
        arena.reset();
        const slotCount = prng.pick([1, 3, 100, 2_000]);
        const values = many(n, () =>
          prng.chance(0.3) ? prng.pick([least, most, 0, -1]) : prng.between(least, most),
        );
        // Slots of rows that are not set may be outside the sums.
        const slots = values.map((_, row) =>
          set === null || set[row] ? prng.below(slotCount) : prng.pick([slotCount, 65_535]),
        );
        const before = many(slotCount, () => BigInt(prng.between(-(2 ** 40), 2 ** 40)));
        const valuesAt = arena.values(kind, values);
        const slotsAt = arena.values('u16', slots);
        const bitmap = set === null ? 0 : arena.bitmap(set);
        const sums = arena.values('i64', before);
        const expected = BigInt64Array.from(before);
        values.forEach((value, row) => {
          if (set === null || set[row]) expected[slots[row]] += BigInt(value);
        });
        const mismatch = arena.bytesMismatch(new Uint8Array(expected.buffer), 0, sums, (k) =>
          sum(k, kind, valuesAt, slotsAt, bitmap, n, sums),
        );
        if (mismatch !== null) return t.fail(`n ${n}, ${slotCount} slots: ${mismatch}`);
        checked++;
      }
    }
    t.ok(checked > 150, `${checked} cases`);
  });
}

for (const kind of ['i8', 'i16', 'i32'] as const) {
  t.test(`extremes by slot of ${kind} values only widen`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const { least, most } = KINDS[kind];
    const extremes = {
      i8: 'extremesGroupSlotsI8',
      i16: 'extremesGroupSlotsI16',
      i32: 'extremesGroupSlotsI32',
    } as const;
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (const set of selections(prng, n)) {
        arena.reset();
        const slotCount = prng.pick([1, 3, 100, 2_000]);
        const values = many(n, () =>
          prng.chance(0.3) ? prng.pick([least, most, 0, -1]) : prng.between(least, most),
        );
        // Slots of rows that are not set may be outside the extremes.
        const slots = values.map((_, row) =>
          set === null || set[row] ? prng.below(slotCount) : prng.pick([slotCount, 65_535]),
        );
        const nothing = [2 ** 31 - 1, -(2 ** 31)];
        const before = many(slotCount, () => (prng.chance(0.7) ? nothing : [-5, 5])).flat();
        const valuesAt = arena.values(kind, values);
        const slotsAt = arena.values('u16', slots);
        const bitmap = set === null ? 0 : arena.bitmap(set);
        const at = arena.values('i32', before);
        const expected = Int32Array.from(before);
        values.forEach((value, row) => {
          if (set !== null && !set[row]) return;
          const slot = slots[row] * 2;
          expected[slot] = Math.min(expected[slot], value);
          expected[slot + 1] = Math.max(expected[slot + 1], value);
        });
        const mismatch = arena.bytesMismatch(new Uint8Array(expected.buffer), 0, at, (k) => {
          k[extremes[kind]](valuesAt, slotsAt, bitmap, n, at);
          return 0;
        });
        if (mismatch !== null) return t.fail(`n ${n}, ${slotCount} slots: ${mismatch}`);
        checked++;
      }
    }
    t.ok(checked > 150, `${checked} cases`);
  });
}
