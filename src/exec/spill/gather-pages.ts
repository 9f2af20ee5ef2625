/** Vectors whose rows come from several pages. */
import { invariant } from '../../base/index.js';
import { Texts, type Vector, type VectorKind, type WideIntegers } from '../../vector/index.js';

/** Row i is row rows[i] of pages[sources[i]], for i below `count`. All vectors are of `kind`. */
export function gatherPages(
  kind: VectorKind,
  pages: readonly Vector[],
  sources: Uint32Array,
  rows: Uint32Array,
  count: number,
): Vector {
  const valid = validOf(pages, sources, rows, count);
  switch (kind) {
    case 'boolean':
      return { kind, count, valid, bits: bitsOf(pages, sources, rows, count) };
    case 'float':
      return { kind, count, valid, numbers: numbersOf(pages, sources, rows, count) };
    case 'exact':
      if (pages.some((page) => page.kind === 'exact' && page.numbers === null)) {
        return { kind, count, valid, numbers: null, wide: wideOf(pages, sources, rows, count) };
      }
      return { kind, count, valid, numbers: numbersOf(pages, sources, rows, count), wide: null };
    case 'text':
      return { kind, count, valid, codes: null, texts: textsOf(pages, sources, rows, count) };
  }
}

function validOf(
  pages: readonly Vector[],
  sources: Uint32Array,
  rows: Uint32Array,
  count: number,
): Uint8Array | null {
  if (pages.every(({ valid }) => valid === null)) return null;
  const all = pages.map(({ valid }) => valid);
  const out = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const valid = all[sources[at]];
    out[at] = valid === null ? 1 : valid[rows[at]];
  }
  return out;
}

function bitsOf(
  pages: readonly Vector[],
  sources: Uint32Array,
  rows: Uint32Array,
  count: number,
): Uint8Array {
  const all = pages.map((page) => {
    invariant(page.kind === 'boolean', 'the vectors of a column have one kind');
    return page.bits;
  });
  const out = new Uint8Array(count);
  for (let at = 0; at < count; at++) out[at] = all[sources[at]][rows[at]];
  return out;
}

function numbersOf(
  pages: readonly Vector[],
  sources: Uint32Array,
  rows: Uint32Array,
  count: number,
): Float64Array {
  const all = pages.map((page) => {
    invariant(page.kind === 'exact' || page.kind === 'float', 'the vectors of a column have one kind');
    return page.numbers as Float64Array;
  });
  const out = new Float64Array(count);
  for (let at = 0; at < count; at++) out[at] = all[sources[at]][rows[at]];
  return out;
}

function wideOf(pages: readonly Vector[], sources: Uint32Array, rows: Uint32Array, count: number): bigint[] {
  const out: bigint[] = new Array(count);
  for (let at = 0; at < count; at++) {
    const page = pages[sources[at]];
    invariant(page.kind === 'exact', 'the vectors of a column have one kind');
    const row = rows[at];
    out[at] = page.numbers === null ? (page.wide as WideIntegers)[row] : BigInt(page.numbers[row]);
  }
  return out;
}

function textsOf(pages: readonly Vector[], sources: Uint32Array, rows: Uint32Array, count: number): Texts {
  const all = pages.map((page) => {
    invariant(page.kind === 'text', 'the vectors of a column have one kind');
    return { ...page.texts.utf8, codes: page.codes, valid: page.valid };
  });
  const ends = new Uint32Array(count + 1);
  for (let at = 0; at < count; at++) {
    const { offsets, codes, valid } = all[sources[at]];
    const row = rows[at];
    const code = codes === null ? row : codes[row];
    const length = valid !== null && valid[row] === 0 ? 0 : offsets[code + 1] - offsets[code];
    ends[at + 1] = ends[at] + length;
  }
  const out = new Uint8Array(ends[count]);
  for (let at = 0; at < count; at++) {
    const { offsets, bytes, codes } = all[sources[at]];
    const code = codes === null ? rows[at] : codes[rows[at]];
    let from = offsets[code];
    for (let to = ends[at]; to < ends[at + 1]; to++) out[to] = bytes[from++];
  }
  return Texts.ofBytes({ offsets: ends, bytes: out }, count, false);
}
