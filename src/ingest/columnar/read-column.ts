/** The values of an Arrow array for a column of the model. */
import { invariant } from '../../base/index.js';
import { baseTypeOf, type Column } from '../../schema/index.js';
import { InsertError } from '../insert-error.js';
import { Bounds, replaceWithBound } from '../values/enumerated.js';
import type { ArrowArray } from './arrow-array.js';
import { offsetsOf } from './arrow-array.js';
import { describeType } from './arrow-type.js';
import { type ColumnValues, hasValue, presentRows, RowRefused, valuesByCode } from './column-values.js';
import { daysOf, secondWordsOf } from './read-dates.js';
import { codesOf, floatsOf, integerTexts, scaledIntegers } from './read-numbers.js';
import { rawTextsOf, storedTexts, type TextRules, textsOfIntegers } from './read-texts.js';

/** A field whose type a column does not take. */
export class FieldRefused {
  readonly text: string;

  constructor(array: ArrowArray, wanted: string) {
    this.text = `${describeType(array.field)} is not ${wanted}`;
  }
}

const WANTED: Readonly<Record<string, string>> = {
  integer: 'an integer',
  enumerated: 'an integer',
  decimal: 'a decimal',
  boolean: 'a boolean',
  date: 'a date',
  datetime: 'a timestamp',
  geolocation: 'a list of two floats (longitude and latitude)',
  string: 'a text',
};

/** The first `length` rows of an array. Throws FieldRefused and RowRefused. */
export function readColumn(array: ArrowArray, column: Column): ColumnValues {
  const base = baseTypeOf(column.type);
  if (array.dictionary !== null) {
    const codes = codesOf(
      array,
      (array.field.dictionary as NonNullable<typeof array.field.dictionary>).codes,
    );
    return valuesByCode(codes, presentRows(array), ofDictionary(array.dictionary, column));
  }
  if (base === 'string') {
    return readTexts(array, { textCase: column.textCase, tooLong: [2009, 'the string'] });
  }
  const present = presentRows(array);
  const values = wordsOfColumn(array, column, present);
  if (values === null) throw new FieldRefused(array, WANTED[base] ?? `a value of type ${base}`);
  return { values, present };
}

/** The values of a dictionary need not be right where no row refers to them, but they are checked all the same. */
function ofDictionary(dictionary: ArrowArray, column: Column): ColumnValues {
  try {
    return readColumn(dictionary, column);
  } catch (thrown) {
    if (thrown instanceof RowRefused) {
      throw new RowRefused(0, thrown.code, `value ${thrown.row + 1} of the dictionary: ${thrown.text}`);
    }
    throw thrown;
  }
}

/** Texts, or integers as texts. Throws FieldRefused and RowRefused. */
export function readTexts(array: ArrowArray, rules: TextRules): ColumnValues {
  const { type } = array.field;
  if (array.dictionary !== null && array.field.dictionary !== null) {
    const codes = codesOf(array, array.field.dictionary.codes);
    return valuesByCode(codes, presentRows(array), readTexts(array.dictionary, rules));
  }
  switch (type.is) {
    case 'text':
    case 'text-view':
    case 'null':
      return storedTexts(rawTextsOf(array), rules);
    case 'int': {
      const present = presentRows(array);
      return storedTexts(textsOfIntegers(integerTexts(array, type, present), present), rules);
    }
    default:
      throw new FieldRefused(array, WANTED.string);
  }
}

function strideOf(column: Column): 1 | 2 | 4 {
  const base = baseTypeOf(column.type);
  return base === 'date' ? 1 : base === 'geolocation' ? 4 : 2;
}

function wordsOfColumn(
  array: ArrowArray,
  column: Column,
  present: Uint8Array | null,
): ColumnValues['values'] | null {
  const inWords = (words: Int32Array | null): ColumnValues['values'] | null =>
    words === null ? null : { kind: 'words', words, stride: strideOf(column) };
  switch (baseTypeOf(column.type)) {
    case 'boolean':
      return array.field.type.is === 'bool' ? { kind: 'bits', bits: bitsOf(array) } : null;
    case 'integer':
      return inWords(scaledIntegers(array, 0, present));
    case 'enumerated':
      return inWords(bounded(scaledIntegers(array, 0, present), column, present));
    case 'decimal':
      return inWords(scaledIntegers(array, column.decimalPlaces ?? 0, present));
    case 'date':
      return inWords(daysOf(array, present));
    case 'datetime':
      return inWords(secondWordsOf(array, present));
    case 'geolocation':
      return inWords(pointsOf(array, present));
    default:
      return null;
  }
}

/** A byte per row. */
function bitsOf({ length, buffers: [bytes] }: ArrowArray): Uint8Array {
  const bits = new Uint8Array(length);
  for (let row = 0; row < length; row++) bits[row] = (bytes[row >> 3] >> (row & 7)) & 1;
  return bits;
}

function bounded(words: Int32Array | null, { range }: Column, present: Uint8Array | null): Int32Array | null {
  if (words === null) return null;
  invariant(range !== null, 'an enumerated column has bounds');
  const bounds = new Bounds(range);
  const result = words.slice();
  for (let row = 0; row * 2 < result.length; row++) {
    if (!hasValue(present, row)) continue;
    try {
      replaceWithBound(result, row * 2, bounds, 0);
    } catch (thrown) {
      if (thrown instanceof InsertError) throw new RowRefused(row, thrown.code, thrown.text);
      throw thrown;
    }
  }
  return result;
}

const DEGREES_MAX = [180, 90] as const;
const AXES = ['longitude', 'latitude'] as const;

/** Points as words of two doubles each; null = the type is no list of floats. */
function pointsOf(array: ArrowArray, present: Uint8Array | null): Int32Array | null {
  const { type } = array.field;
  const [items] = array.children;
  if (items?.field.type.is !== 'float' || items.dictionary !== null) return null;
  if (type.is !== 'list' && !(type.is === 'fixed-list' && type.items === 2)) return null;
  const offsets = type.is === 'list' ? offsetsOf(array, items.length) : null;
  const floats = floatsOf(items, items.field.type.bits);
  const inItems = presentRows(items);
  const points = new Float64Array(array.length * 2);
  for (let row = 0; row < array.length; row++) {
    if (!hasValue(present, row)) continue;
    const from = offsets === null ? row * 2 : offsets[row];
    if (offsets !== null && offsets[row + 1] - from !== 2) {
      throw new RowRefused(row, 2007, 'the list has not two numbers, longitude and latitude');
    }
    for (let axis = 0; axis < 2; axis++) {
      const degrees = floats[from + axis] + 0;
      const bound = DEGREES_MAX[axis];
      if (!hasValue(inItems, from + axis)) throw new RowRefused(row, 2007, `the ${AXES[axis]} has no value`);
      if (!(degrees >= -bound && degrees <= bound)) {
        throw new RowRefused(row, 2007, `the ${AXES[axis]} ${degrees} is outside -${bound} to ${bound}`);
      }
      points[row * 2 + axis] = degrees;
    }
  }
  return new Int32Array(points.buffer);
}

/** The values of lists, and where those of each row begin. Other arrays are lists of one value. Throws FieldRefused and RowRefused. */
export function readLists(
  array: ArrowArray,
  column: Column,
): { items: ColumnValues; offsets: Int32Array | null } {
  const { type } = array.field;
  const isPoint = baseTypeOf(column.type) === 'geolocation' && array.children[0]?.field.type.is === 'float';
  if ((type.is !== 'list' && type.is !== 'fixed-list') || isPoint)
    return { items: readColumn(array, column), offsets: null };
  const [child] = array.children;
  const offsets =
    type.is === 'list'
      ? offsetsOf(array, child.length)
      : Int32Array.from({ length: array.length + 1 }, (_, row) => row * type.items);
  const present = presentRows(array);
  try {
    const items = readColumn(child, column);
    checkItems(offsets, items, present);
    return { items, offsets };
  } catch (thrown) {
    if (!(thrown instanceof RowRefused)) throw thrown;
    throw new RowRefused(rowOfItem(offsets, thrown.row), thrown.code, thrown.text);
  }
}

function checkItems(offsets: Int32Array, items: ColumnValues, present: Uint8Array | null): void {
  if (items.present === null) return;
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (!hasValue(present, row)) continue;
    for (let item = offsets[row]; item < offsets[row + 1]; item++) {
      if (items.present[item] === 0) throw new RowRefused(item, 2007, 'an item of the list has no value');
    }
  }
}

function rowOfItem(offsets: Int32Array, item: number): number {
  let row = 0;
  while (row + 2 < offsets.length && offsets[row + 1] <= item) row++;
  return row;
}
