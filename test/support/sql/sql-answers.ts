/** Quarry's answers, and their comparison with those of another engine. */
import { ExactNumber, type Json, type JsonObject, parseJson } from '../../../src/api/index.js';
import { jsonText } from '../generate.js';
import type { AnswerValue } from './sql-engines.js';
import type { Kind } from './sql-piece.js';

/** The rows of an answer with one value per item. Throws if a number is not written as its type requires. */
export function rowsOf(text: string, kinds: readonly Kind[]): AnswerValue[][] {
  const answer = parseJson(Buffer.from(text)) as JsonObject;
  const rows = answer.get('result') as readonly JsonObject[];
  if ((answer.get('count') as ExactNumber).text !== String(rows.length))
    throw new Error('count differs from the number of rows');
  return rows.map((row) => {
    const values = [...row.values()];
    if (values.length !== kinds.length) throw new Error(`${values.length} values instead of ${kinds.length}`);
    return values.map((value, at) => answerValueOf(value, kinds[at]));
  });
}

const FORMS: Partial<Record<Kind['type'], RegExp>> = {
  integer: /^-?\d+$/,
  decimal: /^-?\d+\.(\d|\d*[1-9])$/,
  float: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/,
};

function answerValueOf(value: Json, { type, scale }: Kind): AnswerValue {
  if (value === null) return null;
  if (type === 'json') return jsonText(value);
  if (!(value instanceof ExactNumber)) {
    if (FORMS[type] !== undefined) throw new Error(`${jsonText(value)} is not a number`);
    if ((type === 'boolean') !== (typeof value === 'boolean'))
      throw new Error(`${jsonText(value)} is not of type ${type}`);
    return value as string | boolean;
  }
  const form = FORMS[type];
  if (form === undefined || !form.test(value.text))
    throw new Error(`${value.text} is not written as ${type}`);
  if (type === 'integer') return value.text;
  if (type === 'decimal' && scale === 0) return value.text.slice(0, -2);
  if (type === 'decimal') return value.text.padEnd(value.text.indexOf('.') + 1 + scale, '0');
  if (!/[.e]/.test(value.text)) throw new Error(`${value.text} is not written as a float`);
  return Number(value.text);
}

/** Floats that both engines compute from exact numbers are compared to the last bit or two, others to nine digits. */
function near(a: number, b: number, { firm, digits }: Kind): boolean {
  if (a === b) return true;
  const most = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) <= (firm ? most * 4e-16 : Math.max(most * 1e-9, 1e-6, 10 ** (digits - 13)));
}

const valuesEqual = (a: AnswerValue, b: AnswerValue, kind: Kind): boolean =>
  typeof a === 'number' && typeof b === 'number' ? near(a, b, kind) : a === b;

/**
 * Orders null first, then by text. Floats compare as equal, because those of another engine may be only nearly equal.
 */
function compareValues(a: AnswerValue, b: AnswerValue): number {
  if (typeof a === 'number' && typeof b === 'number') return 0;
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareRows(a: readonly AnswerValue[], b: readonly AnswerValue[]): number {
  for (let at = 0; at < a.length; at++) {
    const found = compareValues(a[at], b[at]);
    if (found !== 0) return found;
  }
  return 0;
}

/** Sorts by all other values, then by floats, so that most nearly equal rows are at the same index. */
function sorted(rows: readonly (readonly AnswerValue[])[]): (readonly AnswerValue[])[] {
  const floats = (row: readonly AnswerValue[]): number[] => row.filter((value) => typeof value === 'number');
  return [...rows].sort((a, b) => {
    const [found, x, y] = [compareRows(a, b), floats(a), floats(b)];
    return found === 0 ? (x.map((float, at) => float - y[at]).find((less) => less !== 0) ?? 0) : found;
  });
}

/** The rows of `expected` in an order in which as many as possible equal the row of `found` at the same index. */
function arranged(
  found: readonly (readonly AnswerValue[])[],
  expected: readonly (readonly AnswerValue[])[],
  equals: (a: readonly AnswerValue[], b: readonly AnswerValue[]) => boolean,
): (readonly AnswerValue[])[] {
  const rest = [...expected];
  for (let row = 0; row < rest.length; row++) {
    let at = row;
    while (at < rest.length && compareRows(rest[at], rest[row]) === 0 && !equals(found[row], rest[at])) at++;
    if (at < rest.length && equals(found[row], rest[at])) [rest[row], rest[at]] = [rest[at], rest[row]];
  }
  return rest;
}

const shown = (row: readonly AnswerValue[] | undefined): string =>
  row === undefined ? 'no row' : JSON.stringify(row);

/** The first difference; null if there is none. */
export function difference(
  found: readonly (readonly AnswerValue[])[],
  expected: readonly (readonly AnswerValue[])[],
  items: readonly Kind[],
  ordered: boolean,
): string | null {
  if (found.length !== expected.length) {
    const extra = found.find(
      (row) => !expected.some((other) => JSON.stringify(other) === JSON.stringify(row)),
    );
    const lost = expected.find(
      (row) => !found.some((other) => JSON.stringify(other) === JSON.stringify(row)),
    );
    return `${found.length} rows instead of ${expected.length}: too many ${shown(extra)}, lost ${shown(lost)}`;
  }
  const equals = (a: readonly AnswerValue[], b: readonly AnswerValue[]): boolean =>
    a.every((value, at) => valuesEqual(value, b[at], items[at]));
  const a = ordered ? found : sorted(found);
  const b = ordered ? expected : arranged(a, sorted(expected), equals);
  for (let row = 0; row < a.length; row++) {
    if (!equals(a[row], b[row])) {
      return `row ${row} is ${shown(a[row])} instead of ${shown(b[row])}`;
    }
  }
  return null;
}
