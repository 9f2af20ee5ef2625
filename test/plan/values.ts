/** Converts plain values to the lists of a shard's result and back, and builds tables of counts from them. */
import type { ValueCounts, ValueList } from '../../src/ir/index.js';

/** A text, a stored 64-bit integer, or a longitude and a latitude. */
export type Plain = string | bigint | readonly [number, number];
export type PlainKind = ValueList['kind'];

export function listOf(kind: PlainKind, values: readonly Plain[]): ValueList {
  if (kind === 'text') {
    const parts = values.map((value) => Buffer.from(value as string));
    const offsets = new Uint32Array(values.length + 1);
    parts.forEach((part, index) => {
      offsets[index + 1] = offsets[index] + part.length;
    });
    return { kind, offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
  }
  if (kind === 'i64') {
    const words = new Uint32Array(BigInt64Array.from(values as readonly bigint[]).buffer);
    return { kind, words };
  }
  return { kind, points: Float64Array.from((values as readonly (readonly [number, number])[]).flat()) };
}

export function plainOf(list: ValueList): Plain[] {
  if (list.kind === 'text') {
    const { offsets, bytes } = list;
    return Array.from({ length: offsets.length - 1 }, (_, index) =>
      new TextDecoder().decode(bytes.subarray(offsets[index], offsets[index + 1])),
    );
  }
  if (list.kind === 'i64') {
    return Array.from({ length: list.words.length / 2 }, (_, index) =>
      BigInt.asIntN(64, (BigInt(list.words[2 * index + 1]) << 32n) | BigInt(list.words[2 * index])),
    );
  }
  const { points } = list;
  return Array.from({ length: points.length / 2 }, (_, index) => [points[2 * index], points[2 * index + 1]]);
}

/** A text that distinguishes values. */
export const keyOf = (value: Plain): string =>
  typeof value === 'object' ? JSON.stringify(value) : `${value}`;

export interface Counted {
  readonly groupKey: number;
  readonly value: Plain;
  readonly count: number;
}

/** `counted` contains each pair of group key and value once; without `groupKeys` all are in group 0. */
export function countsOf(kind: PlainKind, counted: readonly Counted[], groupKeys: boolean): ValueCounts {
  return {
    answers: 'values',
    restMax: 0,
    values: listOf(
      kind,
      counted.map(({ value }) => value),
    ),
    counts: Float64Array.from(counted, ({ count }) => count),
    groupKeys: groupKeys ? Uint32Array.from(counted, ({ groupKey }) => groupKey) : null,
  };
}

export function countedOf({ values, counts, groupKeys }: ValueCounts): Counted[] {
  return plainOf(values).map((value, index) => ({
    groupKey: groupKeys === null ? 0 : groupKeys[index],
    value,
    count: counts[index],
  }));
}
