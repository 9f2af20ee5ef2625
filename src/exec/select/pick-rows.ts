/** Some rows of vectors, in a given order. */
import type { Vector } from '../../vector/index.js';

/** Row `at` of the answer is row positions[at]. */
export function pickRows(vector: Vector, positions: Uint32Array): Vector {
  const count = positions.length;
  const valid = vector.valid === null ? null : picked(vector.valid, positions, new Uint8Array(count));
  switch (vector.kind) {
    case 'exact': {
      const { numbers, wide } = vector;
      if (numbers === null) return { ...vector, count, valid, wide: pickedWide(wide ?? [], positions) };
      return { ...vector, count, valid, numbers: picked(numbers, positions, new Float64Array(count)) };
    }
    case 'float':
      return {
        ...vector,
        count,
        valid,
        numbers: picked(vector.numbers, positions, new Float64Array(count)),
      };
    case 'boolean':
      return { ...vector, count, valid, bits: picked(vector.bits, positions, new Uint8Array(count)) };
    case 'text': {
      const { codes, texts } = vector;
      const own = codes === null ? positions : picked(codes, positions, new Uint32Array(count));
      return { kind: 'text', count, valid, codes: own, texts };
    }
  }
}

/** Element `at` of `out` becomes values[positions[at]]. */
export function picked<A extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  values: A,
  positions: Uint32Array,
  out: A,
): A {
  for (let at = 0; at < positions.length; at++) out[at] = values[positions[at]];
  return out;
}

function pickedWide(values: readonly bigint[], positions: Uint32Array): bigint[] {
  return Array.from(positions, (position) => values[position]);
}

/**
 * Row `at` of the answer is row rows[at], or missing where that is -1; `vector` may have no rows then. Rows may stand
 * in it several times.
 */
export function findRows(vector: Vector, rows: Int32Array, count: number): Vector {
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
  return { ...pickRows({ ...vector, valid: null }, positions), valid: all ? null : valid };
}

/** No row has a value. */
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
