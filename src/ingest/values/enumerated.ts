/**
 * Enumerated columns store a value as the greatest bound that does not exceed it.
 * Invariant: bounds ascend. Values below 2^53 in magnitude are searched among doubles, which preserves the order: a bound beyond
 * 2^53 may be rounded, but never to a number below 2^53.
 */
import { invariant } from '../../base/index.js';
import { InsertError } from '../insert-error.js';
import { writeBigWords } from './numbers.js';

const TWO_32 = 2 ** 32;
/** If the high word is below this in magnitude, the value is below 2^53 in magnitude. */
const SAFE_HIGH = 2 ** 21;

export class Bounds {
  readonly exact: readonly bigint[];
  readonly doubles: Float64Array;
  /** (low, high) words of each bound. */
  readonly words: Int32Array;

  constructor(exact: readonly bigint[]) {
    this.exact = exact;
    this.doubles = Float64Array.from(exact, Number);
    this.words = new Int32Array(exact.length * 2);
    exact.forEach((bound, index) => {
      writeBigWords(this.words, index * 2, bound);
    });
  }
}

/** Replaces the integer at words[index] with its bound. Throws 3016 at the token's `offset` if the value is below all bounds. */
export function replaceWithBound(
  words: Int32Array,
  index: number,
  bounds: Bounds | null,
  offset: number,
): void {
  invariant(bounds !== null, 'an enumerated column has bounds');
  const low = words[index] >>> 0;
  const high = words[index + 1];
  const isSafe = high > -SAFE_HIGH && high < SAFE_HIGH;
  const value: number | bigint = isSafe ? high * TWO_32 + low : BigInt(high) * BigInt(TWO_32) + BigInt(low);
  const against: ArrayLike<number | bigint> = isSafe ? bounds.doubles : bounds.exact;
  let from = 0;
  let to = against.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (against[middle] <= value) from = middle + 1;
    else to = middle;
  }
  if (from === 0) throw new InsertError(3016, offset, `${value} is below the first bound ${bounds.exact[0]}`);
  words[index] = bounds.words[(from - 1) * 2];
  words[index + 1] = bounds.words[(from - 1) * 2 + 1];
}
