/** Binds the rows of COPY ... FROM, which are texts, to the JSON of /v1/insert. */
import { invariant } from '../../base/index.js';
import type { NamedColumn, SourcePosition, SqlNode, TableName } from '../tree.js';
import { attributesOf, dimensionOf } from './clauses/sources.js';
import { InsertTarget } from './insert-target.js';
import { type Misfit, misfitIn } from './postgres-values.js';
import type { SqlRequest } from './request.js';

export type { Misfit };

export interface CopyTarget {
  /** The names of the columns as they were written. */
  readonly names: readonly string[];
  /** The index of the entity ID, which must not be NULL. */
  readonly idAt: number;
  /** The first value that does not fit the type of its column; null = all do. */
  misfit(values: readonly (string | null)[]): (Misfit & { readonly index: number }) | null;
  /** The JSON member of one entity, `"id":{...}`. `values`: null = NULL, left out. */
  entity(values: readonly (string | null)[]): string;
}

/** `columns` null = those of SELECT *. Throws 6000 and 506. */
export function bindCopy(
  table: TableName,
  columns: readonly NamedColumn[] | null,
  request: SqlRequest,
): CopyTarget {
  const { position } = table;
  const named = columns ?? copyColumns(table, request).map((name) => ({ name, position }));
  const target = new InsertTarget(table, named, request, {
    message: 'COPY names no "entity-id"',
    position,
  });
  return {
    names: named.map(({ name }) => name),
    idAt: target.idAt,
    misfit(values) {
      for (const [index, column] of target.columns.entries()) {
        const text = values[index];
        if (text === null || column.is === 'entity-id') continue;
        const isDate = column.is === 'event' && column.part === 'date';
        const found = misfitIn(text, isDate ? null : column.column);
        if (found !== null) return { ...found, index };
      }
      return null;
    },
    entity(values) {
      const id = values[target.idAt];
      invariant(id !== null, 'a row of COPY has an entity ID');
      const present = target.columns.filter((_column, index) => values[index] !== null);
      const nodes = values.flatMap((text): SqlNode[] =>
        text === null
          ? []
          : [{ is: 'string', text, quotes: 'single', position: NOWHERE, parenthesized: false }],
      );
      return target.member(id, present, nodes);
    },
  };
}

const NOWHERE: SourcePosition = { line: 1, column: 1 };

/** The columns of SELECT * in order: the attributes that the caller may use. */
const copyColumns = (table: TableName, { model, access }: SqlRequest): readonly string[] =>
  attributesOf(dimensionOf(table, model), access).map(({ apiName }) => apiName);
