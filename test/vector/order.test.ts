import t from 'tap';
import {
  compareRows,
  type SqlType,
  Texts,
  type Value,
  type Vector,
  vectorOf,
} from '../../src/vector/index.js';

const SAFE = 2n ** 53n - 1n;

/** Values of a type in ascending order. */
const RISING: readonly { readonly type: SqlType; readonly values: readonly Value[] }[] = [
  {
    type: { type: 'integer' },
    values: [
      -(10n ** 37n),
      -SAFE - 2n,
      -SAFE - 1n,
      -SAFE,
      -1n,
      0n,
      1n,
      SAFE,
      SAFE + 1n,
      SAFE + 2n,
      10n ** 37n,
    ],
  },
  { type: { type: 'integer' }, values: [-SAFE, -1n, 0n, 7n, SAFE] },
  { type: { type: 'float' }, values: [-1e300, -1.5, 0, 5e-324, 1.5, 1e300] },
  { type: { type: 'boolean' }, values: [false, true] },
  // By code points: U+FFEE precedes all supplementary characters, although its code unit is greater.
  {
    type: { type: 'text' },
    values: ['', 'A', 'a', 'a ', 'aa', 'b', 'é', '日本', '\uffee', '😀', '\u{10ffff}'],
  },
];

t.test('rows compare like their values in every layout', async (t) => {
  for (const { type, values } of RISING) {
    const forms = formsOf(type, values);
    for (const [a, b] of forms.flatMap((a) => forms.map((b) => [a, b] as const))) {
      values.forEach((_, i) => {
        values.forEach((_, j) => {
          t.equal(
            Math.sign(compareRows(a, i, b, j)),
            Math.sign(i - j),
            `${String(values[i])} and ${String(values[j])}`,
          );
        });
      });
    }
  }
});

/** The same rows in different vector forms. */
function formsOf(type: SqlType, values: readonly Value[]): Vector[] {
  const vector = vectorOf(type, values);
  if (vector.kind === 'exact')
    return [vector, { ...vector, numbers: null, wide: values.map((value) => BigInt(value as bigint)) }];
  if (vector.kind !== 'text') return [vector];
  const bytes = Texts.ofBytes(vector.texts.utf8, vector.count, true);
  return [
    vectorOf(type, values),
    vector,
    { ...vector, texts: bytes },
    { ...vector, codes: Uint32Array.from(values.keys()), texts: bytes },
  ];
}
