/**
 * Compares JSON answers with those of the row-at-a-time model. Integers and numbers with a fraction are different
 * tokens; both are compared exactly, except those that the model marks as approximate.
 */
import { ExactNumber, type Json, type JsonObject } from '../../src/api/index.js';
import { jsonText } from './generate.js';
import { compareFractions, fraction } from './model/json.js';
import { type Extracted, NearNumber } from './model.js';

const SHOWN_CHARS = 600;

const shown = (json: Json | undefined): string =>
  json === undefined ? 'nothing' : jsonText(json).slice(0, SHOWN_CHARS);

/** The first difference of `found` from the expected answer; null if there is none. Members of objects have no order. */
export function answerDifference(expected: Json, found: Json | undefined, path = 'result'): string | null {
  const wrong = (): string => `${path} is ${shown(found)}, expected ${shown(expected)}`;
  if (expected instanceof ExactNumber) {
    return found instanceof ExactNumber && isSameNumber(expected, found.text) ? null : wrong();
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return wrong();
    return firstOf(expected, (item, index) => answerDifference(item, found[index], `${path}[${index}]`));
  }
  if (!(expected instanceof Map)) return expected === found ? null : wrong();
  if (!(found instanceof Map) || found.size !== expected.size) return wrong();
  return firstOf([...(expected as JsonObject)], ([key, value]) =>
    answerDifference(value, found.get(key), `${path}.${key}`),
  );
}

function firstOf<T>(items: readonly T[], differ: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const difference = differ(item, index);
    if (difference !== null) return difference;
  }
  return null;
}

const hasFraction = (token: string): boolean => /[.eE]/.test(token);

function isSameNumber(expected: ExactNumber, found: string): boolean {
  if (!hasFraction(expected.text)) return expected.text === found;
  if (!hasFraction(found)) return false;
  if (!(expected instanceof NearNumber))
    return compareFractions(fraction(expected.text), fraction(found)) === 0;
  const [one, other] = [Number(expected.text), Number(found)];
  const largest = Math.max(Math.abs(one), Math.abs(other));
  return Math.abs(one - other) <= expected.absolute + expected.relative * largest;
}

/** Like answerDifference, for the concatenated `data` of all pages of an extraction. */
export function rowsDifference(expected: Extracted, pages: readonly (Json | undefined)[]): string | null {
  const rows = expected.isList ? listedRows(pages) : rowsById(pages);
  if (typeof rows === 'string') return rows;
  const count = Math.min(expected.limit, expected.rows.length);
  if (rows.length !== count) return `there are ${rows.length} rows, expected ${count}`;
  if (expected.isOrdered) {
    return firstOf(rows, ([id, row], index) => {
      const [expectedId, expectedRow] = expected.rows[index];
      if (id !== null && id !== expectedId) return `row ${index} has entity ID ${id}, expected ${expectedId}`;
      return answerDifference(expectedRow, row, `row ${index}`);
    });
  }
  const left = new Map(expected.rows);
  return firstOf(rows, ([id, row], index) => {
    const expectedRow = left.get(id ?? '');
    if (expectedRow === undefined)
      return `row ${index} has entity ID ${id}, which is unexpected or a duplicate`;
    left.delete(id ?? '');
    return answerDifference(expectedRow, row, `row ${index}`);
  });
}

type FoundRow = readonly [id: string | null, row: Json];

function listedRows(pages: readonly (Json | undefined)[]): readonly FoundRow[] | string {
  const rows: FoundRow[] = [];
  for (const page of pages) {
    if (!Array.isArray(page)) return `data is not a list: ${shown(page)}`;
    for (const row of page as readonly Json[]) {
      const id = row instanceof Map ? (row as JsonObject).get('entity-id') : undefined;
      rows.push([typeof id === 'string' ? id : null, row]);
    }
  }
  return rows;
}

function rowsById(pages: readonly (Json | undefined)[]): readonly FoundRow[] | string {
  const rows: FoundRow[] = [];
  for (const page of pages) {
    if (!(page instanceof Map)) return `data is not an object: ${shown(page)}`;
    rows.push(...(page as JsonObject));
  }
  return rows;
}
