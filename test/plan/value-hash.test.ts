import t from 'tap';
import { hashBytes } from '../../src/base/index.js';
import { equalityOf, hashValues, orderOf } from '../../src/plan/value-hash.js';
import { keyOf, listOf, type Plain, type PlainKind } from './values.js';

function hashesOf(kind: PlainKind, values: readonly Plain[]): number[] {
  const hashes = new Uint32Array(values.length);
  hashValues(listOf(kind, values), hashes, 0, hashes.length);
  return [...hashes];
}

const VALUES: Readonly<Record<PlainKind, readonly Plain[]>> = {
  text: ['', 'a', 'b', 'abcd', 'abce', 'abcdefg', 'abcdefh', 'xbcdefg', 'abcdefgh', 'ä', 'abcd'],
  i64: [0n, 1n, -1n, 2n ** 32n, 2n ** 32n + 1n, -(2n ** 63n), 2n ** 63n - 1n, 1n],
  geo: [
    [0, 0],
    [0, -0],
    [-0, 0],
    [1, 0],
    [0, 1],
    [1.5, -7.25],
    [1.5, -7.250_000_000_000_001],
  ],
};

for (const kind of ['text', 'i64', 'geo'] as const) {
  t.test(
    `equal values of ${kind} are equal, compare as 0 and have the same hash; others do not`,
    async (t) => {
      const values = VALUES[kind];
      const isSame = equalityOf(listOf(kind, values));
      const order = orderOf(listOf(kind, values));
      const hashes = hashesOf(kind, values);
      const wrong: string[] = [];
      values.forEach((a, left) => {
        values.forEach((b, right) => {
          const same = keyOf(a) === keyOf(b);
          if ((order(left, right) === 0) !== same) wrong.push(`order of ${keyOf(a)} ${keyOf(b)}`);
          if (Math.sign(order(left, right)) + Math.sign(order(right, left)) !== 0) wrong.push('both ways');
          if (isSame(left, right) !== same) wrong.push(`${keyOf(a)} ${keyOf(b)}`);
          if ((hashes[left] === hashes[right]) !== same) wrong.push(`hashes of ${keyOf(a)} ${keyOf(b)}`);
        });
      });
      t.strictSame(wrong, []);
    },
  );
}

t.test("a hash is that of the value's bytes", async (t) => {
  const bytes = new Uint8Array(BigInt64Array.of(-5n).buffer);
  t.strictSame(hashesOf('i64', [-5n]), [hashBytes(bytes, 0, 8)]);
  const point = new Uint8Array(Float64Array.of(2.5, -3).buffer);
  t.strictSame(hashesOf('geo', [[2.5, -3]]), [hashBytes(point, 0, 16)]);
});

t.test('texts are compared within a larger buffer', async (t) => {
  const buffer = Uint8Array.from(Buffer.from('??abcdeabcde'));
  const isSame = equalityOf({
    kind: 'text',
    offsets: Uint32Array.of(0, 5, 10),
    bytes: buffer.subarray(2),
  });
  t.equal(isSame(0, 1), true);
});

t.test('the order of values does not depend on the direction of comparison', async (t) => {
  for (const kind of ['text', 'i64', 'geo'] as const) {
    const values = VALUES[kind];
    const order = orderOf(listOf(kind, values));
    const positions = [...values.keys()].sort(order);
    const wrong = positions.flatMap((a, index) => positions.slice(index).filter((b) => order(a, b) > 0));
    t.strictSame(wrong, [], kind);
  }
});

t.test('only requested values are hashed', async (t) => {
  const hashes = new Uint32Array(4).fill(7);
  hashValues(listOf('i64', [1n, 2n, 3n, 4n]), hashes, 1, 3);
  const all = hashesOf('i64', [1n, 2n, 3n, 4n]);
  t.strictSame([...hashes], [7, all[1], all[2], 7]);
});
