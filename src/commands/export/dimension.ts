/** The columns of a dimension, read from the server, and the SELECT statements that export them. */
import type { RemoteAccess, RemoteClient } from '../remote/index.js';

export interface DimensionColumn {
  readonly apiName: string;
  /** The type's name in the interface: "integer", "string-event", ... */
  readonly type: string;
  readonly isList: boolean;
}

export interface DimensionModel {
  readonly name: string;
  /** Active columns that the key may read, without the entity ID. */
  readonly attributes: readonly DimensionColumn[];
  readonly events: readonly DimensionColumn[];
  /** Names of inactive columns, whose values cannot be read. */
  readonly inactive: readonly string[];
  /** Names of the relations between its event columns. */
  readonly relations: readonly string[];
}

interface ColumnEntry {
  readonly 'api-name': string;
  readonly type: string;
  readonly storage?: string;
}

const isEvent = ({ type }: DimensionColumn): boolean => type.endsWith('-event');

/** Reads all dimensions. Rejects with the server's error. */
export async function readDimensions(
  client: RemoteClient,
  { key }: RemoteAccess,
  signal?: AbortSignal,
): Promise<readonly DimensionModel[]> {
  const get = (path: string): Promise<unknown> => client.json({ method: 'GET', path, key, signal });
  const { dimensions } = (await get('/v1/dimension')) as { dimensions: readonly string[] };
  const listed = (await get('/v1/column')) as Record<
    string,
    { active?: readonly ColumnEntry[]; inactive?: readonly ColumnEntry[] }
  >;
  const { relations } = (await get('/v1/column/relation')) as { relations: Record<string, object> };
  return dimensions.map((name) => {
    const columns = (listed[name]?.active ?? [])
      .filter(({ type }) => type !== 'unique-id')
      .map((entry) => ({
        apiName: entry['api-name'],
        type: entry.type,
        isList: entry.storage === 'list-of-values' && !entry.type.endsWith('-event'),
      }));
    return {
      name,
      attributes: columns.filter((column) => !isEvent(column)),
      events: columns.filter(isEvent),
      inactive: (listed[name]?.inactive ?? []).map((entry) => entry['api-name']),
      relations: Object.keys(relations[name] ?? {}),
    };
  });
}

/** An api-name in brackets; api-names contain neither brackets nor quotes. */
export const bracketed = (name: string): string => `[${name}]`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Selects the entity ID and all attribute columns. */
export function selectAttributes({ name, attributes }: DimensionModel): string {
  const columns = ['entity-id', ...attributes.map(({ apiName }) => apiName)];
  return `SELECT ${columns.map(bracketed).join(', ')} FROM ${bracketed(name)}`;
}

/** Selects all events of a column, one row per event. */
export function selectEvents({ name }: DimensionModel, { apiName }: DimensionColumn): string {
  return `SELECT [entity-id], [${apiName}.value], [${apiName}.date] FROM ${bracketed(name)}`;
}
