import t from 'tap';
import { MemoryAccount, Prng, runToEnd } from '../../src/base/index.js';
import {
  groupBlock,
  hashKeys,
  hashRows,
  type SqlType,
  toWire,
  type Value,
  vectorOf,
} from '../../src/vector/index.js';

const SEED = 77;
const COUNT = 400;
const NUMBERS = [-4_097, -4_096, -1, 0, 1, 4_095, 4_096, 2 ** 31, 2 ** 40] as const;

const generators: readonly (readonly [SqlType, (random: Prng) => Value])[] = [
  [{ type: 'integer' }, (random) => BigInt(random.pick(NUMBERS) + random.below(3))],
  [
    { type: 'integer' },
    (random) => random.pick([2n ** 62n, -(2n ** 63n), 2n ** 53n]) + BigInt(random.below(3)),
  ],
  [{ type: 'integer' }, (random) => random.pick([2n ** 100n, -(2n ** 99n), 5n])],
  [{ type: 'date' }, (random) => BigInt(random.between(-5_000, 5_000))],
  [{ type: 'float' }, (random) => random.pick([-0, 0, 1.5, 4_096, -1e300])],
  [{ type: 'boolean' }, (random) => random.chance(0.5)],
  [{ type: 'text' }, (random) => random.pick(['', 'a', 'ü😀', 'some longer text'])],
];

t.test(`rows in memory and rows that are spilled have the same hashes (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const columns = generators.map(([type, value]) =>
    vectorOf(
      type,
      Array.from({ length: COUNT }, () => (random.chance(0.1) ? null : value(random))),
    ),
  );
  const lists = [...columns.map((column) => [column]), columns, [columns[0], columns[6]]];
  for (const keys of lists) {
    const memory = new MemoryAccount(Number.POSITIVE_INFINITY, () => '');
    const inMemory = runToEnd(
      hashKeys(
        keys.map((key) => toWire(key)),
        COUNT,
        memory,
      ),
    );
    const spilled = new Uint32Array(COUNT);
    hashRows(keys, COUNT, spilled, groupBlock(keys.length));
    t.strictSame(spilled, inMemory, keys.map(({ kind }) => kind).join());
  }
});

t.test('equal numbers of different types have equal hashes', async (t) => {
  const numbers = [0, 1, -1, 4_096, 2 ** 40];
  const [integers, floats] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length)];
  hashRows([vectorOf({ type: 'integer' }, numbers.map(BigInt))], numbers.length, integers, 1);
  hashRows([vectorOf({ type: 'float' }, numbers)], numbers.length, floats, 1);
  t.strictSame(integers, floats);
});
