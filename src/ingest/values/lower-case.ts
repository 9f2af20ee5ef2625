/**
 * Lower-case mappings of the code points up to 0xffff as a table for the SIMD parser (kernels/wasm/_insert-decode.ts). Above them
 * the parser gives up or relies on CASELESS_FROM.
 */
import { lowerCodePoint } from '../../schema/index.js';

const POINTS = 65_536;
/** No code point from here on (symbols and ideographs) has a lower-case mapping. */
export const CASELESS_FROM = 0x1f000;

/**
 * Returns the simple lower-case mapping of every code point below 65,536. 0 marks a mapping to a higher code point, for which the
 * parser gives up.
 */
export function lowerCaseTable(): Uint16Array {
  return Uint16Array.from({ length: POINTS }, (_, point) => {
    const lower = lowerCodePoint(point);
    return lower < POINTS ? lower : 0;
  });
}
