/** Converts scaled 64-bit decimals to Arrow's 128-bit decimals and back. The high half repeats the sign bit. */

/** Extends 64-bit values, as (low, high) words, to 4 words per value. */
export function widenDecimals(words: Uint32Array): Uint32Array {
  const wide = new Uint32Array(words.length * 2);
  for (let from = 0, to = 0; from < words.length; from += 2, to += 4) {
    const high = words[from + 1];
    const sign = (high | 0) >> 31;
    wide[to] = words[from];
    wide[to + 1] = high;
    wide[to + 2] = sign;
    wide[to + 3] = sign;
  }
  return wide;
}

/** Reduces 4 words per value to (low, high) words. Throws a RangeError when a value does not fit in 64 bits. */
export function narrowDecimals(wide: Uint32Array): Uint32Array {
  const words = new Uint32Array(wide.length >> 1);
  let differing = 0;
  for (let from = 0, to = 0; from < wide.length; from += 4, to += 2) {
    const high = wide[from + 1];
    const sign = (high | 0) >> 31;
    words[to] = wide[from];
    words[to + 1] = high;
    differing |= (wide[from + 2] ^ sign) | (wide[from + 3] ^ sign);
  }
  if (differing !== 0) throw new RangeError('a decimal does not fit 64 bits');
  return words;
}
