/** p-values of the test of two proportions, compared with values computed to 30 digits elsewhere. */
import t from 'tap';
import { erfc, proportionsPValue } from '../../../src/api/behaviour/proportions.js';

const isNear = (found: number, expected: number): boolean =>
  Math.abs(found - expected) <= 1e-12 * Math.abs(expected) + 1e-300;

t.test('the complementary error function is exact to twelve digits', (t) => {
  for (const [x, expected] of [
    [0, 1],
    [0.1, 0.8875370839817152],
    [0.5, 0.4795001221869535],
    [1, 0.15729920705028513],
    [2, 0.004677734981047266],
    [2.4, 0.0006885138966450786],
    [3, 2.209049699858544e-5],
    [5, 1.5374597944280349e-12],
    [10, 2.088487583762545e-45],
    [26, 5.663192408856143e-296],
  ]) {
    t.ok(isNear(erfc(x), expected), `erfc(${x}) = ${erfc(x)}, not ${expected}`);
  }
  t.end();
});

t.test('shares are compared', (t) => {
  // z = (0.75 - 0.25) / sqrt(0.5 * 0.5 * (1/40 + 1/40)) = 4.472..., erfc(sqrt(10)).
  t.ok(isNear(proportionsPValue([30, 10], [40, 40]) ?? 0, 7.744216431044074e-6));
  t.equal(proportionsPValue([5, 10], [5, 10]), 1, 'all entities have the value');
  t.equal(proportionsPValue([0, 3], [0, 10]), null, 'a segment is empty');
  t.ok(isNear(proportionsPValue([2, 4], [10, 20]) ?? 0, 1));
  t.end();
});
