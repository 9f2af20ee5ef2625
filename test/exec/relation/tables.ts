/** Generated relations as plain values, operators that return them, and the rows that an operator returns. */
import type { Prng } from '../../../src/base/index.js';
import type { Operator, RelationBatch } from '../../../src/exec/relation/operator.js';
import { pickedOf } from '../../../src/exec/relation/picked-batch.js';
import type { ColumnFilter } from '../../../src/exec/scan/column-filter.js';
import type { RelationColumn } from '../../../src/ir/index.js';
import {
  type SqlType,
  Texts,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
} from '../../../src/vector/index.js';

export interface Column extends RelationColumn {
  /** Values that the column draws from; null is missing. */
  readonly domain: readonly Value[];
  /** A dictionary with all texts of the domain; columns may share it. */
  readonly texts: Texts | null;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Value[])[];
}

export const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'decimal', scale: 2 },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'text' },
  { type: 'date' },
];

/** Different values of a type, some of them hard to compare or far apart. */
export function generateDomain(prng: Prng, type: SqlType, size: number): Value[] {
  const kind = prng.below(3);
  const values: Value[] = [];
  for (let index = 0; index < size; index++) {
    switch (type.type) {
      case 'float':
        values.push(index === 0 ? -0 : index === 1 ? 0 : kind === 0 ? index : (index - 3) / 7);
        break;
      case 'boolean':
        values.push(index % 2 === 0);
        break;
      case 'text':
        values.push(
          ['', 'a', 'ab', 'é', 'abcd\u0000', '🙂'][index] ?? `text ${index % 5}${'x'.repeat(index)}`,
        );
        break;
      default:
        values.push(exactValue(kind, index));
    }
  }
  return values;
}

function exactValue(kind: number, index: number): bigint {
  if (kind === 0) return BigInt(index - 2);
  const sparse = BigInt(index - 2) * 123_456_789_017n;
  return kind === 2 && index % 3 === 0 ? sparse + (1n << 70n) * BigInt(index + 1) : sparse;
}

/** A column that draws from `domain`, with texts of its own or those of `texts`. */
export function columnOf(
  column: number,
  type: SqlType,
  domain: readonly Value[],
  texts: Texts | null = null,
): Column {
  return { column, type, domain, texts };
}

/** The texts of a domain as a dictionary; null for other types. */
export function dictionaryOf(type: SqlType, domain: readonly Value[]): Texts | null {
  if (type.type !== 'text') return null;
  const strings = [...new Set(domain.filter((value) => value !== null).map(String))];
  return Texts.ofStrings([...strings, 'a text of no row'], true);
}

export function generateTable(
  prng: Prng,
  columns: readonly Column[],
  rowCount: number,
  missingShare: number,
): Table {
  const rows = Array.from({ length: rowCount }, () =>
    columns.map(({ domain }) => {
      if (prng.unit() < missingShare) return null;
      // The first values are more frequent.
      return domain[Math.floor(prng.unit() ** 2 * domain.length)];
    }),
  );
  return { columns, rows };
}

/** Returns a table in batches cut at random places, with steps without rows in between. */
export class TableOperator implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #table: Table;
  readonly #prng: Prng;
  readonly #rowsMax: number;
  releases = 0;
  /** Rows that did not pass filters. */
  omitted = 0;
  batchesReturned = 0;
  /** Filters that joins passed down; a random part of them is applied. */
  readonly #filters: { readonly column: number; readonly filter: ColumnFilter }[] = [];

  constructor(table: Table, prng: Prng, rowsMax = 40) {
    this.columns = table.columns.map(({ column, type }) => ({ column, type }));
    this.#table = table;
    this.#prng = prng;
    this.#rowsMax = rowsMax;
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const { columns, rows } = this.#table;
    for (let from = 0; from < rows.length; ) {
      const size = this.#prng.below(this.#rowsMax + 1);
      const part = rows.slice(from, from + size);
      from += size;
      if (this.#prng.below(4) === 0) yield null;
      const vectors = new Map(
        columns.map((column, index) => [
          column.column,
          this.#vector(
            column,
            part.map((row) => row[index]),
          ),
        ]),
      );
      this.batchesReturned++;
      yield this.#passing({ count: part.length, input: (column) => vectors.get(column) as Vector });
    }
  }

  rowsMax(): number | null {
    return this.#prng.below(4) === 0 ? null : this.#table.rows.length;
  }

  narrow(column: number, filter: ColumnFilter): void {
    this.#filters.push({ column, filter });
  }

  #passing(batch: RelationBatch): RelationBatch | null {
    let passing: RelationBatch | null = batch;
    for (const { column, filter } of this.#filters) {
      if (passing === null || this.#prng.below(3) === 0) continue;
      const rows: Uint32Array = new Uint32Array(passing.count);
      const remaining = filter.keep(passing.input(column), rows);
      this.omitted += passing.count - remaining;
      passing = pickedOf(passing, rows, remaining);
    }
    return passing;
  }

  /** A vector of the values in one of its layouts, with values of any kind where they are missing. */
  #vector({ type, texts, domain }: Column, values: readonly Value[]): Vector {
    const shadows = domain.filter((value) => value !== null);
    const missing = (): Value => (shadows.length === 0 ? null : shadows[this.#prng.below(shadows.length)]);
    const count = values.length;
    const full = values.map((value) => value ?? missing());
    const valid = values.includes(null) || this.#prng.below(5) === 0;
    const bytes = valid ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
    if (texts !== null && this.#prng.below(5) > 0) {
      const codes = new Map(Array.from({ length: texts.size }, (_, code) => [texts.text(code), code]));
      const own = Uint32Array.from(full, (value) => codes.get(String(value)) ?? 0);
      return { kind: 'text', count, valid: bytes, codes: own, texts };
    }
    const vector = vectorOf(type, full);
    if (vector.kind === 'exact' && this.#prng.below(4) === 0) {
      const wide = full.map((value) => (value as bigint | null) ?? 0n);
      return { kind: 'exact', count, valid: bytes, numbers: null, wide };
    }
    return { ...vector, valid: bytes ?? vector.valid };
  }

  release(): void {
    this.releases++;
  }
}

/** A value as text; equal values have equal texts. */
export const shownValue = (value: Value): string =>
  value === null ? 'null' : value === 0 ? '0' : `${typeof value} ${String(value)}`;

export const shownRow = (row: readonly Value[]): string => row.map(shownValue).join(' | ');

/** All rows that the operator returns, in order, as text. */
export function shownRows(operator: Operator): string[] {
  const rows: string[] = [];
  for (const batch of operator.batches()) {
    if (batch === null) continue;
    const vectors = operator.columns.map(({ column }) => batch.input(column));
    for (const vector of vectors) {
      if (vector.count !== batch.count) throw new Error(`${vector.count} values for ${batch.count} rows`);
    }
    for (let row = 0; row < batch.count; row++)
      rows.push(shownRow(vectors.map((vector) => valueAt(vector, row))));
  }
  return rows;
}

/** The first difference of two lists, or '' if they are equal. */
export function difference(found: readonly string[], wanted: readonly string[]): string {
  const length = Math.max(found.length, wanted.length);
  for (let at = 0; at < length; at++) {
    if (found[at] !== wanted[at]) return `${at} of ${wanted.length}: ${found[at]} instead of ${wanted[at]}`;
  }
  return '';
}
