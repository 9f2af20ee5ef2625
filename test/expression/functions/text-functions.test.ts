import t from 'tap';
import { compile } from '../../../src/expression/index.js';
import type { Expression, ScalarFunction } from '../../../src/ir/index.js';
import { type SqlType, type Value, type Vector, valueAt, vectorOf } from '../../../src/vector/index.js';
import { constant } from '../generate.js';
import { INTEGER, TEXT } from '../rows.js';

const input = (index: number, type: SqlType): Expression => ({ op: 'input', type, input: index });
const call = (name: ScalarFunction, ...args: readonly Expression[]): Expression => ({
  op: 'call',
  type: TEXT,
  name,
  args,
  unit: null,
});

function evaluated(
  expression: Expression,
  ...columns: readonly (readonly [SqlType, readonly Value[]])[]
): Value[] {
  const vectors: Vector[] = columns.map(([type, values]) => vectorOf(type, values));
  const found = compile(expression)({ count: vectors[0].count, input: (index) => vectors[index] });
  return Array.from({ length: found.count }, (_, row) => valueAt(found, row));
}

const TOO_LONG = { code: 6000, message: 'a text has more than 1,000,000 characters' };
const TOO_MUCH = {
  code: 6000,
  message: 'the texts that a function produces for one vector have together more than 33,554,432 characters',
};
const LONG = 'x'.repeat(1_000);

t.test('a text of more than a million characters is refused in every function', async (t) => {
  const [text, count] = [input(0, TEXT), input(1, INTEGER)];
  for (const times of [1_001n, 10n ** 12n, 10n ** 37n]) {
    t.throws(
      () => evaluated(call('repeat', text, count), [TEXT, [LONG]], [INTEGER, [times]]),
      TOO_LONG,
      `repeated ${times} times`,
    );
  }
  for (const name of ['lpad', 'rpad'] as const) {
    for (const length of [1_000_001n, 10n ** 30n]) {
      t.throws(
        () => evaluated(call(name, text, count), [TEXT, ['a']], [INTEGER, [length]]),
        TOO_LONG,
        `${name} to ${length}`,
      );
    }
  }
  const million = call('repeat', text, constant(INTEGER, 1_000n));
  const longest = evaluated(million, [TEXT, [LONG]]);
  t.equal(String(longest[0]).length, 1_000_000);
  const joined = [call('concat', million, text), call('concat-strict', text, million)];
  const replaced = call('replace', million, constant(TEXT, 'x'), million);
  for (const expression of [...joined, replaced])
    t.throws(() => evaluated(expression, [TEXT, [LONG]]), TOO_LONG);
  t.strictSame(evaluated(call('replace', million, constant(TEXT, 'x'), constant(TEXT, '')), [TEXT, [LONG]]), [
    '',
  ]);
});

t.test('texts of one vector that exceed the total length are refused', async (t) => {
  const rows = Array.from({ length: 100 }, (_, row) => String.fromCharCode(0x100 + row).repeat(1_000));
  t.throws(() => evaluated(call('repeat', input(0, TEXT), constant(INTEGER, 900n)), [TEXT, rows]), TOO_MUCH);
  t.equal(evaluated(call('repeat', input(0, TEXT), constant(INTEGER, 100n)), [TEXT, rows]).length, 100);
});

t.test('counts beyond the length of a text are valid', async (t) => {
  const [text, count] = [input(0, TEXT), input(1, INTEGER)];
  const columns: [SqlType, readonly Value[]][] = [
    [TEXT, ['añ😀', 'añ😀', 'añ😀', 'añ😀']],
    [INTEGER, [10n ** 30n, -(10n ** 30n), 2n, -2n]],
  ];
  t.strictSame(evaluated(call('left', text, count), ...columns), ['añ😀', '', 'añ', 'a']);
  t.strictSame(evaluated(call('right', text, count), ...columns), ['añ😀', '', 'ñ😀', '😀']);
  t.strictSame(evaluated(call('substring', text, count), ...columns), ['', 'añ😀', 'ñ😀', 'ñ😀']);
  t.strictSame(evaluated(call('substring', text, constant(INTEGER, 1n), count), ...columns), [
    'añ😀',
    '',
    'añ',
    '',
  ]);
  t.strictSame(
    evaluated(call('lpad', text, constant(INTEGER, 5n), constant(TEXT, '')), ...columns),
    Array(4).fill('añ😀'),
  );
});

t.test('upper-casing maps single code points to single code points', async (t) => {
  t.strictSame(evaluated(call('upper', input(0, TEXT)), [TEXT, ['straße', 'ŉ', 'ÿ', 'ǆ', '𐐨', 'ﬁ']]), [
    'STRAßE',
    'ŉ',
    'Ÿ',
    'Ǆ',
    '𐐀',
    'ﬁ',
  ]);
  t.strictSame(evaluated(call('lower', input(0, TEXT)), [TEXT, ['ΣΑΣ', 'İ', '𐐀']]), ['σασ', 'i', '𐐨']);
});
