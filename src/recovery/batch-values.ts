/** Collects values from any number of snapshot files, by (values, position), in the form of a batch. */
import { hashBytes } from '../base/index.js';
import type { ArrowValues, Utf8Values, Values } from '../column/index.js';

/** Position `at` of a file's column. */
export type ValuePosition = readonly [values: ArrowValues, at: number];

/** Returns the strings at the given positions, with their hashes, in the form of a batch. */
export function gatherStrings(positions: readonly (readonly [strings: Utf8Values, at: number])[]): {
  hashes: Uint32Array;
  offsets: Uint32Array;
  bytes: Uint8Array;
} {
  const offsets = new Uint32Array(positions.length + 1);
  positions.forEach(([strings, at], index) => {
    offsets[index + 1] = offsets[index] + strings.offsets[at + 1] - strings.offsets[at];
  });
  const bytes = new Uint8Array(offsets[positions.length]);
  const hashes = new Uint32Array(positions.length);
  positions.forEach(([strings, at], index) => {
    bytes.set(strings.bytes.subarray(strings.offsets[at], strings.offsets[at + 1]), offsets[index]);
    hashes[index] = hashBytes(bytes, offsets[index], offsets[index + 1]);
  });
  return { hashes, offsets, bytes };
}

/** Concatenates pairs of elements. */
function gatherPairs<T extends Uint32Array | Float64Array>(
  into: T,
  positions: readonly ValuePosition[],
  elementsOf: (values: ArrowValues) => T,
): T {
  positions.forEach(([values, at], index) => {
    const from = elementsOf(values);
    into[index * 2] = from[at * 2];
    into[index * 2 + 1] = from[at * 2 + 1];
  });
  return into;
}

/** Returns the values at `positions`: at least one, all of one kind. */
export function gatherValuesAt(positions: readonly ValuePosition[]): Values {
  type Of<K extends ArrowValues['kind']> = Extract<ArrowValues, { kind: K }>;
  const [[{ kind }]] = positions;
  switch (kind) {
    case 'bool': {
      const bitOf = ([values, at]: ValuePosition): number =>
        ((values as Of<'bool'>).bits[at >> 3] >> (at & 7)) & 1;
      return { kind: 'bits', bits: Uint8Array.from(positions, bitOf) };
    }
    case 'date32':
      return {
        kind: 'i32',
        i32: Int32Array.from(positions, ([values, at]) => (values as Of<'date32'>).i32[at]),
      };
    case 'int64':
    case 'timestamp':
    case 'decimal': {
      const into = new Uint32Array(positions.length * 2);
      return { kind: 'i64', words: gatherPairs(into, positions, (values) => (values as Of<'int64'>).words) };
    }
    case 'point': {
      const into = new Float64Array(positions.length * 2);
      return { kind: 'geo', f64: gatherPairs(into, positions, (values) => (values as Of<'point'>).f64) };
    }
    case 'dictionary': {
      const strings = positions.map(([values, at]) => {
        const { dictionary, codes } = values as Of<'dictionary'>;
        return [dictionary, codes[at]] as const;
      });
      return { kind: 'code', ...gatherStrings(strings) };
    }
    default:
      throw new Error(`a column of a snapshot file has values of kind ${kind}`);
  }
}
