import t from 'tap';
import { MemoryAccount } from '../../src/base/index.js';
import { compile, type RowSource } from '../../src/expression/index.js';
import type { Expression } from '../../src/ir/index.js';
import { Texts, type TextVector, type Value, type Vector, valueAt } from '../../src/vector/index.js';
import { constant } from './generate.js';
import { BOOLEAN, INTEGER, TEXT } from './rows.js';

const CITIES = Array.from({ length: 300 }, (_, code) => `city ${code % 150 === 0 ? 'Zero' : code}`);
const CITY: Expression = { op: 'input', type: TEXT, input: 0 };
const UPPER: Expression = { op: 'call', type: TEXT, name: 'upper', args: [CITY], unit: null };

/** Rows whose input 0 has these codes; null = missing. */
function rowsOf(texts: Texts, codes: readonly (number | null)[]): RowSource {
  const vector: Vector = {
    kind: 'text',
    count: codes.length,
    valid: codes.includes(null) ? Uint8Array.from(codes, (code) => (code === null ? 0 : 1)) : null,
    codes: Uint32Array.from(codes, (code) => code ?? 0),
    texts,
  };
  return { count: codes.length, input: () => vector };
}

const valuesOf = (vector: Vector): Value[] =>
  Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));
const textsOf = (vector: Vector): Texts => (vector as TextVector).texts;

t.test('dictionary texts are computed into one list after as many rows as there are texts', async (t) => {
  const texts = Texts.ofStrings([...CITIES]);
  const evaluate = compile(UPPER);
  const codes = Array.from({ length: 100 }, (_, row) => (row === 50 ? null : (row * 37) % 300));
  const expected = codes.map((code) => (code === null ? null : CITIES[code].toUpperCase()));
  const batches = Array.from({ length: 5 }, () => evaluate(rowsOf(texts, codes)));
  for (const vector of batches) t.strictSame(valuesOf(vector), expected);
  t.not(textsOf(batches[0]), textsOf(batches[1]), 'row by row at first');
  t.equal(textsOf(batches[2]), textsOf(batches[4]));
  t.ok(textsOf(batches[4]).distinct && textsOf(batches[4]).size === new Set(CITIES).size, 'each text once');
  const others = Texts.ofStrings(['x', 'y']);
  t.strictSame(
    valuesOf(evaluate(rowsOf(others, [1, 0, 1]))),
    ['Y', 'X', 'Y'],
    'another dictionary next to it',
  );
});

t.test(
  'dictionary texts are computed after fewer rows of a scan that reads as many rows as there are texts',
  async (t) => {
    const texts = Texts.ofStrings([...CITIES]);
    const codes = Array.from({ length: CITIES.length / 4 }, (_, row) => (row === 9 ? null : row * 4));
    const expected = codes.map((code) => (code === null ? null : CITIES[code].toUpperCase()));
    const sizeOf = (rowCount: number, scannedRows: number): number => {
      const found = compile(UPPER)({ ...rowsOf(texts, codes.slice(0, rowCount)), scannedRows });
      t.strictSame(valuesOf(found), expected.slice(0, rowCount));
      return textsOf(found).size;
    };
    t.equal(sizeOf(codes.length, CITIES.length), new Set(CITIES).size);
    t.equal(sizeOf(codes.length, CITIES.length - 1), codes.length, 'a scan of fewer rows');
    t.equal(sizeOf(codes.length - 1, CITIES.length * 100), codes.length - 1, 'too few rows so far');
  },
);

t.test('nodes above a cached node cache as well', async (t) => {
  const texts = Texts.ofStrings([...CITIES]);
  const padded: Expression = {
    op: 'call',
    type: TEXT,
    name: 'lpad',
    args: [UPPER, constant(INTEGER, 12n), constant(TEXT, '*')],
    unit: null,
  };
  const evaluate = compile(padded);
  const codes = Array.from({ length: 400 }, (_, row) => (row * 7) % 300);
  const [first, second] = [evaluate(rowsOf(texts, codes)), evaluate(rowsOf(texts, codes))];
  t.equal(textsOf(first), textsOf(second));
  t.strictSame(
    valuesOf(second),
    codes.map((code) => CITIES[code].toUpperCase().padStart(12, '*')),
  );
});

t.test('a text that fails refuses only rows that have it', async (t) => {
  const texts = Texts.ofStrings(['1', '2', 'no number']);
  const cast: Expression = { op: 'cast', type: INTEGER, of: CITY, lenient: false };
  const repeated: Expression = {
    op: 'call',
    type: TEXT,
    name: 'repeat',
    args: [CITY, constant(INTEGER, 300_000n)],
    unit: null,
  };
  const evaluateCast = compile(cast);
  const evaluateRepeat = compile(repeated);
  for (let round = 0; round < 3; round++) {
    t.strictSame(valuesOf(evaluateCast(rowsOf(texts, [0, 1, 0, null]))), [1n, 2n, 1n, null]);
    t.throws(() => evaluateCast(rowsOf(texts, [0, 1, 2])), {
      code: 6000,
      message: 'the text "no number" cannot be read as an integer',
    });
    t.equal(String(valuesOf(evaluateRepeat(rowsOf(texts, [0, 1, 0])))[1]).length, 300_000);
    t.throws(() => evaluateRepeat(rowsOf(texts, [2, 2, 2])), { code: 6000 });
  }
});

t.test('functions that skip missing arguments skip missing texts', async (t) => {
  const texts = Texts.ofStrings(['a', 'b']);
  const joined: Expression = {
    op: 'call',
    type: TEXT,
    name: 'concat',
    args: [CITY, constant(TEXT, '!')],
    unit: null,
  };
  const greatest: Expression = {
    op: 'call',
    type: TEXT,
    name: 'greatest',
    args: [CITY, constant(TEXT, 'aa')],
    unit: null,
  };
  for (let round = 0; round < 2; round++) {
    t.strictSame(valuesOf(compile(joined)(rowsOf(texts, [0, null, 1]))), ['a!', '!', 'b!']);
    t.strictSame(valuesOf(compile(greatest)(rowsOf(texts, [0, null, 1]))), ['aa', 'aa', 'b']);
  }
});

t.test('memory of cached results is reserved, and nothing is cached without it', async (t) => {
  const texts = Texts.ofStrings([...CITIES]);
  const codes = Array.from({ length: 600 }, (_, row) => row % 300);
  const expected = codes.map((code) => CITIES[code].toUpperCase());
  const memory = new MemoryAccount(2 ** 20, () => 'no memory');
  const evaluate = compile(UPPER, memory);
  t.strictSame(valuesOf(evaluate(rowsOf(texts, codes))), expected);
  const firstBytes = memory.reservedBytes;
  t.ok(firstBytes > 300 * 4, `${firstBytes} bytes`);
  evaluate(rowsOf(texts, codes));
  t.equal(memory.reservedBytes, firstBytes, 'once only');
  const little = new MemoryAccount(firstBytes, () => 'no memory');
  t.strictSame(valuesOf(compile(UPPER, little)(rowsOf(texts, codes))), expected);
  t.equal(little.reservedBytes, 0, 'computing the results takes more memory than they do');
  const refused = compile(UPPER, new MemoryAccount(0, () => 'no memory'));
  t.strictSame(valuesOf(refused(rowsOf(texts, codes))), expected);
});

t.test('a constant can be reused for more rows', async (t) => {
  const count = 20_001;
  const rows: RowSource = {
    count,
    input: () => ({
      kind: 'exact',
      count,
      valid: null,
      numbers: new Float64Array(count).fill(2),
      wide: null,
    }),
  };
  const sum: Expression = {
    op: 'arithmetic',
    type: INTEGER,
    operator: '+',
    left: { op: 'input', type: INTEGER, input: 0 },
    right: constant(INTEGER, 5n),
  };
  const holds: Expression = {
    op: 'compare',
    type: BOOLEAN,
    comparison: '=',
    left: sum,
    right: constant(INTEGER, 7n),
  };
  const evaluate = compile(holds);
  for (const size of [1, 9_000, count, 3]) {
    const { bits, count: found } = evaluate({
      ...rows,
      count: size,
      input: () => ({ ...rows.input(0), count: size }),
    }) as Vector & { kind: 'boolean' };
    t.equal(found, size);
    t.ok(bits.subarray(0, size).every((bit) => bit === 1));
  }
});
