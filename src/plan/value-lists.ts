/** Operations on lists of values (ir's ValueList): length, join, gather, and conversion to result texts. */
import { inSlices, type MemoryAccount, QuarryError, SLICE_TEXTS, type Task } from '../base/index.js';
import type { ValueList } from '../ir/index.js';
import { textOfInteger, textOfPoint, type ValueForm } from '../schema/index.js';

export function lengthOf(list: ValueList): number {
  switch (list.kind) {
    case 'text':
      return Math.max(0, list.offsets.length - 1);
    case 'i64':
      return list.words.length / 2;
    case 'geo':
      return list.points.length / 2;
  }
}

/** Integer `index` of (low, high) pairs of words. */
export function integerAt(words: Uint32Array, index: number): bigint {
  return (BigInt(words[2 * index + 1] | 0) << 32n) | BigInt(words[2 * index]);
}

type TextList = Extract<ValueList, { kind: 'text' }>;
type IntegerList = Extract<ValueList, { kind: 'i64' }>;
type PointList = Extract<ValueList, { kind: 'geo' }>;

/** Concatenates lists of one kind. Throws 9006. */
export function* joinLists(lists: readonly ValueList[], budget: MemoryAccount): Task<ValueList> {
  const count = lists.reduce((sum, list) => sum + lengthOf(list), 0);
  switch (lists[0].kind) {
    case 'text':
      return yield* joinTexts(lists as readonly TextList[], count, budget);
    case 'i64': {
      budget.reserve(count * 8);
      const parts = (lists as readonly IntegerList[]).map(({ words }) => words);
      return { kind: 'i64', words: yield* joinArrays(parts, new Uint32Array(2 * count)) };
    }
    case 'geo': {
      budget.reserve(count * 16);
      const parts = (lists as readonly PointList[]).map(({ points }) => points);
      return { kind: 'geo', points: yield* joinArrays(parts, new Float64Array(2 * count)) };
    }
  }
}

function* joinArrays<T extends Uint32Array | Float64Array>(parts: readonly T[], joined: T): Task<T> {
  let at = 0;
  for (const part of parts) {
    yield* inSlices(part.length, (from, to) => joined.set(part.subarray(from, to), at + from));
    at += part.length;
  }
  return joined;
}

/** Bytes copied at once. */
const SLICE_BYTES = 2 ** 20;
/** Offsets are u32. */
const TEXT_BYTES_MAX = 2 ** 32 - 1;

function* joinTexts(lists: readonly TextList[], count: number, budget: MemoryAccount): Task<TextList> {
  const byteCount = lists.reduce((sum, { offsets }) => sum + offsets[offsets.length - 1] - offsets[0], 0);
  if (byteCount > TEXT_BYTES_MAX) {
    throw new QuarryError(9006, `the shards returned ${byteCount} bytes of text, which is too much to merge`);
  }
  budget.reserve((count + 1) * 4 + byteCount);
  const joined = {
    kind: 'text',
    offsets: new Uint32Array(count + 1),
    bytes: new Uint8Array(byteCount),
  } as const;
  let at = 0;
  let value = 0;
  for (const { offsets, bytes } of lists) {
    const [from, to] = [offsets[0], offsets[offsets.length - 1]];
    const moved = at - from;
    yield* inSlices(
      to - from,
      (first, end) => joined.bytes.set(bytes.subarray(from + first, from + end), at + first),
      SLICE_BYTES,
    );
    yield* inSlices(offsets.length - 1, (first, end) => {
      for (let index = first + 1; index <= end; index++)
        joined.offsets[value + index] = offsets[index] + moved;
    });
    at += to - from;
    value += offsets.length - 1;
  }
  return joined;
}

/** Copies the values `wanted` of a list to a new one. */
export function* gatherValues(list: ValueList, wanted: Uint32Array): Task<ValueList> {
  switch (list.kind) {
    case 'text':
      return yield* gatherTexts(list.offsets, list.bytes, wanted);
    case 'i64':
      return {
        kind: 'i64',
        words: yield* gatherPairs(list.words, new Uint32Array(2 * wanted.length), wanted),
      };
    case 'geo':
      return {
        kind: 'geo',
        points: yield* gatherPairs(list.points, new Float64Array(2 * wanted.length), wanted),
      };
  }
}

function* gatherPairs<T extends Uint32Array | Float64Array>(from: T, to: T, wanted: Uint32Array): Task<T> {
  yield* inSlices(wanted.length, (first, end) => {
    for (let index = first; index < end; index++) {
      to[2 * index] = from[2 * wanted[index]];
      to[2 * index + 1] = from[2 * wanted[index] + 1];
    }
  });
  return to;
}

function* gatherTexts(offsets: Uint32Array, bytes: Uint8Array, wanted: Uint32Array): Task<ValueList> {
  const gathered = new Uint32Array(wanted.length + 1);
  yield* inSlices(wanted.length, (first, end) => {
    for (let index = first; index < end; index++) {
      const value = wanted[index];
      gathered[index + 1] = gathered[index] + offsets[value + 1] - offsets[value];
    }
  });
  const texts = new Uint8Array(gathered[wanted.length]);
  yield* inSlices(
    wanted.length,
    (first, end) => {
      for (let index = first; index < end; index++) {
        const value = wanted[index];
        texts.set(bytes.subarray(offsets[value], offsets[value + 1]), gathered[index]);
      }
    },
    SLICE_TEXTS,
  );
  return { kind: 'text', offsets: gathered, bytes: texts };
}

/** Returns a function that reads the text of a value of the list by index. */
export function textReader(list: ValueList, form: ValueForm): (index: number) => string {
  switch (list.kind) {
    case 'text': {
      const { offsets, bytes } = list;
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return (index) => buffer.toString('utf8', offsets[index], offsets[index + 1]);
    }
    case 'i64':
      return (index) => textOfInteger(form, integerAt(list.words, index));
    case 'geo':
      return (index) =>
        textOfPoint({ longitude: list.points[2 * index], latitude: list.points[2 * index + 1] });
  }
}
