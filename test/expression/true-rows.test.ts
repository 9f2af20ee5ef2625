import t from 'tap';
import { InvariantError } from '../../src/base/index.js';
import { trueRows } from '../../src/expression/index.js';
import { vectorOf } from '../../src/vector/index.js';

t.test('true rows are neither false nor missing', async (t) => {
  const values = [true, false, null, true, null, true];
  t.strictSame([...trueRows(vectorOf({ type: 'boolean' }, values))], [0, 3, 5]);
  t.strictSame([...trueRows(vectorOf({ type: 'boolean' }, [true, false, true]))], [0, 2]);
  t.strictSame([...trueRows(vectorOf({ type: 'boolean' }, []))], []);
  const longer = {
    kind: 'boolean',
    count: 2,
    valid: Uint8Array.of(1, 0, 1),
    bits: Uint8Array.of(1, 1, 1),
  } as const;
  t.strictSame([...trueRows(longer)], [0], 'values after the last row are ignored');
  t.throws(() => trueRows(vectorOf({ type: 'float' }, [1])), InvariantError);
});
