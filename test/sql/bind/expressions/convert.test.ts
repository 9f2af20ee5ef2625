import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { FLOAT, INTEGER } from '../../../../src/ir/index.js';
import { formatDecimal } from '../../../../src/schema/index.js';
import { constantOf } from '../../../../src/sql/bind/expressions/build.js';
import { compared } from '../../../../src/sql/bind/expressions/compare.js';
import { exactBeside } from '../../../../src/sql/bind/expressions/convert.js';
import { bindScalar } from '../../../../src/sql/bind/expressions/scalar.js';
import { DIGITS_MAX, type SqlType, scaleOf } from '../../../../src/vector/index.js';
import { expressionText } from '../../../support/expression-text.js';
import { column, compare, negative, number, oneOf, testScope } from '../../../support/sql/sql-nodes.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const POSITION = { line: 1, column: 1 };

t.test(
  'a float next to exact numbers becomes the number of its shortest digits, or stays a float',
  async (t) => {
    const prng = new Prng(SEED);
    const scales = [0, 2, 7, 18, 38];
    const wrong: string[] = [];
    for (let round = 0; round < 3000; round++) {
      const digits = prng.between(1, 17);
      const magnitude = Number(
        `${prng.between(1, 9)}.${prng.between(0, 10 ** (digits - 1))}e${prng.between(-45, 45)}`,
      );
      const value = prng.chance(0.5) ? magnitude : -magnitude;
      const scale = prng.pick(scales);
      const type: SqlType = scale === 0 ? INTEGER : { type: 'decimal', scale };
      const made = exactBeside(constantOf(FLOAT, value), type);
      const [mantissa, exponent = '0'] = String(value).split('e');
      const places = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent);
      const wholeDigits = Math.max(Math.floor(Math.log10(Math.abs(value))) + 1, 0);
      const isTooLong = places > DIGITS_MAX || wholeDigits + Math.max(places, scale) >= DIGITS_MAX;
      const { value: units } = made;
      if (typeof units !== 'bigint') {
        if (units !== value || !isTooLong) wrong.push(`${value} with ${scale} places stayed ${units}`);
        continue;
      }
      const text = formatDecimal(units, scaleOf(made.type));
      const digitCount = text.replace(/\D/g, '').replace(/^0+/, '').length;
      if (Number(text) !== value || digitCount > DIGITS_MAX) wrong.push(`${value} became ${text}`);
    }
    t.strictSame(wrong, []);
  },
);

t.test('other values stay unchanged', async (t) => {
  for (const type of [FLOAT, { type: 'text' }, { type: 'date' }] as const) {
    const float = constantOf(FLOAT, 1.5);
    t.equal(exactBeside(float, type), float);
  }
  const exact = constantOf({ type: 'decimal', scale: 3 }, 1500n);
  t.equal(exactBeside(exact, INTEGER), exact);
});

t.test('comparisons, lists and NULLIF keep every digit of the column next to a float', async (t) => {
  const [age, salary, ratio] = ['age', 'salary', 'ratio'].map(column);
  const text = (node: Parameters<typeof bindScalar>[0]): string =>
    expressionText(bindScalar(node, testScope));
  const wide = number('9.007199254740993e15');
  t.equal(text(compare(age, '=', wide)), '(= #0:integer 9007199254740992:integer)');
  t.equal(text(compare(negative(wide), '<', age)), '(> #0:integer -9007199254740992:integer)');
  t.equal(text(compare(salary, '>=', number('5e-3'))), '(> #1:decimal(2) 0:decimal(2))');
  t.equal(
    text(oneOf(age, [wide, number('5e-1'), number('9223372036854775807')])),
    '(in #0:integer [9007199254740992 9223372036854775807])',
  );
  t.equal(text(compare(ratio, '=', number('1e0'))), '(= #2:float 1:float)');
  t.equal(text(compare(salary, '<', number('1e300'))), '(< (cast #1:decimal(2)):float 1e+300:float)');
  const bound = compared('=', bindScalar(age, testScope), constantOf(FLOAT, 3), POSITION, testScope);
  t.equal(expressionText(bound), '(= #0:integer 3:integer)');
});
