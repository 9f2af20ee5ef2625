/** Reads of ranges and lists of stored values, compared with reads of single values. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { rowList, rowRange } from '../../../src/exec/scan/row-set.js';
import { type BatchArrays, bitsOf, readValues } from '../../../src/exec/scan/stored-values.js';
import type { ValueKind } from '../../../src/schema/index.js';
import { Arena, type Width } from '../../../src/storage/index.js';
import { Texts, valueAt } from '../../../src/vector/index.js';

const SEED = 8_191;
t.comment(`seed ${SEED}`);

const fresh: BatchArrays = {
  numbers: (count) => new Float64Array(count + 3),
  codes: (count) => new Uint32Array(count + 3),
  bits: (count) => new Uint8Array(count + 3),
};

const ARENA_BYTES = 2 ** 20;
const VALUES = 2_000;

/** An arena with random content, and the positions of values in it. */
function filledArena(prng: Prng): Arena {
  const arena = new Arena(null, ARENA_BYTES);
  for (let word = 0; word < 20_000; word++) arena.u32[word] = prng.u32();
  return arena;
}

t.test('a range of bits returns each bit, for any start and end', async (t) => {
  const prng = new Prng(SEED);
  const { u8 } = filledArena(prng);
  for (let round = 0; round < 500; round++) {
    const [bitmapAt, from, count] = [prng.below(64), prng.below(100), prng.below(60)];
    const expected = Array.from({ length: count }, (_, at) => {
      const segmentRow = from + at;
      return (u8[bitmapAt + (segmentRow >> 3)] >> (segmentRow & 7)) & 1;
    });
    const run = bitsOf(u8, bitmapAt, rowRange(from, count), new Uint8Array(count + 2));
    t.strictSame([...run], [...expected, 0, 0]);
    const list = Uint32Array.from({ length: count }, (_, at) => from + at);
    t.strictSame([...bitsOf(u8, bitmapAt, rowList(list), new Uint8Array(count))], expected);
  }
});

t.test('a range of values returns the same as a list of its rows, for every width', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = filledArena(prng);
  const texts = Texts.ofStrings(Array.from({ length: 256 }, (_, code) => `text ${code}`));
  const stored: readonly (readonly [ValueKind, Width])[] = [
    ['bits', 1],
    ['i32', 4],
    ['i64', 1],
    ['i64', 2],
    ['i64', 4],
    ['code', 1],
  ];
  for (const [kind, width] of stored) {
    const at = { arena, kind, width, valuesAt: 64 };
    for (let round = 0; round < 20; round++) {
      const [from, count] = [prng.below(VALUES), prng.below(300)];
      const list = Uint32Array.from({ length: count }, (_, index) => from + index);
      const run = readValues(at, rowRange(from, count), null, texts, fresh);
      const listed = readValues(at, rowList(list), null, texts, fresh);
      for (let row = 0; row < count; row++) {
        if (valueAt(run, row) !== valueAt(listed, row)) t.fail(`${kind} of ${width} bytes at ${from + row}`);
      }
      if (kind === 'i64' && count > 0) {
        const value = { 1: arena.i8[64 + from], 2: arena.i16[32 + from], 4: arena.i32[16 + from], 8: 0 }[
          width
        ];
        t.equal(valueAt(run, 0), BigInt(value));
      }
    }
  }
});
