/**
 * An arena for kernel tests: places inputs at 8-aligned offsets between guard bytes, fills all bytes that a kernel may
 * read but must ignore with noise, and runs every set of kernels on the same bytes.
 */
import fs from 'node:fs';
import type { Prng } from '../../src/base/index.js';
import {
  ARENA_RESERVED_BYTES,
  bitmapBytes,
  compileKernels,
  type Kernels,
  kernelsFor,
} from '../../src/kernels/index.js';

export const wasmBytes = (): Uint8Array =>
  fs.readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url));

/** Values around every boundary of a byte, a word and a 128-row group. */
export const ROW_COUNTS = [
  0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 1000,
];

const GUARD_BYTES = 40;

export class TwinArena {
  readonly sets: readonly Kernels[];
  readonly memory: WebAssembly.Memory;
  readonly #prng: Prng;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  #top: number;

  constructor(prng: Prng, pages = 64, start = ARENA_RESERVED_BYTES) {
    this.#prng = prng;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#start = start;
    this.#top = start;
    const module = compileKernels(wasmBytes());
    this.sets = [kernelsFor(this.memory, module), kernelsFor(this.memory, null)];
  }

  /** Discards all placed inputs. */
  reset(): void {
    this.#top = this.#start;
  }

  /** Allocates byteCount bytes of noise. The offset is 8-aligned and often not 16-aligned. */
  take(byteCount: number): number {
    const at = Math.ceil((this.#top + GUARD_BYTES) / 8) * 8;
    this.#top = at + byteCount + GUARD_BYTES;
    if (this.#top > this.#bytes.length) throw new Error('test arena too small');
    for (let i = at - GUARD_BYTES; i < this.#top; i++) this.#bytes[i] = this.#prng.u32();
    return at;
  }

  /** Places a bitmap. Its bits from bits.length on are noise. */
  bitmap(bits: readonly boolean[]): number {
    const at = this.take(bitmapBytes(bits.length));
    bits.forEach((bit, row) => {
      const mask = 1 << (row & 7);
      if (bit) this.#bytes[at + (row >> 3)] |= mask;
      else this.#bytes[at + (row >> 3)] &= ~mask;
    });
    return at;
  }

  /** Places `perRow` numbers per row. The rest of the last 128-row group is noise. */
  values(
    kind: 'u8' | 'u16' | 'u32' | 'i8' | 'i16' | 'i32' | 'i64' | 'f64',
    rows: readonly (number | bigint)[],
    perRow = 1,
  ): number {
    const bytesEach = { u8: 1, u16: 2, u32: 4, i8: 1, i16: 2, i32: 4, i64: 8, f64: 8 }[kind];
    const at = this.take(bitmapBytes(rows.length / perRow) * 8 * bytesEach * perRow);
    const view = new DataView(this.memory.buffer);
    rows.forEach((value, i) => {
      const to = at + i * bytesEach;
      if (kind === 'i64') view.setBigInt64(to, value as bigint, true);
      else if (kind === 'f64') view.setFloat64(to, value as number, true);
      else if (kind === 'i8') view.setInt8(to, value as number);
      else if (kind === 'i16') view.setInt16(to, value as number, true);
      else if (kind === 'u8') view.setUint8(to, value as number);
      else if (kind === 'u16') view.setUint16(to, value as number, true);
      else view.setUint32(to, (value as number) >>> 0, true);
    });
    return at;
  }

  /**
   * Runs every set on the same bytes. Returns the first difference from `expected` in bits, trailing zeros, count or
   * bytes written outside the out bitmap; null if there is no difference.
   */
  filterMismatch(
    expected: readonly boolean[],
    out: number,
    run: (kernels: Kernels) => number,
  ): string | null {
    const want = new Uint8Array(bitmapBytes(expected.length));
    let expectedCount = 0;
    expected.forEach((bit, row) => {
      if (!bit) return;
      want[row >> 3] |= 1 << (row & 7);
      expectedCount++;
    });
    return this.bytesMismatch(want, expectedCount, out, run);
  }

  /** Like filterMismatch, for a kernel that writes arbitrary bytes. */
  bytesMismatch(
    want: Uint8Array,
    expectedCount: number,
    out: number,
    run: (kernels: Kernels) => number,
  ): string | null {
    const before = this.#bytes.slice(this.#start, this.#top);
    const after = before.slice();
    after.set(want, out - this.#start);
    for (const kernels of this.sets) {
      const count = run(kernels);
      const got = this.#bytes.slice(this.#start, this.#top);
      this.#bytes.set(before, this.#start);
      if (count !== expectedCount) return `${kernels.name}: count ${count}, expected ${expectedCount}`;
      const byte = got.findIndex((value, i) => value !== after[i]);
      if (byte >= 0) {
        const index = this.#start + byte - out;
        return `${kernels.name}: byte ${index} of out is ${got[byte]}, expected ${after[byte]}`;
      }
    }
    return null;
  }
}

/** Every kind of validity: absent (null), full, empty, alternating, random, sparse. */
export function validities(prng: Prng, n: number): (boolean[] | null)[] {
  const bits = (of: (row: number) => boolean) => Array.from({ length: n }, (_, row) => of(row));
  return [
    null,
    bits(() => true),
    bits(() => false),
    bits((row) => row % 2 === 0),
    bits(() => prng.chance(0.5)),
    bits(() => prng.chance(0.02)),
  ];
}

export const INTEGER_KINDS = ['i8', 'i16', 'i32', 'i64'] as const;
export type IntegerKind = (typeof INTEGER_KINDS)[number];

/** A limit of the kind's range or a neighbour of it, a value around the middle of its bits, or any other value. */
export function integer(prng: Prng, kind: IntegerKind): bigint {
  const bits = { i8: 8, i16: 16, i32: 32, i64: 64 }[kind];
  const top = 1n << BigInt(bits - 1);
  if (prng.chance(0.3)) return prng.pick([-top, 1n - top, -1n, 0n, 1n, top - 2n, top - 1n]);
  const half = 1n << BigInt(bits / 2);
  if (prng.chance(0.3)) return prng.pick([-half - 1n, -half, 1n - half, half - 1n, half, half + 1n]);
  return BigInt.asIntN(bits, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()));
}

/** Converts a value to the form that `TwinArena.values` accepts. */
export const asWritten = (kind: IntegerKind, rows: readonly bigint[]): readonly (number | bigint)[] =>
  kind === 'i64' ? rows : rows.map(Number);

/**
 * Row selections of an aggregate: all rows without a bitmap (null), every kind of bitmap, and 64-row words with any
 * number of set bits.
 */
export function selections(prng: Prng, n: number): (boolean[] | null)[] {
  const chances = Array.from({ length: Math.ceil(n / 64) }, () =>
    prng.pick([0, 1 / 64, 2 / 64, 4 / 64, 8 / 64, 16 / 64, 0.5, 0.9, 1]),
  );
  const words = Array.from({ length: n }, (_, row) => prng.chance(chances[row >> 6]));
  return [...validities(prng, n), words];
}
