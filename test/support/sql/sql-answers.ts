/** Quarry's answers, and how they are compared with those of another engine. */
import { ExactNumber, type Json, type JsonObject, parseJson } from '../../../src/api/index.js';
import { jsonText } from '../generate.js';
import type { Cell } from './sql-engines.js';
import type { Kind } from './sql-piece.js';

/** The rows of an answer with one cell per item; throws where a number is not written as its type asks. */
export function rowsOf(text: string, kinds: readonly Kind[]): Cell[][] {
  const answer = parseJson(Buffer.from(text)) as JsonObject;
  const rows = answer.get('result') as readonly JsonObject[];
  if ((answer.get('count') as ExactNumber).text !== String(rows.length))
    throw new Error('count is not that of the rows');
  return rows.map((row) => {
    const values = [...row.values()];
    if (values.length !== kinds.length) throw new Error(`${values.length} values instead of ${kinds.length}`);
    return values.map((value, at) => cellOf(value, kinds[at]));
  });
}

const FORMS: Partial<Record<Kind['type'], RegExp>> = {
  integer: /^-?\d+$/,
  decimal: /^-?\d+\.(\d|\d*[1-9])$/,
  float: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/,
};

function cellOf(value: Json, { type, scale }: Kind): Cell {
  if (value === null) return null;
  if (type === 'json') return jsonText(value);
  if (!(value instanceof ExactNumber)) {
    if (FORMS[type] !== undefined) throw new Error(`${jsonText(value)} is no number`);
    if ((type === 'boolean') !== (typeof value === 'boolean'))
      throw new Error(`${jsonText(value)} is no ${type}`);
    return value as string | boolean;
  }
  const form = FORMS[type];
  if (form === undefined || !form.test(value.text)) throw new Error(`${value.text} is written as no ${type}`);
  if (type === 'integer') return value.text;
  if (type === 'decimal' && scale === 0) return value.text.slice(0, -2);
  if (type === 'decimal') return value.text.padEnd(value.text.indexOf('.') + 1 + scale, '0');
  if (!/[.e]/.test(value.text)) throw new Error(`${value.text} is written as no float`);
  return Number(value.text);
}

/** Floats that both work out from exact numbers agree to the last bit or two, others to nine digits. */
function near(a: number, b: number, { firm, digits }: Kind): boolean {
  if (a === b) return true;
  const most = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) <= (firm ? most * 4e-16 : Math.max(most * 1e-9, 1e-6, 10 ** (digits - 13)));
}

const cellsEqual = (a: Cell, b: Cell, kind: Kind): boolean =>
  typeof a === 'number' && typeof b === 'number' ? near(a, b, kind) : a === b;

/** Null first, then as text. Floats do not decide: those of another engine may be nearly equal only. */
function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return 0;
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareRows(a: readonly Cell[], b: readonly Cell[]): number {
  for (let at = 0; at < a.length; at++) {
    const found = compareCells(a[at], b[at]);
    if (found !== 0) return found;
  }
  return 0;
}

/** By all that decides, then by floats, so that most of those that are nearly equal meet at once. */
function sorted(rows: readonly (readonly Cell[])[]): (readonly Cell[])[] {
  const floats = (row: readonly Cell[]): number[] => row.filter((cell) => typeof cell === 'number');
  return [...rows].sort((a, b) => {
    const [found, x, y] = [compareRows(a, b), floats(a), floats(b)];
    return found === 0 ? (x.map((float, at) => float - y[at]).find((less) => less !== 0) ?? 0) : found;
  });
}

/** The rows of `expected` in an order in which each equals that of `found` at its place, as far as there are such. */
function arranged(
  found: readonly (readonly Cell[])[],
  expected: readonly (readonly Cell[])[],
  equals: (a: readonly Cell[], b: readonly Cell[]) => boolean,
): (readonly Cell[])[] {
  const rest = [...expected];
  for (let row = 0; row < rest.length; row++) {
    let at = row;
    while (at < rest.length && compareRows(rest[at], rest[row]) === 0 && !equals(found[row], rest[at])) at++;
    if (at < rest.length && equals(found[row], rest[at])) [rest[row], rest[at]] = [rest[at], rest[row]];
  }
  return rest;
}

const shown = (row: readonly Cell[] | undefined): string =>
  row === undefined ? 'no row' : JSON.stringify(row);

/** The first difference; null: none. */
export function difference(
  found: readonly (readonly Cell[])[],
  expected: readonly (readonly Cell[])[],
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
  const equals = (a: readonly Cell[], b: readonly Cell[]): boolean =>
    a.every((cell, at) => cellsEqual(cell, b[at], items[at]));
  const a = ordered ? found : sorted(found);
  const b = ordered ? expected : arranged(a, sorted(expected), equals);
  for (let row = 0; row < a.length; row++) {
    if (!equals(a[row], b[row])) {
      return `row ${row} is ${shown(a[row])} instead of ${shown(b[row])}`;
    }
  }
  return null;
}
