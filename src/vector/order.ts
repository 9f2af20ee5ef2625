/** The order of values. */
import { invariant } from '../base/index.js';
import type { ExactVector, Vector, WideIntegers } from './vector.js';

/**
 * Compares row i of `a` with row j of `b`: negative if it sorts before, 0 if equal, positive if after. Both have one type
 * (decimals of one scale), and neither is missing: the caller orders missing values. Texts sort by UTF-8 bytes, false before true.
 */
export function compareRows(a: Vector, i: number, b: Vector, j: number): number {
  switch (a.kind) {
    case 'exact': {
      invariant(b.kind === 'exact', 'values of one type are compared');
      if (a.numbers !== null && b.numbers !== null) return a.numbers[i] - b.numbers[j];
      const [left, right] = [exactAt(a, i), exactAt(b, j)];
      // JavaScript compares a number with a bigint exactly.
      return left < right ? -1 : left > right ? 1 : 0;
    }
    case 'float': {
      invariant(b.kind === 'float', 'values of one type are compared');
      const [left, right] = [a.numbers[i], b.numbers[j]];
      return left < right ? -1 : left > right ? 1 : 0;
    }
    case 'boolean':
      invariant(b.kind === 'boolean', 'values of one type are compared');
      return a.bits[i] - b.bits[j];
    case 'text':
      invariant(b.kind === 'text', 'values of one type are compared');
      return a.texts.compare(a.codes?.[i] ?? i, b.texts, b.codes?.[j] ?? j);
  }
}

/** The stored form of a value: a number if the vector has numbers, else a bigint. */
const exactAt = ({ numbers, wide }: ExactVector, row: number): number | bigint =>
  numbers === null ? (wide as WideIntegers)[row] : numbers[row];
