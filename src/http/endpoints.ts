/**
 * The one table of the interface's endpoints: method, path, who may call it and what it runs.
 * Invariants: a (method, path) pair stands here once; paths have no trailing slash; an endpoint whose handler is
 * null is not built yet and answers 1505.
 */
import type { KeyKind } from '../catalog/index.js';
import { createColumns, listColumns } from './handlers/column.js';
import { createDimension, deleteDimension, listDimensions } from './handlers/dimension.js';
import type { Handler } from './handlers/handler.js';
import { insert } from './handlers/insert.js';
import { countEntities, countTotal, countTotalOfAll, existEntities } from './handlers/query.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Endpoint {
  readonly method: Method;
  /** A segment that begins with `:` stands for any text. */
  readonly path: string;
  readonly keys: readonly KeyKind[];
  /** What a body must be declared as. */
  readonly bodyType: 'application/json' | 'application/sql';
  /** Served over plain HTTP too. */
  readonly plainHttp: boolean;
  readonly handler: Handler | null;
}

const WRITERS: readonly KeyKind[] = ['master', 'write'];
const READERS: readonly KeyKind[] = ['master', 'read'];
const ANY_DATABASE_KEY: readonly KeyKind[] = ['master', 'write', 'read'];
const MASTER: readonly KeyKind[] = ['master'];
const TEAM: readonly KeyKind[] = ['team'];

function endpoint(
  method: Method,
  path: string,
  keys: readonly KeyKind[],
  handler: Handler | null,
  more: Partial<Pick<Endpoint, 'bodyType' | 'plainHttp'>> = {},
): Endpoint {
  return { method, path, keys, bodyType: 'application/json', plainHttp: false, handler, ...more };
}

export const ENDPOINTS: readonly Endpoint[] = [
  endpoint('POST', '/v1/dimension', WRITERS, createDimension),
  endpoint('DELETE', '/v1/dimension', WRITERS, deleteDimension),
  endpoint('GET', '/v1/dimension', ANY_DATABASE_KEY, listDimensions),
  endpoint('POST', '/v1/column', WRITERS, createColumns),
  endpoint('PUT', '/v1/column', WRITERS, null),
  endpoint('DELETE', '/v1/column', WRITERS, null),
  endpoint('GET', '/v1/column', ANY_DATABASE_KEY, listColumns),
  endpoint('POST', '/v1/column/relation', WRITERS, null),
  endpoint('DELETE', '/v1/column/relation', WRITERS, null),
  endpoint('GET', '/v1/column/relation', ANY_DATABASE_KEY, null),
  endpoint('POST', '/v1/insert', WRITERS, insert, { plainHttp: true }),
  endpoint('POST', '/v1/update', WRITERS, null),
  endpoint('POST', '/v1/delete', WRITERS, null),
  endpoint('POST', '/v1/sql', READERS, null, { bodyType: 'application/sql' }),
  endpoint('POST', '/v1/query/count/entity', READERS, countEntities),
  endpoint('POST', '/v1/query/count/entity/total', READERS, countTotal),
  endpoint('GET', '/v1/query/count/entity/total', READERS, countTotalOfAll),
  endpoint('POST', '/v1/query/exists/entity', READERS, existEntities),
  endpoint('POST', '/v1/query/count/event', READERS, null),
  endpoint('POST', '/v1/query/count/events', READERS, null),
  endpoint('POST', '/v1/query/aggregation', READERS, null),
  endpoint('POST', '/v1/query/top_values', READERS, null),
  endpoint('POST', '/v1/data_extraction/result', READERS, null),
  endpoint('POST', '/v1/data_extraction/score', READERS, null),
  endpoint('POST', '/v1/query/saved', MASTER, null),
  endpoint('GET', '/v1/query/saved', READERS, null),
  endpoint('GET', '/v1/query/saved/:query_name', MASTER, null),
  endpoint('PUT', '/v1/query/saved/:query_name', MASTER, null),
  endpoint('DELETE', '/v1/query/saved/:query_name', MASTER, null),
  endpoint('POST', '/v1/database', TEAM, null),
  endpoint('PUT', '/v1/database', TEAM, null),
  endpoint('DELETE', '/v1/database', TEAM, null),
  endpoint('GET', '/v1/database', MASTER, null),
  endpoint('GET', '/v1/database/retrieve_all', TEAM, null),
  endpoint('GET', '/v1/database/custom_key', TEAM, null),
  endpoint('POST', '/v1/database/custom_key', TEAM, null),
  endpoint('PUT', '/v1/database/custom_key', TEAM, null),
  endpoint('DELETE', '/v1/database/custom_key', TEAM, null),
  endpoint('POST', '/v1/users', TEAM, null),
  endpoint('PUT', '/v1/users', TEAM, null),
  endpoint('DELETE', '/v1/users', TEAM, null),
  endpoint('POST', '/v1/permission_groups', TEAM, null),
  endpoint('PUT', '/v1/permission_groups', TEAM, null),
  endpoint('DELETE', '/v1/permission_groups', TEAM, null),
];
