/** Generated rows as operators that return them in batches of odd sizes, and the rows that operators return. */
import type { Prng } from '../../../src/base/index.js';
import type { QueryRun } from '../../../src/exec/query-run.js';
import type { Operator, RelationBatch } from '../../../src/exec/relation/operator.js';
import type { RelationColumn } from '../../../src/ir/index.js';
import {
  type SqlType,
  Texts,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../../src/vector/index.js';

export type Row = readonly Value[];

export const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'decimal', scale: 2 },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'text' },
  { type: 'date' },
  { type: 'datetime' },
];

/** Which values a column has: few different ones, any, or with integers beyond 2^53. */
export type Spread = 'few' | 'any' | 'wide';

const LETTERS = ['a', 'b', '\u0000', 'ß', '\uffff', '\u{10000}', 'abcdef'];

export function generatedValue(prng: Prng, { type }: SqlType, spread: Spread): Value {
  if (prng.below(6) === 0) return null;
  switch (type) {
    case 'boolean':
      return prng.below(2) === 0;
    case 'float':
      return generatedFloat(prng, spread);
    case 'text':
    case 'json':
      return Array.from({ length: prng.below(spread === 'few' ? 2 : 6) }, () => prng.pick(LETTERS)).join('');
    default:
      if (spread === 'few') return BigInt(prng.below(7) - 3);
      if (spread === 'any')
        return BigInt(prng.pick([prng.below(40), prng.u32() - 2 ** 31, prng.u32() * 2 ** 20]));
      return BigInt(prng.u32() - 2 ** 31) * prng.pick([1n, 2n ** 30n, 2n ** 60n, -(2n ** 80n)]);
  }
}

function generatedFloat(prng: Prng, spread: Spread): number {
  if (spread === 'few') return prng.pick([-0, 0, 0.5, 1, -1, 2.25]);
  if (spread === 'any') return (prng.u32() - 2 ** 31) / prng.pick([1, 3, 1_000, 2 ** 20]);
  return prng.pick([1e300, -1e300, 1e-300, 1.5, -1, 1e16, 0.1, 3e-310, 1.7e308]) * (1 - prng.below(2) * 2);
}

/** Returns the rows in batches of a few sizes, with empty batches and steps without rows between them. */
export function operatorOf(
  prng: Prng,
  columns: readonly RelationColumn[],
  rows: readonly Row[],
  onRelease: () => void = () => {},
): Operator & { readonly readRows: number } {
  const dictionaries = new Map<number, Map<string, number>>();
  const sharesTexts = prng.below(2) === 0;
  for (const [index, { type }] of columns.entries()) {
    if (type.type !== 'text' || !sharesTexts) continue;
    const texts = [...new Set(rows.map((row) => row[index] ?? ''))].map(String);
    dictionaries.set(index, new Map([...new Set(['unused', ...texts])].map((text, code) => [text, code])));
  }
  const lists = new Map(
    [...dictionaries].map(([index, map]) => [index, Texts.ofStrings([...map.keys()], true)]),
  );
  const vector = (index: number, part: readonly Row[]): Vector => {
    const made = vectorOf(
      columns[index].type,
      part.map((row) => row[index]),
    );
    const [codes, texts] = [dictionaries.get(index), lists.get(index)];
    if (made.kind !== 'text' || codes === undefined || texts === undefined) return made;
    return {
      ...made,
      codes: Uint32Array.from(part, (row) => codes.get(String(row[index] ?? '')) ?? 0),
      texts,
    };
  };
  const sizes = prng.pick([
    [1, 2, 3],
    [1, 7, 64],
    [1_000, 8_192],
  ]);
  let readRows = 0;
  return {
    columns,
    get readRows() {
      return readRows;
    },
    *batches(): Generator<RelationBatch | null, undefined> {
      for (let from = 0; from < rows.length; ) {
        const part = rows.slice(from, from + prng.pick(sizes));
        from += part.length;
        readRows = from;
        const vectors = columns.map((_, index) => vector(index, part));
        const input = (column: number): Vector => vectors[columns.findIndex((of) => of.column === column)];
        yield { count: part.length, input };
        if (prng.below(4) === 0) yield null;
        if (prng.below(8) === 0) {
          const none = columns.map((_, index) => vector(index, []));
          yield { count: 0, input: (column) => none[columns.findIndex((of) => of.column === column)] };
        }
      }
    },
    release: onRelease,
  };
}

/** All rows of an operator, which is released. */
export function rowsFrom(operator: Operator): Row[] {
  const rows: Row[] = [];
  for (const batch of operator.batches()) {
    if (batch === null) continue;
    const vectors = operator.columns.map(({ column }) => batch.input(column));
    for (let row = 0; row < batch.count; row++) rows.push(vectors.map((vector) => valueAt(vector, row)));
  }
  operator.release();
  return rows;
}

/** Values as text that distinguishes 0 from -0 and numbers from bigints. */
export const shown = (value: Value): string =>
  value === null
    ? 'null'
    : typeof value === 'bigint'
      ? `${value}n`
      : Object.is(value, -0)
        ? '-0'
        : JSON.stringify(value);

/** The first row in which two lists of rows differ; null = none. */
export function firstDifference(found: readonly Row[], expected: readonly Row[]): string | null {
  const lines = [found, expected].map((rows) => rows.map((row) => row.map(shown).join(' ')));
  for (let row = 0; row < Math.max(found.length, expected.length); row++) {
    if (lines[0][row] !== lines[1][row]) return `row ${row}: ${lines[0][row]} instead of ${lines[1][row]}`;
  }
  return null;
}

/** Compares two values of a type: missing values are first or last, others ascend or descend. */
export function compareValues(a: Value, b: Value, descending: boolean, missingFirst: boolean): number {
  if (a === null || b === null) {
    const order = (a === null ? 1 : 0) - (b === null ? 1 : 0);
    return missingFirst ? -order : order;
  }
  const order =
    typeof a === 'string'
      ? Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
      : a < b
        ? -1
        : a > b
          ? 1
          : 0;
  return descending ? -order : order;
}

/** Runs the operator with less and less memory; returns the number of refusals. Nothing may stay reserved. */
export function refusals(
  bytes: number,
  run: (bytesMax: number) => { readonly run: QueryRun; readonly operator: Operator },
): { readonly refused: number; readonly left: number } {
  let [refused, left] = [0, 0];
  for (let bytesMax = bytes; bytesMax > 0; bytesMax = Math.floor(bytesMax * 0.7)) {
    const { run: account, operator } = run(bytesMax);
    try {
      for (const _ of operator.batches());
    } catch (error) {
      if ((error as { code?: number }).code !== 9006) throw error;
      refused++;
    }
    operator.release();
    left += Math.abs(account.reservedBytes);
  }
  return { refused, left };
}
