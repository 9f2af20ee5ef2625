/** Reads the columns of a server, and creates the columns that an import needs. */
import { COLUMNS_PER_REQUEST_MAX } from '../../../base/index.js';
import { type ColumnType, DEFAULT_DIMENSION, type Storage, type TextCase } from '../../../schema/index.js';
import { type RemoteClient, RemoteError } from '../../remote/index.js';

/** The names of dimensions and columns that an import may create. */
export const API_NAME = /^[a-z0-9-]{1,64}$/;

export interface ServerColumn {
  readonly type: ColumnType;
  /** null for event columns. */
  readonly storage: Storage | null;
  readonly textCase: TextCase;
  readonly isActive: boolean;
}

/** Columns of a dimension by api-name; null = there is no such dimension. */
export type ServerColumns = ReadonlyMap<string, ServerColumn> | null;

interface Entry {
  readonly 'api-name': string;
  readonly type: ColumnType;
  readonly storage?: Storage;
  readonly case?: TextCase;
}

/** Reads the columns of a dimension. Rejects with the errors of `RemoteClient`. */
export async function fetchColumns(
  client: RemoteClient,
  key: string,
  dimension: string,
): Promise<ServerColumns> {
  const answer = (await client.json({ method: 'GET', path: '/v1/column', key })) as Record<
    string,
    { readonly active: readonly Entry[]; readonly inactive: readonly Entry[] } | undefined
  >;
  const listed = answer[dimension];
  if (listed === undefined) return null;
  const columns = new Map<string, ServerColumn>();
  for (const [entries, isActive] of [
    [listed.active, true],
    [listed.inactive, false],
  ] as const) {
    for (const { 'api-name': name, type, storage = null, case: textCase = 'fold' } of entries)
      columns.set(name, { type, storage, textCase, isActive });
  }
  return columns;
}

/** The body of POST /v1/column. */
export interface NewColumn {
  readonly name: string;
  readonly 'api-name': string;
  readonly type: ColumnType;
  readonly dimension: string;
  readonly storage?: Storage;
  readonly case?: TextCase;
  readonly cardinality?: 'low' | 'high';
  readonly 'decimal-places'?: number;
}

const DIMENSION_EXISTS = 5006;

/** Creates the dimension, if it does not exist, and the columns; `textCase` null = the default of the database. */
export async function makeColumns(
  client: RemoteClient,
  key: string,
  dimension: string,
  textCase: TextCase | null,
  columns: readonly NewColumn[],
): Promise<void> {
  const make = (path: string, body: unknown): Promise<unknown> =>
    client.json({ method: 'POST', path, key, body: JSON.stringify(body) });
  if (dimension !== DEFAULT_DIMENSION) {
    const body = { name: dimension, 'api-name': dimension, case: textCase };
    await make('/v1/dimension', body).catch((error) => {
      if (!(error instanceof RemoteError && error.code === DIMENSION_EXISTS)) throw error;
    });
  }
  for (let from = 0; from < columns.length; from += COLUMNS_PER_REQUEST_MAX) {
    await make('/v1/column', columns.slice(from, from + COLUMNS_PER_REQUEST_MAX));
  }
}
