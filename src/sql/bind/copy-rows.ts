/** Binds the rows of COPY ... FROM, which are texts, to the JSON of /v1/insert. */
import type { Dimension } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { SourcePosition, SqlNode, TableName } from '../tree.js';
import { attributesOf, dimensionOf } from './clauses/sources.js';
import type { SqlRequest } from './request.js';
import { checkDistinct, membersOfRow, writeColumn } from './write-values.js';

export interface CopyTarget {
  readonly columnCount: number;
  /** The JSON member of one entity, `"id":{...}`. `values`: null = NULL, left out. Throws 6000. */
  entity(values: readonly (string | null)[]): string;
}

interface NamedColumn {
  readonly name: string;
  readonly position: SourcePosition;
}

/** `columns` null = those of SELECT *. Throws 6000 and 506. */
export function bindCopy(
  table: TableName,
  columns: readonly NamedColumn[] | null,
  request: SqlRequest,
): CopyTarget {
  const dimension = dimensionOf(table, request.model);
  const { access } = request;
  const named =
    columns ?? copyColumns(dimension, request).map((name) => ({ name, position: table.position }));
  const targets = named.map(({ name, position }) => writeColumn(name, dimension, access, position));
  checkDistinct(
    targets,
    named.map(({ position }) => position),
  );
  const idAt = targets.findIndex(({ is }) => is === 'entity-id');
  if (idAt === -1) throw sqlError('COPY names no "entity-id"', table.position);
  const prefix = `{"dimension":${JSON.stringify(dimension.apiName)}`;
  return {
    columnCount: targets.length,
    entity(values) {
      const id = values[idAt];
      if (id === null) throw sqlError('a row has no entity ID', null);
      const present = targets.filter((_target, index) => values[index] !== null);
      const nodes = values.flatMap((text): SqlNode[] =>
        text === null
          ? []
          : [{ is: 'string', text, quotes: 'single', position: NOWHERE, parenthesized: false }],
      );
      const members = membersOfRow(present, nodes, 'postgres');
      return `${JSON.stringify(id)}:${prefix}${members === '' ? '' : ','}${members}}`;
    },
  };
}

const NOWHERE: SourcePosition = { line: 1, column: 1 };

/** The columns of SELECT * in order: the attributes that the caller may use. */
const copyColumns = (dimension: Dimension, { access }: SqlRequest): readonly string[] =>
  attributesOf(dimension, access).map(({ apiName }) => apiName);
