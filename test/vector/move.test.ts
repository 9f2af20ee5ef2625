import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  concat,
  gather,
  type SqlType,
  slice,
  Texts,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

const SEED = 71;
const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'decimal', scale: 3 },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'text' },
  { type: 'json' },
];
const TEXTS = ['', 'a', 'é', '😀', 'berlin', '\ufeff'];

function draw({ type }: SqlType, random: Prng): Value {
  if (random.chance(0.2)) return null;
  switch (type) {
    case 'float':
      return random.unit();
    case 'boolean':
      return random.chance(0.5);
    case 'text':
    case 'json':
      return random.pick(TEXTS);
    default:
      return random.chance(0.1) ? 2n ** 70n : BigInt(random.between(-9, 9));
  }
}

const valuesOf = (vector: Vector): Value[] =>
  Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));

function generated(type: SqlType, count: number, dictionary: Texts, random: Prng): Vector {
  const values = Array.from({ length: count }, () => draw(type, random));
  const vector = vectorOf(type, values);
  if (vector.kind !== 'text' || random.chance(0.3)) return vector;
  const codes = Uint32Array.from(values, (value) => (value === null ? 0 : TEXTS.indexOf(String(value))));
  return { ...vector, codes, texts: dictionary };
}

t.test(`selected, sliced and concatenated rows keep their values (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  for (let round = 0; round < 600; round++) {
    const type = TYPES[round % TYPES.length];
    const dictionaries = [
      Texts.ofStrings([...TEXTS], true),
      Texts.ofBytes(Texts.ofStrings([...TEXTS]).utf8, TEXTS.length, true),
    ];
    const parts = Array.from({ length: random.below(5) }, () =>
      generated(type, random.below(9), random.pick(dictionaries), random),
    );
    const all = parts.flatMap(valuesOf);
    const whole = concat(parts, type);
    t.strictSame(valuesOf(whole), all, 'concatenated');
    if (all.length === 0) continue;
    const rows = Uint32Array.from({ length: random.below(20) + 3 }, () => random.below(all.length));
    const picked = gather(whole, rows, rows.length - 2);
    t.strictSame(
      valuesOf(picked),
      Array.from(rows.subarray(0, rows.length - 2), (row) => all[row]),
      'picked',
    );
    const from = random.below(all.length);
    const to = random.between(from, all.length);
    t.strictSame(valuesOf(slice(whole, from, to)), all.slice(from, to), 'sliced');
    t.strictSame(
      valuesOf(slice(picked, 1, picked.count)),
      valuesOf(picked).slice(1),
      'sliced after a selection',
    );
  }
});

t.test('vectors that share a list of texts keep it', async (t) => {
  const texts = Texts.ofStrings(['a', 'b'], true);
  const one: Vector = { kind: 'text', count: 2, valid: null, codes: Uint32Array.of(1, 0), texts };
  const other: Vector = { kind: 'text', count: 2, valid: null, codes: null, texts };
  const whole = concat([one, other], { type: 'text' });
  t.ok(whole.kind === 'text' && whole.texts === texts);
  t.strictSame(valuesOf(whole), ['b', 'a', 'a', 'b']);
  const picked = gather(whole, Uint32Array.of(3, 0), 2);
  t.ok(picked.kind === 'text' && picked.texts === texts);
  const part = slice(whole, 1, 3);
  t.ok(part.kind === 'text' && part.texts === texts);
});

t.test('from several lists of texts, only the texts of rows are copied', async (t) => {
  const one: Vector = {
    kind: 'text',
    count: 1,
    valid: null,
    codes: Uint32Array.of(1),
    texts: Texts.ofStrings(['unused', 'b']),
  };
  const other: Vector = {
    kind: 'text',
    count: 2,
    valid: Uint8Array.of(1, 0),
    codes: Uint32Array.of(0, 1),
    texts: Texts.ofStrings(['c', 'unused']),
  };
  const whole = concat([one, other], { type: 'text' });
  t.ok(whole.kind === 'text' && whole.texts.size === 2);
  t.strictSame(valuesOf(whole), ['b', 'c', null]);
});
