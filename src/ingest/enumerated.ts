/**
 * Enumerated columns keep a value as the greatest bound not above it.
 * Invariant: bounds ascend. Values below 2^53 in magnitude are searched among doubles, which keeps their order:
 * a bound beyond 2^53 may round, but never to a number below it.
 */
import { invariant } from '../base/index.js';
import { InsertFault } from './fault.js';
import { writeBigWords } from './numbers.js';

const TWO_32 = 2 ** 32;
/** |high word| below this: the value is below 2^53 in magnitude. */
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

/** Puts its bound in the place of the integer at words[index]; `offset` is the token's, for the fault 3016. */
export function keepBound(words: Int32Array, index: number, bounds: Bounds | null, offset: number): void {
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
  if (from === 0) throw new InsertFault(3016, offset, `${value} is below the first bound ${bounds.exact[0]}`);
  words[index] = bounds.words[(from - 1) * 2];
  words[index + 1] = bounds.words[(from - 1) * 2 + 1];
}
