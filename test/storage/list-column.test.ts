/** Lists that are replaced repeatedly, compared with an array per row. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Values } from '../../src/column/index.js';
import type { ValueKind } from '../../src/schema/index.js';
import { ListColumn } from '../../src/storage/index.js';

const SEED = 20_260_724;
t.comment(`seed ${SEED}`);

/** Values of a kind made from plain numbers; codes are passed separately. */
function valuesOf(
  kind: ValueKind,
  numbers: readonly number[],
): { values: Values; codes: Uint32Array | null } {
  switch (kind) {
    case 'bits':
      return { values: { kind, bits: Uint8Array.from(numbers, (value) => value & 1) }, codes: null };
    case 'i32':
      return { values: { kind, i32: Int32Array.from(numbers) }, codes: null };
    case 'i64':
      return {
        values: { kind, words: Uint32Array.from(numbers.flatMap((value) => [value, value + 1])) },
        codes: null,
      };
    case 'geo':
      return {
        values: { kind, f64: Float64Array.from(numbers.flatMap((value) => [value, value + 1])) },
        codes: null,
      };
    case 'code': {
      const none = new Uint32Array(0);
      return {
        values: { kind, hashes: none, offsets: none, bytes: new Uint8Array(0) },
        codes: Uint32Array.from(numbers),
      };
    }
  }
}

function itemsOf(column: ListColumn, row: number): number[] {
  const from = column.starts[row] * column.width;
  return [...column.items.subarray(from, from + column.counts[row] * column.width)];
}

function expectedItems(kind: ValueKind, numbers: readonly number[]): number[] {
  if (kind === 'bits') return numbers.map((value) => value & 1);
  return kind === 'i64' || kind === 'geo' ? numbers.flatMap((value) => [value, value + 1]) : [...numbers];
}

for (const kind of ['bits', 'i32', 'i64', 'code', 'geo'] as const) {
  t.test(
    `rows of kind ${kind} keep their last list after replacements, growth and garbage collection`,
    async (t) => {
      const prng = new Prng(SEED);
      const column = new ListColumn(kind, 8);
      const model = new Map<number, number[]>();
      let rowCount = 8;
      for (let step = 0; step < 3000; step++) {
        if (step === 500) {
          rowCount = 16;
          column.reserve(rowCount);
        }
        const row = prng.below(rowCount);
        const length = prng.chance(0.05) ? prng.below(400) : prng.below(6);
        const numbers = Array.from({ length }, () => prng.below(1000));
        // The list is inside a longer run of values.
        const before = prng.below(3);
        const { values, codes } = valuesOf(kind, [...Array(before).fill(7), ...numbers, 9]);
        column.replace(row, values, codes, before, length);
        model.set(row, numbers);
      }
      for (let row = 0; row < rowCount; row++) {
        t.strictSame(itemsOf(column, row), expectedItems(kind, model.get(row) ?? []), `row ${row}`);
      }
      t.equal(column.presentCount, [...model.values()].filter(({ length }) => length > 0).length);
    },
  );
}

t.test('a short list replaces a long list that fills the heap', async (t) => {
  const column = new ListColumn('i32', 8);
  const long = Array.from({ length: 100 }, (_, index) => index);
  for (let times = 0; times < 2; times++) column.replace(0, valuesOf('i32', long).values, null, 0, 100);
  column.replace(0, valuesOf('i32', [5]).values, null, 0, 1);
  t.strictSame(itemsOf(column, 0), [5]);
});

t.test('replaced lists do not let the heap grow without limit', async (t) => {
  const column = new ListColumn('i32', 8);
  const { values } = valuesOf(
    'i32',
    Array.from({ length: 50 }, (_, index) => index),
  );
  for (let times = 0; times < 10_000; times++) column.replace(times & 7, values, null, 0, 50);
  t.ok(column.memoryBytes < 8 * 50 * 4 * 4, `${column.memoryBytes} bytes for 400 items`);
});

t.test('a removed list is missing, and its space is reused', async (t) => {
  const column = new ListColumn('i64', 256);
  const words = new Uint32Array(200);
  for (let round = 0; round < 1_000; round++) {
    column.replace(round % 256, { kind: 'i64', words }, null, 0, 100);
    t.ok(column.presentCount === 1 && column.counts[round % 256] === 100);
    column.remove(round % 256);
    column.remove(round % 256);
    column.remove(300);
  }
  t.equal(column.presentCount, 0);
  t.ok(column.counts.every((count) => count === 0));
  t.ok(column.memoryBytes < 10_000, String(column.memoryBytes));
});
