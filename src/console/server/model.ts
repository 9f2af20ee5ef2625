/** The dimensions and columns of a database as the server lists them, with sizes if the key may see them. */
import { type Client, RequestError } from './client.js';
import { isList, isObject, type Json, type JsonObject } from './json.js';

/** How values of a column are entered and compared. */
export type ValueKind = 'text' | 'number' | 'yes-no' | 'day' | 'moment' | 'point';

export interface Column {
  /** The api-name. */
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  readonly type: string;
  readonly kind: ValueKind;
  readonly isEvent: boolean;
  readonly isList: boolean;
  readonly isActive: boolean;
  readonly description: string;
  /** null = unknown. */
  readonly events: number | null;
  readonly bytes: number | null;
}

export interface Dimension {
  readonly name: string;
  /** null = unknown. */
  readonly entities: number | null;
  readonly bytes: number | null;
  readonly columns: readonly Column[];
  /** Names of the segments of its entities that the key may use. */
  readonly segments: readonly string[];
}

export interface Model {
  /** null = unknown. */
  readonly database: string | null;
  readonly dimensions: readonly Dimension[];
}

export const ENTITY_ID = 'entity-id';

const KINDS: Readonly<Record<string, ValueKind>> = {
  integer: 'number',
  decimal: 'number',
  enumerated: 'number',
  boolean: 'yes-no',
  date: 'day',
  datetime: 'moment',
  geolocation: 'point',
};

const EVENT_TYPE = /-event$/;

/** Members of the listing that are not dimensions. */
const NOT_DIMENSIONS: ReadonlySet<string> = new Set(['status', 'count', 'took']);

/**
 * `listing` is the answer to GET /v1/column, `sizes` the answer to GET /v1/status, `named` the answer to GET /v1/segment; null if
 * the key may not read it.
 */
export function readModel(listing: Json, sizes: Json, named: Json = null): Model {
  const status = isObject(sizes) ? sizes : {};
  const segments = objectsIn(isObject(named) ? named.segments : null);
  const dimensionSizes = objectsIn(status.dimensions);
  const entries = isObject(listing) ? Object.entries(listing) : [];
  const dimensions = entries.flatMap(([name, value]) => {
    if (NOT_DIMENSIONS.has(name) || !isObject(value)) return [];
    const size = dimensionSizes.find((one) => one['api-name'] === name);
    const columns = [
      ...columnsOf(objectsIn(value.active), true, size),
      ...columnsOf(objectsIn(value.inactive), false, size),
    ];
    return [
      {
        ...{ name, entities: numberOrNull(size?.entities), bytes: numberOrNull(size?.bytes), columns },
        segments: segments.filter((one) => one.dimension === name).map((one) => String(one.name)),
      },
    ];
  });
  return { database: typeof status.database === 'string' ? status.database : null, dimensions };
}

function columnsOf(
  entries: readonly JsonObject[],
  isActive: boolean,
  size: JsonObject | undefined,
): Column[] {
  return entries.map((entry) => {
    const name = String(entry['api-name']);
    const type = String(entry.type);
    const columnSize = objectsIn(size?.columns).find((one) => one['api-name'] === name);
    return {
      name,
      label: String(entry.name ?? name),
      type,
      kind: KINDS[type.replace(EVENT_TYPE, '')] ?? 'text',
      isEvent: EVENT_TYPE.test(type),
      isList: entry.storage === 'list-of-values',
      isActive,
      description: String(entry.description ?? ''),
      events: numberOrNull(columnSize?.events),
      bytes: numberOrNull(columnSize?.bytes),
    };
  });
}

const objectsIn = (json: Json | undefined): readonly JsonObject[] =>
  isList(json) ? json.filter(isObject) : [];
const numberOrNull = (json: Json | undefined): number | null => (typeof json === 'number' ? json : null);

export async function loadModel(client: Client): Promise<Model> {
  const { json } = await client.request({ method: 'GET', path: '/v1/column' });
  const [sizes, segments] = await Promise.all(
    ['/v1/status', '/v1/segment'].map((path) => answerOrNull(client, path)),
  );
  return readModel(json, sizes, segments);
}

/** The answer to GET; null if the key may not read it. */
async function answerOrNull(client: Client, path: string): Promise<Json> {
  try {
    return (await client.request({ method: 'GET', path })).json;
  } catch (error) {
    if (error instanceof RequestError && error.status !== 401) return null;
    throw error;
  }
}

export const dimensionOf = (model: Model, name: string): Dimension | undefined =>
  model.dimensions.find((dimension) => dimension.name === name);

export const columnOf = (dimension: Dimension | undefined, name: string): Column | undefined =>
  dimension?.columns.find((column) => column.name === name);

/** Columns that queries can use, without the entity ID. */
export const activeColumns = (dimension: Dimension | undefined): readonly Column[] =>
  dimension?.columns.filter(({ isActive, name }) => isActive && name !== ENTITY_ID) ?? [];

export const attributeColumns = (dimension: Dimension | undefined): readonly Column[] =>
  activeColumns(dimension).filter(({ isEvent }) => !isEvent);
