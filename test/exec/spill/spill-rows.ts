/** Runs that spill to memory, and generated rows. */

import type { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { SpillStore } from '../../../src/exec/spill/query-spill.js';
import type { FileSystem } from '../../../src/io/index.js';
import { SpillSpace } from '../../../src/protocol/index.js';
import { exactVector, type SqlType, Texts, type Vector } from '../../../src/vector/index.js';
import type { MemoryScratch } from '../../support/memory-scratch.js';

export interface SpillLimits {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
  readonly shareBytesMax?: number;
  readonly stopFlags?: Int32Array;
}

export interface SpillingRun {
  readonly run: QueryRun;
  readonly space: SpillSpace;
}

/** A run of slot 1 whose files are in `scratch`. */
export function spillingRun(scratch: MemoryScratch, limits: SpillLimits = {}): SpillingRun {
  const { memoryBytes = 2 ** 30, diskBytes = 2 ** 30, shareBytesMax, stopFlags = null } = limits;
  const disk = { bytesMax: diskBytes, queryBytesMax: diskBytes };
  const space = new SpillSpace(SpillSpace.memory(2, 1), disk, 1);
  const fs = scratch as unknown as FileSystem;
  const store = new SpillStore({ fs, dir: '/spool', workerIndex: 0, threadId: 0, space, shareBytesMax });
  return {
    run: new QueryRun(stopFlags, 1, memoryBytes, null, {
      spill: store.ofQuery(1),
      orders: null,
      memories: null,
    }),
    space,
  };
}

export const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'text' },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'decimal', scale: 2 },
  { type: 'text' },
];

const INTEGERS = [0, -1, 255, 256, -65_536, 2 ** 32, -(2 ** 53) + 1, 2 ** 53 - 1];

/** A vector of each of TYPES; texts are by code or one per row. */
export function generatedVectors(prng: Prng, count: number): Vector[] {
  const valid = (): Uint8Array | null =>
    prng.chance(0.4) ? null : Uint8Array.from({ length: count }, () => Number(prng.chance(0.8)));
  const spread = prng.pick([1, 3, 300, 70_000]);
  const least = prng.pick(INTEGERS);
  const numbers = Float64Array.from({ length: count }, () =>
    Math.max(-(2 ** 53) + 1, Math.min(2 ** 53 - 1, least + prng.below(spread))),
  );
  const words = Array.from({ length: prng.below(20) + 1 }, (_, at) => 'é'.repeat(prng.below(3)) + at);
  const wide = Array.from(
    { length: count },
    () => BigInt(prng.below(1_000)) * 2n ** BigInt(prng.below(120)) - 5n,
  );
  const own = Array.from({ length: count }, (_, row) => (prng.chance(0.3) ? '' : `text ${row % 7}`));
  return [
    { kind: 'exact', count, valid: valid(), numbers, wide: null },
    {
      kind: 'text',
      count,
      valid: valid(),
      codes: Uint32Array.from({ length: count }, () => prng.below(words.length)),
      texts: Texts.ofStrings(words, true),
    },
    { kind: 'float', count, valid: valid(), numbers: numbers.map((number) => number / 7) },
    {
      kind: 'boolean',
      count,
      valid: valid(),
      bits: Uint8Array.from(numbers, (number) => Number(number % 2 === 0)),
    },
    exactVector(valid(), wide),
    { kind: 'text', count, valid: valid(), codes: null, texts: Texts.ofStrings(own) },
  ];
}

/** The value of a row as text. */
export function shownValue(vector: Vector, row: number): string {
  if (vector.valid !== null && vector.valid[row] === 0) return 'NULL';
  switch (vector.kind) {
    case 'exact':
      return String(vector.numbers?.[row] ?? vector.wide?.[row]);
    case 'float':
      return String(vector.numbers[row]);
    case 'boolean':
      return String(vector.bits[row]);
    case 'text':
      return JSON.stringify(vector.texts.text(vector.codes?.[row] ?? row));
  }
}

export const shownRow = (vectors: readonly Vector[], row: number): string =>
  vectors.map((vector) => shownValue(vector, row)).join(' ');
