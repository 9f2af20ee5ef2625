/** Calls of functions: selects the implementation for the types of the arguments. */
import { invariant, type MemoryAccount } from '../../base/index.js';
import {
  type Expression,
  FAILING_DATE_FUNCTIONS,
  FAILING_TEXT_FUNCTIONS,
  type ScalarFunction,
  TEXT,
} from '../../ir/index.js';
import type { SqlType, Vector } from '../../vector/index.js';
import { compareRows } from '../../vector/index.js';
import { type Apply, evaluateByText } from '../by-text.js';
import { castVector } from '../cast/cast.js';
import { numericTexts } from '../cast/cast-text.js';
import { dateFunction } from '../dates/date-calls.js';
import { intervalFunction } from '../dates/interval-calls.js';
import { expressionError } from '../error.js';
import { exactOf } from '../kinds.js';
import { type MergePart, merge, TextUnion } from '../merge.js';
import { constantValue, type Evaluate, type Node } from '../node.js';
import { isValid } from '../validity.js';
import { floatPairFunction } from './float-calls.js';
import { mayRescale, numberFunction } from './number-calls.js';
import { jsonItems, packTexts } from './packed.js';
import { checkRows, dividesStrictly, limitDigits, strictDivision } from './postgres-calls.js';
import { regressionFunction } from './regression.js';
import { rowCall } from './row-function.js';
import { ROW_FUNCTIONS } from './row-functions.js';
import { textFunction } from './text-calls.js';
import { wholeFunction, wholeMayFail } from './whole-calls.js';

type Call = Extract<Expression, { readonly op: 'call' }>;

/** Throws 6000 for arguments that the function does not support. */
export function evaluateCall(call: Call, args: readonly Node[], memory: MemoryAccount | null): Evaluate {
  const { name, type, unit } = call;
  const row = ROW_FUNCTIONS[name];
  const apply =
    row === undefined ? (textFunction(name) ?? otherFunction(name, type, unit, args, memory)) : rowCall(row);
  return evaluateByText(args, type, isStrict(name), memory, apply);
}

/** Whether the result is missing if any argument is missing. */
const isStrict = (name: ScalarFunction): boolean =>
  ROW_FUNCTIONS[name]?.strict ??
  (name !== 'concat' && name !== 'pack' && name !== 'json-item' && name !== 'greatest' && name !== 'least');

function otherFunction(
  name: ScalarFunction,
  type: SqlType,
  unit: Call['unit'],
  args: readonly Node[],
  memory: MemoryAccount | null,
): Apply {
  const types = args.map((arg) => arg.type);
  if (name === 'pack') {
    const directions = String(constantValue(args[0])).match(/../g) ?? [];
    return ([, text, ...keys]) => packTexts(directions, text, keys);
  }
  if (name === 'json-item') {
    return ([vector]) => jsonItems(vector, types[0], (values) => castVector(values, types[0], TEXT));
  }
  if (name === 'greatest' || name === 'least') return extremes(type, name === 'greatest' ? 1 : -1, memory);
  const ofNumbers =
    floatPairFunction(name, types) ?? wholeFunction(name, types) ?? regressionFunction(name, types);
  if (ofNumbers !== null) return ofNumbers;
  if (dividesStrictly(name)) return ([left, right]) => strictDivision(name, types[0], left, right);
  if (name === 'numeric-text') return ([vector]) => numericTexts(vector, types[0]);
  if (name === 'limit-digits')
    return ([vector]) => limitDigits(exactOf(vector), Number(constantValue(args[1])));
  if (name === 'checked') return ([value, ok]) => checkRows(value, ok, String(constantValue(args[2])));
  const ofIntervals = intervalFunction(name, unit);
  if (ofIntervals !== null) return ofIntervals;
  const ofDates = dateFunction(name, unit, types, type);
  if (ofDates !== null) return ofDates;
  const ofNumber = numberFunction(name, types[0], type, digitsOf(name, args));
  invariant(ofNumber !== null, `${name} is a function of texts, dates or numbers`);
  return ([vector]) => ofNumber(vector);
}

/** The fractional digits that round and truncate keep. Throws 6000 if the argument is not constant. */
function digitsOf(name: ScalarFunction, args: readonly Node[]): number {
  const digits = args[1];
  if (digits === undefined || (name !== 'round' && name !== 'truncate')) return 0;
  const value = digits.constant ? constantValue(digits) : null;
  if (value === null)
    throw expressionError(`the digits of ${name.toUpperCase()} must be a number, the same for all rows`);
  return Math.trunc(Number(value));
}

/** Whether the function can raise an error for some row. */
export function callMayFail(name: ScalarFunction): boolean {
  return (
    dividesStrictly(name) ||
    name === 'limit-digits' ||
    name === 'checked' ||
    name === 'pack' ||
    FAILING_TEXT_FUNCTIONS.has(name) ||
    FAILING_DATE_FUNCTIONS.has(name) ||
    mayRescale(name) ||
    wholeMayFail(name)
  );
}

/** The greatest (`sign` 1) or least argument of each row; missing ones are ignored. */
function extremes(type: SqlType, sign: 1 | -1, memory: MemoryAccount | null): Apply {
  const union = new TextUnion(memory);
  return (args, count) => {
    const best = new Int32Array(count).fill(-1);
    args.forEach((vector, index) => {
      for (let row = 0; row < count; row++) {
        if (isValid(vector.valid, row) && isBetter(args, best[row], vector, row, sign)) best[row] = index;
      }
    });
    return merge(type, count, partsOf(args, best), union);
  };
}

const isBetter = (
  args: readonly Vector[],
  best: number,
  vector: Vector,
  row: number,
  sign: 1 | -1,
): boolean => best === -1 || compareRows(vector, row, args[best], row) * sign > 0;

/** Row r comes from argument best[r]; -1 = from none. */
function partsOf(args: readonly Vector[], best: Int32Array): MergePart[] {
  return args.flatMap((vector, index) => {
    const rows = rowsWith(best, index);
    return rows.length === 0 ? [] : [{ vector, from: rows, to: rows }];
  });
}

function rowsWith(best: Int32Array, index: number): Uint32Array {
  const rows = new Uint32Array(best.length);
  let found = 0;
  for (let row = 0; row < best.length; row++) if (best[row] === index) rows[found++] = row;
  return rows.subarray(0, found);
}
