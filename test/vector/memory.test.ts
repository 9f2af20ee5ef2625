import t from 'tap';
import { memoryBytesOf, type SqlType, type Value, vectorOf } from '../../src/vector/index.js';

t.test('memory grows with rows and texts', async (t) => {
  const bytes = (
    type: SqlType['type'] & ('integer' | 'float' | 'boolean' | 'text'),
    values: readonly Value[],
  ): number => memoryBytesOf(vectorOf({ type }, values));
  t.equal(bytes('integer', [1n, 2n, 3n]), 24);
  t.equal(bytes('integer', [1n, null]), 18);
  t.equal(bytes('float', [1, 2]), 16);
  t.equal(bytes('boolean', [true, false, null]), 6);
  t.ok(bytes('integer', [2n ** 70n]) > 16, 'a wide value uses more memory than a number');
  t.ok(bytes('text', ['x'.repeat(1_000)]) >= 1_000);
  t.ok(bytes('text', ['a', 'b', 'c']) > bytes('text', ['a']));
});
