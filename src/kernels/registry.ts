/**
 * Selects the kernels of an arena: SIMD if a compiled module is given, otherwise the JS twins.
 * Invariants: one instance per arena, which never grows; the first ARENA_RESERVED_BYTES of every arena belong to its kernels
 * (static data at the bottom, scratch at the top), so offset 0 is never a buffer.
 */
import { invariant } from '../base/index.js';
import { geoRadiusOver, RADIUS_SCRATCH_BYTES } from './geo-radius.js';
import { twinsOver } from './js/twins.js';
import type { Kernels } from './kernels.js';

/** Bytes at the start of every arena that are reserved for its kernels. */
export const ARENA_RESERVED_BYTES = 65_536;

const SCRATCH_AT = ARENA_RESERVED_BYTES - RADIUS_SCRATCH_BYTES;

/**
 * Compiles kernels.wasm; call once per thread. Throws WebAssembly.CompileError if the bytes are not WebAssembly or SIMD is not
 * supported.
 */
export function compileKernels(wasmBytes: Uint8Array): WebAssembly.Module {
  return new WebAssembly.Module(wasmBytes);
}

/** Returns the kernels over one arena. `module` null: the JS twins. */
export function kernelsFor(memory: WebAssembly.Memory, module: WebAssembly.Module | null): Kernels {
  const buffer = memory.buffer;
  invariant(buffer.byteLength >= ARENA_RESERVED_BYTES, 'an arena has at least its reserved bytes');
  const base = module === null ? twinsOver(buffer) : simdOver(memory, module);
  return { ...base, geoRadius: geoRadiusOver(buffer, base, SCRATCH_AT) };
}

/** The module's exports: the kernels, and the parser of insert bodies, which needs a memory of its own. */
type Exported = Omit<Kernels, 'geoRadius' | 'name'> & {
  readonly walkInsert: (state: number, nowSeconds: number) => number;
};

export function instanceOver(memory: WebAssembly.Memory, module: WebAssembly.Module): Exported {
  // The exports are generated from wasm/*.ts; the registry test compares their names with the contract.
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exported;
}

function simdOver(memory: WebAssembly.Memory, module: WebAssembly.Module): Omit<Kernels, 'geoRadius'> {
  const { walkInsert: _, ...kernels } = instanceOver(memory, module);
  return { ...kernels, name: 'simd' };
}
