/** Gathers rows of vectors by position. */
import { gatherIntegers, type Vector } from '../../vector/index.js';

/** Row `at` of the result is row positions[at]. */
export function gatherRows(vector: Vector, positions: Uint32Array): Vector {
  const count = positions.length;
  const valid = vector.valid === null ? null : gather(vector.valid, positions, new Uint8Array(count));
  switch (vector.kind) {
    case 'exact': {
      const { numbers, wide } = vector;
      if (numbers === null)
        return { ...vector, count, valid, wide: gatherIntegers(wide ?? [], positions, count) };
      return { ...vector, count, valid, numbers: gather(numbers, positions, new Float64Array(count)) };
    }
    case 'float':
      return {
        ...vector,
        count,
        valid,
        numbers: gather(vector.numbers, positions, new Float64Array(count)),
      };
    case 'boolean':
      return { ...vector, count, valid, bits: gather(vector.bits, positions, new Uint8Array(count)) };
    case 'text': {
      const { codes, texts } = vector;
      const own = codes === null ? positions : gather(codes, positions, new Uint32Array(count));
      return { kind: 'text', count, valid, codes: own, texts };
    }
  }
}

/** Element `at` of `out` becomes values[positions[at]]. */
export function gather<A extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  values: A,
  positions: Uint32Array,
  out: A,
): A {
  for (let at = 0; at < positions.length; at++) out[at] = values[positions[at]];
  return out;
}

/**
 * Row `at` of the result is row rows[at], or missing if rows[at] is negative; `vector` may then be empty. Rows may
 * repeat.
 */
export function gatherOrMissing(vector: Vector, rows: Int32Array, count: number): Vector {
  const valid = new Uint8Array(count);
  const positions = new Uint32Array(count);
  let all = true;
  for (let at = 0; at < count; at++) {
    const row = rows[at];
    const has = row >= 0 && (vector.valid === null || vector.valid[row] === 1);
    valid[at] = has ? 1 : 0;
    if (has) positions[at] = row;
    else all = false;
  }
  if (vector.count === 0) return missingLike(vector, count, valid);
  return { ...gatherRows({ ...vector, valid: null }, positions), valid: all ? null : valid };
}

/** A vector of missing values of the same kind. */
function missingLike(vector: Vector, count: number, valid: Uint8Array): Vector {
  switch (vector.kind) {
    case 'exact':
      return { kind: 'exact', count, valid, numbers: new Float64Array(count), wide: null };
    case 'float':
      return { kind: 'float', count, valid, numbers: new Float64Array(count) };
    case 'boolean':
      return { kind: 'boolean', count, valid, bits: new Uint8Array(count) };
    case 'text':
      return { kind: 'text', count, valid, codes: new Uint32Array(count), texts: vector.texts };
  }
}
