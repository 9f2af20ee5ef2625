import t from 'tap';
import { compileKernels, kernelsFor } from '../../src/kernels/index.js';
import { wasmBytes } from './twin-arena.js';

const memoryOf = (pages: number) => new WebAssembly.Memory({ initial: pages, maximum: pages });

t.test(
  'both sets offer the same kernels, and the module exports only these and the insert walk',
  async (t) => {
    const module = compileKernels(wasmBytes());
    const simd = kernelsFor(memoryOf(1), module);
    const js = kernelsFor(memoryOf(1), null);
    t.equal(simd.name, 'simd');
    t.equal(js.name, 'js');
    t.strictSame(Object.keys(simd).sort(), Object.keys(js).sort());
    const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
    const elsewhere = ['walkInsert'];
    t.strictSame([...exported, 'geoRadius', 'name'].sort(), [...Object.keys(js), ...elsewhere].sort());
  },
);

t.test('the module imports only a memory, and writes nothing into it', async (t) => {
  const module = compileKernels(wasmBytes());
  t.strictSame(
    WebAssembly.Module.imports(module).map(({ module, name, kind }) => `${module}.${name} ${kind}`),
    ['env.memory memory'],
  );
  const memory = memoryOf(2);
  new Uint8Array(memory.buffer).fill(7);
  kernelsFor(memory, module);
  t.ok(
    new Uint8Array(memory.buffer).every((byte) => byte === 7),
    'untouched',
  );
});

t.test('kernels of one arena leave another arena alone', async (t) => {
  const module = compileKernels(wasmBytes());
  for (const set of [module, null]) {
    const [one, two] = [memoryOf(2), memoryOf(2)];
    kernelsFor(one, set).fill(256, 65_536);
    kernelsFor(two, set);
    t.equal(new Uint8Array(one.buffer)[65_536], 255);
    t.equal(new Uint8Array(two.buffer)[65_536], 0);
  }
});

t.test('bytes that are not a module, and an arena smaller than its reserve, are refused', async (t) => {
  t.throws(() => compileKernels(new Uint8Array([1, 2, 3])), { name: 'CompileError' });
  t.throws(() => kernelsFor(memoryOf(0), null), { name: 'InvariantError' });
});
