/** Requests that must be refused, by code: everything except inserts, columns and queries. */
import type { ErrorCode } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { World } from './codes-world.js';

/** The code, the request, and the text that the message must contain. */
export type Refusal = readonly [code: ErrorCode, request: ApiRequest, names?: string];

export const long = (count: number): string => 'x'.repeat(count);

const LISTING: ApiRequest = { path: '/v1/dimension' };
const count: ApiRequest = {
  path: '/v1/query/count/entity',
  body: { 'query-name': 'q', query: [{ name: { equals: 'ann' } }] },
};
const inserted = { u9: { name: 'x' } };

export function accessRefusals({
  team,
  read,
  powerless,
  walled,
  reader,
  writer,
  elsewhere,
}: World): Refusal[] {
  const column = { name: 'fresh', type: 'string' };
  return [
    [500, { ...LISTING, headers: { authorization: null } }, 'Authorization'],
    [501, { ...LISTING, key: '' }, 'Authorization'],
    [502, { ...LISTING, key: 'nobody' }],
    [502, { path: '/v1/session', body: { email: 'ann@example.org', password: 'wrong word' } }],
    [503, { path: '/v1/insert', key: read, body: inserted }, 'POST /v1/insert'],
    [503, { ...LISTING, key: team }, 'team'],
    [503, { path: '/v1/database', key: read }, 'read'],
    [503, { path: '/v1/database/custom_key', key: powerless }, 'list'],
    [503, { path: '/v1/session', body: { email: 'ann@example.org', password: 'long enough' } }, 'group'],
    [504, { ...LISTING, key: walled }, '127.0.0.1'],
    [504, { ...count, key: elsewhere }, '127.0.0.1'],
    [505, { path: '/v1/column', key: writer, body: column }, 'POST /v1/column'],
    [
      505,
      { path: '/v1/insert', key: writer, body: { ...inserted, 'auto-create': ['column'] } },
      'auto-create',
    ],
    [506, { ...count, key: reader, body: { 'query-name': 'q', query: [{ age: { gt: 1 } }] } }, 'age'],
    [507, { path: '/v1/insert', key: reader, body: inserted }, 'read-only'],
    [507, { ...count, key: writer }, 'write-only'],
    [509, { path: '/v1/database', key: reader }, 'GET /v1/database'],
    [509, { path: '/v1/database/retrieve_all', key: reader }, 'retrieve_all'],
    [
      511,
      { path: '/v1/dimension', key: writer, body: { name: 'New', 'api-name': 'new' } },
      'POST /v1/dimension',
    ],
    [511, { path: '/v1/insert', key: writer, body: { ...inserted, 'auto-create': ['column', 'dimension'] } }],
  ];
}

export const TRANSPORT: readonly Refusal[] = [
  [1500, { ...count, headers: { 'content-type': null } }, 'application/json'],
  [1501, { ...count, headers: { 'content-type': 'text/plain' } }, 'text/plain'],
  [1501, { ...count, headers: { 'content-encoding': 'compress' } }, 'compress'],
  [1503, { ...count, text: '{"query-name": "q",}' }, 'position 19'],
  [1503, { ...count, text: '{"query": [], "query": []}' }, 'query'],
  [1503, { path: '/v1/insert', text: '{"u9": {"name": "x"}' }, 'byte 20'],
  [1503, { ...count, text: '{"a": "\\ud800"}' }, 'surrogate'],
  [1503, { ...count, headers: { 'content-encoding': 'gzip' } }, 'gzip'],
  [1505, { path: '/v1/nowhere' }, '/v1/nowhere'],
  [1505, { method: 'DELETE', path: '/v1/insert' }, 'DELETE'],
  [1506, { ...LISTING, plain: true }, '/v1/dimension'],
  [1507, { path: '/v1/insert', text: ' '.repeat(5 * 2 ** 20 + 1) }, String(5 * 2 ** 20)],
  [
    4049,
    { path: '/v1/insert', body: inserted, headers: { 'idempotency-key': long(256) } },
    'Idempotency-Key',
  ],
];

const dimension = (fields: object): ApiRequest => ({
  path: '/v1/dimension',
  body: { name: 'N', 'api-name': 'n', ...fields },
});

export const DIMENSIONS: readonly Refusal[] = [
  [5000, dimension({ 'api-name': 'Upper' }), 'Upper'],
  [5000, dimension({ 'api-name': 'müller' }), 'müller'],
  [5000, { path: '/v1/insert', body: { u9: { dimension: 'No!' }, 'auto-create': ['dimension'] } }, 'No!'],
  [5001, dimension({ name: "O'Neill" }), "O'Neill"],
  [5001, dimension({ name: '' })],
  [5001, dimension({ name: '人' }), '人'],
  [5001, dimension({ 'api-name': 'status' }), 'status'],
  [5001, { method: 'DELETE', path: '/v1/dimension', body: { 'api-name': 'default' } }, 'default'],
  [5003, dimension({ name: long(65) }), '64'],
  [5004, dimension({ 'api-name': long(65) }), '64'],
  [
    5004,
    {
      path: '/v1/insert',
      body: { u9: { dimension: long(65), a: 1 }, 'auto-create': ['dimension', 'column'] },
    },
  ],
  [5006, dimension({ 'api-name': 'people' }), 'people'],
  [5007, dimension({ name: null }), 'name'],
  [5007, dimension({ description: 'x' }), 'description'],
  [5007, { path: '/v1/dimension', body: [] }],
  [5008, { method: 'DELETE', path: '/v1/dimension', body: { 'api-name': 'nowhere' } }, 'nowhere'],
  [5008, { path: '/v1/insert', body: { u9: { dimension: 'nowhere', name: 'x' } } }, 'nowhere'],
  [5008, { ...count, body: { 'query-name': 'q', dimension: 'nowhere', query: [] } }, 'nowhere'],
  [5009, dimension({ name: 5 }), 'name'],
  [5009, { path: '/v1/column', body: { name: 'x', type: 'string', dimension: 5 } }, 'dimension'],
  [5009, { path: '/v1/query/count/entity/total', body: { dimensions: 'default' } }, 'dimensions'],
  [5010, dimension({ 'relational-model-type': 'star' }), 'relational-model-type'],
];

const plans = { 'query-load': 'normal', 'insertion-load': 'normal' };

/** Requests to the endpoints of the team, each sent with the team key. */
export const TEAM: readonly Refusal[] = [
  [7000, { path: '/v1/permission_groups', body: { 'group-name': 5 } }, 'group-name'],
  [7000, { path: '/v1/permission_groups', body: { 'group-name': 'staff' } }, 'staff'],
  [7000, { path: '/v1/permission_groups', body: { 'group-name': 'new', rights: [] } }, 'rights'],
  [7000, { path: '/v1/permission_groups', body: { 'group-name': 'new', 'allowed-permissions': [99] } }, '99'],
  [7050, { path: '/v1/users', body: { email: 'nobody', password: 'long enough' } }, 'nobody'],
  [
    7050,
    { path: '/v1/users', body: { email: 'ann@example.org', password: 'long enough' } },
    'ann@example.org',
  ],
  [7050, { path: '/v1/users', body: { email: 'bob@example.org', password: 'short' } }, 'password'],
  [7050, { method: 'PUT', path: '/v1/users', body: { email: 'bob@example.org' } }, 'bob@example.org'],
  [7050, { path: '/v1/session', body: { email: 'ann@example.org', password: 'x', word: 'x' } }, 'word'],
  [8000, { path: '/v1/database', body: {} }, 'database'],
  [
    8000,
    { path: '/v1/database', body: { database: { name: 'new_one', type: 'test', ...plans } } },
    'new_one',
  ],
  [8000, { path: '/v1/database', body: { database: { name: long(65), type: 'test', ...plans } } }, '64'],
  [
    8000,
    { path: '/v1/database', body: { database: { name: 'new', type: 'production', ...plans } } },
    'pricing-model',
  ],
  [
    8000,
    { path: '/v1/database', body: { database: { name: 'new', type: 'test', ...plans, size: 1 } } },
    'size',
  ],
  [
    8000,
    { method: 'PUT', path: '/v1/database', body: { database: { name: 'full', type: 'production' } } },
    'type',
  ],
  [8000, customKey({ 'key-type': 'all' }), 'all'],
  [8001, { path: '/v1/database', body: { database: { name: 'full', type: 'test', ...plans } } }, 'full'],
  [
    8001,
    {
      method: 'PUT',
      path: '/v1/database',
      body: { database: { name: 'full', 'new-database-name': 'quarry' } },
    },
    'quarry',
  ],
  [8002, { method: 'PUT', path: '/v1/database', body: { database: { name: 'nowhere' } } }, 'nowhere'],
  [8002, { method: 'DELETE', path: '/v1/database', body: { database: { name: 'nowhere' } } }, 'nowhere'],
  [8003, customKey({ 'key-name': 'reader' }), 'reader'],
  [8004, { ...customKey({ 'key-name': 'nobody' }), method: 'PUT' }, 'nobody'],
  [8004, { ...customKey({ 'key-name': 'nobody', 'key-type': undefined }), method: 'DELETE' }, 'nobody'],
  [3018, customKey({ 'columns-whitelist': { default: ['nothing'] } }), 'nothing'],
  [5008, customKey({ filter: { nowhere: { name: { equals: 'x' } } } }), 'nowhere'],
  [4008, customKey({ filter: { default: { nothing: { equals: 'x' } } } }), 'nothing'],
];

function customKey(fields: object): ApiRequest {
  const key = { 'key-name': 'new', 'key-type': 'read-only', ...fields };
  return {
    path: '/v1/database/custom_key',
    body: { 'database-name': 'quarry', 'custom-database-key': key },
  };
}
