/** Readers of the rows of vectors, for functions that are evaluated row by row. */
import type { Vector } from '../../vector/index.js';
import { textOf } from '../kinds.js';
import { bothValid } from '../validity.js';

/** Returns a function that reads the text of a row, which must not be missing. */
export function texts(vector: Vector): (row: number) => string {
  const { codes, texts } = textOf(vector);
  return codes === null ? (row) => texts.text(row) : (row) => texts.text(codes[row]);
}

/** Returns a function that reads a text with the first `points` code points of the text of a row, which must not be missing. */
export function beginnings(vector: Vector): (row: number, points: number) => string {
  const { codes, texts } = textOf(vector);
  return (row, points) => texts.beginning(codes === null ? row : codes[row], points);
}

/** Returns a function that reads the count of a row, which must not be missing. */
export function counts(vector: Vector): (row: number) => number {
  if (vector.kind === 'exact' && vector.numbers === null) {
    const { wide } = vector;
    return (row) => Number(wide?.[row]);
  }
  const numbers = vector.kind === 'exact' || vector.kind === 'float' ? vector.numbers : null;
  return (row) => (numbers === null ? 0 : numbers[row]);
}

/** The rows in which no vector is missing; null = all. */
export const allValid = (args: readonly Vector[], count: number): Uint8Array | null =>
  args.reduce<Uint8Array | null>((valid, vector) => bothValid(valid, vector.valid, count), null);
