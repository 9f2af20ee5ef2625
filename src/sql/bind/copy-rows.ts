/** Binds the rows of COPY ... FROM, which are texts, to the JSON of /v1/insert. */
import { sqlError } from '../sql-error.js';
import type { NamedColumn, SourcePosition, SqlNode, TableName } from '../tree.js';
import { attributesOf, dimensionOf } from './clauses/sources.js';
import { InsertTarget } from './insert-target.js';
import type { SqlRequest } from './request.js';

export interface CopyTarget {
  readonly columnCount: number;
  /** The JSON member of one entity, `"id":{...}`. `values`: null = NULL, left out. Throws 6000. */
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
    columnCount: named.length,
    entity(values) {
      const id = values[target.idAt];
      if (id === null) throw sqlError('a row has no entity ID', null);
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
