/** Concatenates text vectors. */
import { Texts } from './texts.js';
import type { TextVector } from './vector.js';

/** Vectors that share one Texts keep it; otherwise the texts of their rows are copied, once per Texts and code. */
export function joinTexts(
  vectors: readonly TextVector[],
  valid: Uint8Array | null,
  count: number,
): TextVector {
  const sources = [...new Set(vectors.filter((vector) => vector.count > 0).map(({ texts }) => texts))];
  const codes = new Uint32Array(count);
  if (sources.length <= 1) {
    scatterCodes(vectors, codes);
    return { kind: 'text', count, valid, codes, texts: sources[0] ?? Texts.ofStrings([''], true) };
  }
  const maps = new Map(sources.map((source) => [source, new Uint32Array(source.size)]));
  for (const vector of vectors) markUsed(vector, maps.get(vector.texts) ?? codes);
  const texts = copyUsed(maps);
  let at = 0;
  for (const vector of vectors) {
    mapCodes(vector, maps.get(vector.texts) ?? codes, codes, at);
    at += vector.count;
  }
  return { kind: 'text', count, valid, codes, texts };
}

function scatterCodes(vectors: readonly TextVector[], codes: Uint32Array): void {
  let at = 0;
  for (const vector of vectors) {
    if (vector.codes !== null) codes.set(vector.codes.subarray(0, vector.count), at);
    else for (let row = 0; row < vector.count; row++) codes[at + row] = row;
    at += vector.count;
  }
}

/** Sets map[c] = 1 for each code c of a row with a value. */
function markUsed({ codes, count, valid }: TextVector, map: Uint32Array): void {
  for (let row = 0; row < count; row++) {
    if (valid === null || valid[row] === 1) map[codes === null ? row : codes[row]] = 1;
  }
}

/** Copies the marked texts of all sources; the maps then have the new codes plus 1. */
function copyUsed(maps: ReadonlyMap<Texts, Uint32Array>): Texts {
  let size = 0;
  let length = 0;
  for (const [source, map] of maps) {
    const { offsets } = source.utf8;
    for (let code = 0; code < map.length; code++) {
      if (map[code] === 0) continue;
      size++;
      map[code] = size;
      length += offsets[code + 1] - offsets[code];
    }
  }
  // The codes of missing values must be valid, so there is at least one text.
  const offsets = new Uint32Array(Math.max(size, 1) + 1);
  const bytes = new Uint8Array(length);
  for (const [source, map] of maps) copyTexts(source, map, offsets, bytes);
  return Texts.ofBytes({ offsets, bytes }, Math.max(size, 1), false);
}

function copyTexts(source: Texts, map: Uint32Array, offsets: Uint32Array, bytes: Uint8Array): void {
  const { offsets: from, bytes: read } = source.utf8;
  for (let code = 0; code < map.length; code++) {
    if (map[code] === 0) continue;
    let at = offsets[map[code] - 1];
    for (let index = from[code]; index < from[code + 1]; index++) bytes[at++] = read[index];
    offsets[map[code]] = at;
  }
}

function mapCodes(
  { codes, count, valid }: TextVector,
  map: Uint32Array,
  target: Uint32Array,
  at: number,
): void {
  for (let row = 0; row < count; row++) {
    if (valid === null || valid[row] === 1) target[at + row] = map[codes === null ? row : codes[row]] - 1;
  }
}
