/**
 * Picks the kernels of an arena: SIMD when a compiled module is given, otherwise the JS twins.
 * Invariants: one instance per arena, which never grows; the first ARENA_RESERVED_BYTES of every arena belong to
 * its kernels (static data from the bottom, scratch at the top of them), so offset 0 is never a buffer.
 */
import { invariant } from '../base/index.js';
import { geoRadiusOver, RADIUS_SCRATCH_BYTES } from './geo-radius.js';
import { twinsOver } from './js/twins.js';
import type { Kernels } from './kernels.js';

/** Bytes at the start of every arena that only its kernels use. */
export const ARENA_RESERVED_BYTES = 65_536;

const SCRATCH_AT = ARENA_RESERVED_BYTES - RADIUS_SCRATCH_BYTES;

/** Compiles kernels.wasm; once per thread. Throws WebAssembly.CompileError when the bytes are none or lack SIMD. */
export function compileKernels(wasmBytes: Uint8Array): WebAssembly.Module {
  return new WebAssembly.Module(wasmBytes);
}

/** The kernels over one arena. `module` null: the JS twins. */
export function kernelsFor(memory: WebAssembly.Memory, module: WebAssembly.Module | null): Kernels {
  const buffer = memory.buffer;
  invariant(buffer.byteLength >= ARENA_RESERVED_BYTES, 'an arena holds at least its reserved bytes');
  const base = module === null ? twinsOver(buffer) : simdOver(memory, module);
  return { ...base, geoRadius: geoRadiusOver(buffer, base, SCRATCH_AT) };
}

/** What the module exports: the kernels, and the walk over insert bodies, which needs a memory of its own. */
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
