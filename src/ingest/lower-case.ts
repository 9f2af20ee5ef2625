/**
 * Lower-case mappings as a table, for the walk over plain bodies (kernels/wasm/_insert-decode.ts): of the code points that
 * two bytes can name. Above them the walk gives up, or relies on CASELESS_FROM.
 */
import { lowerCodePoint } from '../schema/index.js';

const POINTS = 65_536;
/** From here on no code point has a lower-case mapping: symbols and ideographs. */
export const CASELESS_FROM = 0x1f000;

/** The simple lower-case mapping of every code point below 65,536; 0 = it is not below, so that the walk gives up. */
export function lowerCaseTable(): Uint16Array {
  return Uint16Array.from({ length: POINTS }, (_, point) => {
    const lower = lowerCodePoint(point);
    return lower < POINTS ? lower : 0;
  });
}
