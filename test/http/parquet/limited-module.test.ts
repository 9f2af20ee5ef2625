import t from 'tap';
import { PAGE_BYTES, withMemoryLimit } from '../../../src/http/parquet/limited-module.js';

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** One memory of one page without a limit. */
const MEMORY = [5, 3, 1, 0, 1];
/** Exports it as m. */
const EXPORT = [7, 5, 1, 1, 0x6d, 2, 0];

t.test('the memory of a module grows to its limit and no further', async (t) => {
  for (const pagesMax of [1, 2, 127, 128, 300, 20_000]) {
    const code = withMemoryLimit(Uint8Array.from([...HEADER, ...MEMORY, ...EXPORT]), pagesMax);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
    const memory = exports.m as WebAssembly.Memory;
    t.equal(memory.buffer.byteLength, PAGE_BYTES);
    memory.grow(pagesMax - 1);
    t.equal(memory.buffer.byteLength, pagesMax * PAGE_BYTES);
    t.throws(() => memory.grow(1), RangeError);
  }
});

t.test('a module without one memory that fits is refused', async (t) => {
  t.throws(() => withMemoryLimit(Uint8Array.from(HEADER), 9), { message: 'the module has no memory' });
  t.throws(() => withMemoryLimit(Uint8Array.from([...HEADER, ...MEMORY]), 0), {
    message: 'the module needs 1 pages of memory, not 0',
  });
  t.throws(() => withMemoryLimit(Uint8Array.from([...HEADER, 5, 1, 0]), 9), {
    message: 'the module has 0 memories',
  });
});
