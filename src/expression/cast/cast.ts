/** CAST and TRY_CAST between all types. */
import type { MemoryAccount } from '../../base/index.js';
import { SECONDS_PER_DAY } from '../../schema/index.js';
import { type ExactVector, type SqlType, scaleOf, type Vector, valueAt } from '../../vector/index.js';
import { rememberedByText } from '../by-text.js';
import { expressionError, named, quoted, tooManyDigits } from '../error.js';
import { booleanOf, exactOf, floatOf, numbersOf, textOf } from '../kinds.js';
import type { Evaluate, Node } from '../node.js';
import { isValid } from '../validity.js';
import {
  booleanToNumbers,
  exactToFloat,
  floatToDecimal,
  floatToInteger,
  numberToBoolean,
} from './cast-number.js';
import { readTexts, writeTexts } from './cast-text.js';
import { rescaled, rescaledLeniently } from './scale.js';

type Family = 'number' | 'boolean' | 'text' | 'json' | 'time' | 'interval';

const FAMILIES: Readonly<Record<SqlType['type'], Family>> = {
  integer: 'number',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  text: 'text',
  json: 'json',
  date: 'time',
  datetime: 'time',
  interval: 'interval',
};

/** The type families that each family can be cast to. */
const TARGETS: Readonly<Record<Family, readonly Family[]>> = {
  number: ['number', 'boolean', 'text'],
  boolean: ['number', 'boolean', 'text'],
  text: ['number', 'boolean', 'text', 'json', 'time', 'interval'],
  json: ['text', 'json'],
  time: ['time', 'text'],
  interval: ['interval', 'text'],
};

/** Throws 6000 for types that have no cast. */
export function evaluateCast(
  of: Node,
  to: SqlType,
  lenient: boolean,
  memory: MemoryAccount | null,
): Evaluate {
  const from = of.type;
  if (!TARGETS[FAMILIES[from.type]].includes(FAMILIES[to.type])) {
    throw expressionError(`${named(from)} cannot be cast to ${named(to)}`);
  }
  const read = rememberedByText(to, true, memory, (text) => readTexts(text, to));
  const refuses = !lenient && mayLoseValues(from, to);
  return (rows) => {
    const input = of.evaluate(rows);
    const converted = input.kind === 'text' ? read(input, rows.scannedRows) : castVector(input, from, to);
    if (refuses) refuseLost(input, converted, from, to);
    return converted;
  };
}

/** Whether the cast can lose values of `from`. */
export function mayLoseValues(from: SqlType, to: SqlType): boolean {
  if (from.type === 'text') return to.type !== 'text';
  if (from.type === 'float') return to.type === 'integer' || to.type === 'decimal';
  return FAMILIES[from.type] === 'number' && scaleOf(to) > scaleOf(from);
}

/** Throws 6000 if a row lost its value in the conversion. */
function refuseLost(input: Vector, converted: Vector, from: SqlType, to: SqlType): void {
  const { valid, count } = converted;
  if (valid === null || valid === input.valid) return;
  for (let row = 0; row < count; row++) {
    if (valid[row] === 1 || !isValid(input.valid, row)) continue;
    if (from.type !== 'text') throw tooManyDigits();
    throw expressionError(`the text ${quoted(String(valueAt(input, row)))} cannot be read as ${named(to)}`);
  }
}

/** Converts a vector; values that cannot be converted become missing. */
export function castVector(vector: Vector, from: SqlType, to: SqlType): Vector {
  if (vector.kind === 'text') return readTexts(textOf(vector), to);
  switch (to.type) {
    case 'text':
    case 'json':
      return writeTexts(vector, from);
    case 'boolean':
      return vector.kind === 'boolean' ? vector : numberToBoolean(vector);
    case 'float':
      return toFloat(vector, from);
    case 'interval':
      return vector;
    case 'date':
      return from.type === 'date' ? vector : mapTimes(vector, (value) => Math.floor(value / SECONDS_PER_DAY));
    case 'datetime':
      return from.type === 'datetime' ? vector : mapTimes(vector, (value) => value * SECONDS_PER_DAY);
    case 'integer':
    case 'decimal':
      return toExact(vector, from, to);
  }
}

export function toFloat(vector: Vector, from: SqlType): Vector {
  if (vector.kind === 'float') return vector;
  if (vector.kind === 'exact') return exactToFloat(vector, scaleOf(from));
  const { count, valid } = vector;
  return { kind: 'float', count, valid, numbers: booleanToNumbers(booleanOf(vector)) };
}

function toExact(vector: Vector, from: SqlType, to: SqlType): Vector {
  const scale = scaleOf(to);
  switch (vector.kind) {
    case 'exact':
      return rescaledLeniently(vector, scale - scaleOf(from));
    case 'float':
      return to.type === 'integer' ? floatToInteger(vector) : floatToDecimal(floatOf(vector), scale);
    default: {
      const { count, valid } = vector;
      const bits: ExactVector = {
        kind: 'exact',
        count,
        valid,
        numbers: booleanToNumbers(booleanOf(vector)),
        wide: null,
      };
      return rescaled(bits, scale);
    }
  }
}

function mapTimes(vector: Vector, of: (value: number) => number): ExactVector {
  const { count, valid } = exactOf(vector);
  const times = numbersOf(vector);
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) numbers[row] = of(times[row]);
  return { kind: 'exact', count, valid, numbers, wide: null };
}
