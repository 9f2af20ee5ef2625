/** Reads items of a list column into vectors. */
import { textOfPoint, type ValueKind } from '../../schema/index.js';
import type { ListColumn } from '../../storage/index.js';
import { type ExactVector, halvesOf, Texts, type Vector } from '../../vector/index.js';
import { type BatchArrays, NO_TEXTS, UNSAFE } from '../scan/stored-values.js';

/**
 * The items at the given positions of the column's heap; `column` undefined = there are none. `texts`: the column's
 * dictionary if items are strings.
 */
export function readItems(
  column: ListColumn | undefined,
  kind: ValueKind,
  positions: Uint32Array,
  texts: Texts | null,
  arrays: BatchArrays,
): Vector {
  const count = positions.length;
  const items = column?.items ?? new Uint8Array(0);
  switch (kind) {
    case 'bits': {
      const bits = arrays.bits(count);
      for (let at = 0; at < count; at++) bits[at] = items[positions[at]];
      return { kind: 'boolean', count, valid: null, bits };
    }
    case 'i32': {
      const numbers = arrays.numbers(count);
      for (let at = 0; at < count; at++) numbers[at] = items[positions[at]];
      return { kind: 'exact', count, valid: null, numbers, wide: null };
    }
    case 'code': {
      const codes = arrays.codes(count);
      for (let at = 0; at < count; at++) codes[at] = items[positions[at]];
      return { kind: 'text', count, valid: null, codes, texts: texts ?? NO_TEXTS() };
    }
    case 'i64':
      return readIntegers(items, positions, arrays.numbers(count));
    case 'geo': {
      const points = Array.from(positions, (item) =>
        textOfPoint({ longitude: items[item * 2], latitude: items[item * 2 + 1] }),
      );
      return { kind: 'text', count, valid: null, codes: null, texts: Texts.ofStrings(points) };
    }
  }
}

/** Reads (low, high) pairs of words: as numbers if all of them are safe. */
function readIntegers(
  items: ListColumn['items'],
  positions: Uint32Array,
  numbers: Float64Array,
): ExactVector {
  const count = positions.length;
  let isSafe = true;
  for (let at = 0; at < count; at++) {
    const word = positions[at] * 2;
    const value = (items[word + 1] | 0) * 2 ** 32 + items[word];
    numbers[at] = value;
    if (value >= UNSAFE || value <= -UNSAFE) isSafe = false;
  }
  if (isSafe) return { kind: 'exact', count, valid: null, numbers, wide: null };
  const wide = new BigInt64Array(count);
  const halves = halvesOf(wide);
  for (let at = 0; at < count; at++) {
    halves[at * 2] = items[positions[at] * 2];
    halves[at * 2 + 1] = items[positions[at] * 2 + 1];
  }
  return { kind: 'exact', count, valid: null, numbers: null, wide };
}
