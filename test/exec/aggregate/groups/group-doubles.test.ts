/** Codes of numbers: in the window, hashed, and after a switch from the window to hashing. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { NumberCodes } from '../../../../src/exec/aggregate/groups/group-doubles.js';
import { QueryRun, UNBOUNDED } from '../../../../src/exec/query-run.js';
import { type ExactVector, fromWire, valueAt } from '../../../../src/vector/index.js';

const SEED = 244_948;
t.comment(`seed ${SEED}`);

const vectorOf = (numbers: readonly number[]): ExactVector => ({
  kind: 'exact',
  count: numbers.length,
  valid: null,
  numbers: Float64Array.from(numbers),
  wide: null,
});

t.test('equal integers have the same code, for any window size', (t) => {
  const prng = new Prng(SEED);
  for (const windowMax of [0, 1, 5_000, 2 ** 20]) {
    for (const [spread, base] of [
      [3, 0],
      [3_000, -(2 ** 52)],
      [6_000, 2 ** 53 - 6_001],
      [2 ** 40, -5],
    ]) {
      const codes = new NumberCodes('exact', UNBOUNDED.child(), windowMax);
      const known = new Map<number, number>();
      for (let batch = 0; batch < 20; batch++) {
        const numbers = Array.from({ length: 50 }, () => base + prng.below(spread));
        const coded = codes.code(vectorOf(numbers), new Uint32Array(50));
        numbers.forEach((number, row) => {
          const code = known.get(number) ?? known.size + 1;
          known.set(number, code);
          if (coded.codes[row] + coded.shift !== code)
            t.fail(`${number} is ${coded.codes[row]}, not ${code}`);
        });
      }
      t.equal(codes.bound, known.size + 1);
      const answer = fromWire(codes.values(Uint32Array.from(known.values()), UNBOUNDED));
      const found = Array.from({ length: answer.count }, (_, row) => Number(valueAt(answer, row)));
      t.strictSame(found, [...known.keys()], `window ${windowMax}, spread ${spread}`);
    }
  }
  t.end();
});

t.test('zero has the same code with either sign', (t) => {
  for (const windowMax of [0, 100]) {
    const codes = new NumberCodes('exact', UNBOUNDED.child(), windowMax);
    const coded = codes.code(vectorOf([-0, 0, 5]), new Uint32Array(3));
    t.strictSame([...coded.codes], [1, 1, 2]);
    const values = codes.values(Uint32Array.of(1), UNBOUNDED);
    t.ok(values.kind === 'exact' && Object.is(values.numbers?.[0], 0), `window ${windowMax}`);
  }
  t.end();
});

t.test('values that are far apart use a window of limited size, or none', (t) => {
  const run = new QueryRun(null, 0, 200_000);
  const codes = new NumberCodes('exact', run.child());
  codes.code(vectorOf([0, 20_000, 2 ** 52, 3]), new Uint32Array(4));
  t.equal(codes.bound, 5);
  t.ok(run.reservedBytes < 50_000, `${run.reservedBytes} bytes`);
  t.end();
});
