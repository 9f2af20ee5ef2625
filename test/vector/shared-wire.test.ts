/** Vectors in shared memory have the same values as before. */
import t from 'tap';
import {
  fromWire,
  type SqlType,
  sharedWires,
  toWire,
  type Value,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

const COLUMNS: readonly (readonly [SqlType, readonly Value[]])[] = [
  [{ type: 'integer' }, [1n, null, -3n]],
  [{ type: 'integer' }, [1n << 70n, null, 5n]],
  [{ type: 'float' }, [0.5, null, -2]],
  [{ type: 'boolean' }, [true, null, false]],
  [{ type: 'text' }, ['a', null, 'ßé']],
  [{ type: 'text' }, ['', '', '']],
];

t.test('vectors of every kind keep their values, and their arrays are in one block of memory', async (t) => {
  const wires = sharedWires(COLUMNS.map(([type, values]) => toWire(vectorOf(type, values))));
  const buffers = new Set<ArrayBufferLike>();
  wires.forEach((wire, index) => {
    const [, values] = COLUMNS[index];
    const vector = fromWire(wire);
    t.strictSame(
      values.map((_, row) => valueAt(vector, row)),
      values,
    );
    for (const value of Object.values(wire)) if (ArrayBuffer.isView(value)) buffers.add(value.buffer);
  });
  t.equal(buffers.size, 1);
  t.ok([...buffers][0] instanceof SharedArrayBuffer);
  t.strictSame(sharedWires([]), []);
});
