/** Merges rows of several vectors into one vector, such as the results of branches. */
import type { MemoryAccount } from '../base/index.js';
import type { ExactVector, SqlType, TextVector, Vector } from '../vector/index.js';
import { exactVector, Texts, vectorKindOf } from '../vector/index.js';
import { distinctTexts } from './distinct-texts.js';
import { bigintAt, booleanOf, exactOf, floatOf, textOf } from './kinds.js';
import { isValid, simplified } from './validity.js';

/** Row from[i] of `vector` becomes row to[i]. */
export interface MergePart {
  readonly vector: Vector;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** Builds a vector of `count` rows. Rows that no part provides are missing; no row may be provided twice. */
export function merge(type: SqlType, count: number, parts: readonly MergePart[], union: TextUnion): Vector {
  const valid = simplified(mergedValid(count, parts), count);
  const kind = vectorKindOf(type);
  switch (kind) {
    case 'exact':
      return mergeExact(count, valid, parts);
    case 'float': {
      const numbers = new Float64Array(count);
      for (const { vector, from, to } of parts) scatterNumbers(floatOf(vector).numbers, from, to, numbers);
      return { kind, count, valid, numbers };
    }
    case 'boolean': {
      const bits = new Uint8Array(count);
      for (const { vector, from, to } of parts) scatterBytes(booleanOf(vector).bits, from, to, bits);
      return { kind, count, valid, bits };
    }
    case 'text':
      return mergeTexts(count, valid, parts, union);
  }
}

function mergedValid(count: number, parts: readonly MergePart[]): Uint8Array {
  const merged = new Uint8Array(count);
  for (const { vector, from, to } of parts) {
    if (vector.valid !== null) scatterBytes(vector.valid, from, to, merged);
    else for (let index = 0; index < to.length; index++) merged[to[index]] = 1;
  }
  return merged;
}

function mergeExact(count: number, valid: Uint8Array | null, parts: readonly MergePart[]): ExactVector {
  if (parts.every(({ vector }) => exactOf(vector).numbers !== null)) {
    const numbers = new Float64Array(count);
    for (const { vector, from, to } of parts) {
      scatterNumbers(exactOf(vector).numbers as Float64Array, from, to, numbers);
    }
    return { kind: 'exact', count, valid, numbers, wide: null };
  }
  const wide = new Array<bigint>(count).fill(0n);
  for (const { vector, from, to } of parts) {
    const source = exactOf(vector);
    for (let index = 0; index < to.length; index++) {
      if (isValid(valid, to[index])) wide[to[index]] = bigintAt(source, from[index]);
    }
  }
  return exactVector(valid, wide);
}

function mergeTexts(
  count: number,
  valid: Uint8Array | null,
  parts: readonly MergePart[],
  union: TextUnion,
): TextVector {
  const sources = [...new Set(parts.map(({ vector }) => textOf(vector).texts))];
  const joined = union.of(sources, count);
  if (joined === null) return mergeStrings(count, valid, parts);
  const codes = new Uint32Array(count);
  for (const { vector, from, to } of parts) {
    const { codes: source, texts } = textOf(vector);
    scatterCodes(source, joined.maps.get(texts) ?? null, from, to, codes);
  }
  return { kind: 'text', count, valid, codes, texts: joined.texts };
}

function mergeStrings(count: number, valid: Uint8Array | null, parts: readonly MergePart[]): TextVector {
  const strings = new Array<string>(count).fill('');
  for (const { vector, from, to } of parts) {
    const { codes, texts } = textOf(vector);
    for (let index = 0; index < to.length; index++) {
      const row = from[index];
      if (isValid(valid, to[index])) strings[to[index]] = texts.text(codes === null ? row : codes[row]);
    }
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(strings) };
}

function scatterCodes(
  source: Uint32Array | null,
  map: Uint32Array | null,
  from: Uint32Array,
  to: Uint32Array,
  codes: Uint32Array,
): void {
  for (let index = 0; index < to.length; index++) {
    const row = from[index];
    const code = source === null ? row : source[row];
    codes[to[index]] = map === null ? code : map[code];
  }
}

function scatterNumbers(
  source: Float64Array,
  from: Uint32Array,
  to: Uint32Array,
  target: Float64Array,
): void {
  for (let index = 0; index < to.length; index++) target[to[index]] = source[from[index]];
}

function scatterBytes(source: Uint8Array, from: Uint32Array, to: Uint32Array, target: Uint8Array): void {
  for (let index = 0; index < to.length; index++) target[to[index]] = source[from[index]];
}

/** If the sources have more texts than this, the rows' texts are copied as strings instead. */
const UNION_TEXTS_MAX = 2 ** 18;

interface Joined {
  readonly texts: Texts;
  /** For each source except `texts` itself, maps its codes to codes of `texts`. */
  readonly maps: ReadonlyMap<Texts, Uint32Array>;
}

/** Combines the texts of several sources into one distinct Texts, which is reused while the sources stay the same. */
export class TextUnion {
  readonly #memory: MemoryAccount | null;
  #sources: readonly Texts[] = [];
  #joined: Joined | null = null;
  #rowCount = 0;

  constructor(memory: MemoryAccount | null) {
    this.#memory = memory;
  }

  /** Returns null as long as copying the rows' texts is cheaper than combining all texts. Throws 9006. */
  of(sources: readonly Texts[], rowCount: number): Joined | null {
    if (sources.length === 0) return { texts: Texts.ofStrings([''], true), maps: new Map() };
    if (sources.length === 1) return { texts: sources[0], maps: new Map() };
    if (!sources.every((texts) => this.#sources.includes(texts))) {
      this.#sources = sources;
      this.#joined = null;
      this.#rowCount = 0;
    }
    this.#rowCount += rowCount;
    const size = this.#sources.reduce((sum, texts) => sum + texts.size, 0);
    if (this.#joined === null && this.#rowCount >= size && size <= UNION_TEXTS_MAX) {
      this.#joined = joined(this.#sources);
      this.#memory?.reserve(this.#joined.texts.memoryBytes + size * Uint32Array.BYTES_PER_ELEMENT);
    }
    return this.#joined;
  }
}

function joined(sources: readonly Texts[]): Joined {
  const whole = sources.map((texts): TextVector => {
    return { kind: 'text', count: texts.size, valid: null, codes: null, texts };
  });
  const { codes, texts } = distinctTexts(whole);
  const maps = new Map<Texts, Uint32Array>();
  let at = 0;
  for (const source of sources) {
    maps.set(source, (codes as Uint32Array).subarray(at, at + source.size));
    at += source.size;
  }
  return { texts, maps };
}
