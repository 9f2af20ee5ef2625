import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  fromWire,
  type SqlType,
  Texts,
  toWire,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

const SEED = 9;
const valuesOf = (vector: Vector): Value[] =>
  Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));
const sent = (vector: Vector): Vector => fromWire(structuredClone(toWire(vector)));

t.test('a vector keeps its values between threads', async (t) => {
  const lists: readonly [SqlType, readonly Value[]][] = [
    [{ type: 'integer' }, [1n, null, 3n]],
    [{ type: 'integer' }, [1n, null, 2n ** 100n]],
    [{ type: 'float' }, [1.5, null]],
    [{ type: 'boolean' }, [true, null, false]],
    [{ type: 'text' }, ['a', null, '😀', 'a']],
    [{ type: 'text' }, ['a', 'b']],
    [{ type: 'text' }, [null, null]],
    [{ type: 'text' }, []],
  ];
  for (const [type, values] of lists) t.strictSame(valuesOf(sent(vectorOf(type, values))), values);
});

t.test(`only the texts of rows are sent, each once (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const strings = Array.from({ length: 100 }, (_, code) => `text ${code}`);
  for (const texts of [
    Texts.ofStrings(strings, true),
    Texts.ofBytes(Texts.ofStrings(strings).utf8, 100, true),
  ]) {
    const codes = Uint32Array.from({ length: 40 }, () => random.below(7) * 9);
    const valid = Uint8Array.from({ length: 40 }, () => (random.chance(0.8) ? 1 : 0));
    const vector: Vector = { kind: 'text', count: 30, valid, codes, texts };
    const wire = toWire(vector);
    const received = fromWire(wire);
    t.strictSame(valuesOf(received), valuesOf(vector));
    const present = new Set(valuesOf(vector).filter((value) => value !== null));
    t.ok(received.kind === 'text' && received.texts.size === present.size && received.texts.distinct);
  }
});

t.test('hashes of texts are sent on request, in the order of the texts', async (t) => {
  const strings = ['a', 'b', 'c', 'd'];
  const { utf8 } = Texts.ofStrings(strings);
  const texts = Texts.ofBytes(utf8, 4, true, Uint32Array.of(10, 20, 30, 40));
  const text = { kind: 'text', count: 4, valid: null } as const;
  for (const [vector, hashes] of [
    [{ ...text, codes: null, texts }, [10, 20, 30, 40]],
    [{ ...text, codes: Uint32Array.of(2, 0, 2, 3), texts }, [30, 10, 40]],
    [{ ...text, codes: Uint32Array.of(2, 1, 2, 2), valid: new Uint8Array(4), texts }, [0]],
    [{ ...text, codes: null, texts: Texts.ofStrings(strings) }, null],
  ] as const) {
    const [without, received] = [fromWire(toWire(vector)), fromWire(structuredClone(toWire(vector, true)))];
    t.equal(without.kind === 'text' && without.texts.hashes, null);
    t.strictSame(received.kind === 'text' && received.texts.hashes && [...received.texts.hashes], hashes);
    t.strictSame(valuesOf(received), valuesOf(vector));
  }
});

t.test('a transferred vector shares no memory with another and is no longer than its rows', async (t) => {
  const numbers = Float64Array.of(1, 2, 3, 4);
  const wire = toWire({ kind: 'float', count: 2, valid: Uint8Array.of(1, 0, 1, 1), numbers });
  numbers[0] = 9;
  t.strictSame(wire, { kind: 'float', count: 2, valid: Uint8Array.of(1, 0), numbers: Float64Array.of(1, 2) });
});
