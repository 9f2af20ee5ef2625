/** Databases and their keys, users, groups and sessions. */
import {
  answers,
  changedCustomKey,
  changedDatabase,
  changedGroup,
  changedUser,
  deletedCustomKey,
  deletedDatabase,
  deletedGroup,
  deletedUser,
  newCustomKey,
  newDatabase,
  newGroup,
  newUser,
  signIn,
} from '../../interface/index.js';
import * as codes from '../codes.js';
import { LIVE_PARAMETERS, type Operations, ok } from './operation.js';

const SHOP = { 'database-name': 'shop' };

const CALLER = {
  'request-id': '5b2f-7',
  endpoint: 'POST /v1/sql',
  key: 'read-1f0c9a77',
};
const RUNNING = {
  ...{ id: '5b2f-3', ...CALLER, kind: 'http', started: '2026-01-05T12:00:00.000Z', milliseconds: 2_130 },
  ...{ state: 'running', 'reserved-bytes': 67_108_864, query: 'SELECT COUNT(*) FROM customers' },
};
const SLOW = {
  ...{ ended: '2026-01-05T12:00:04.000Z', ...CALLER, 'http-status': 200, milliseconds: 4_012, rows: 1 },
  ...{ 'memory-wait-milliseconds': 0, 'slot-wait-milliseconds': 1_950, 'version-wait-milliseconds': 0 },
  ...{ 'spilled-bytes': 0, query: 'SELECT COUNT(*) FROM customers', plan: ['select: scan of customers'] },
};

const PARTNER = {
  ...{ 'database-name': 'shop', 'key-name': 'partner', 'key-type': 'read-only', description: '' },
  ...{ 'columns-whitelist': {}, filter: { customers: { country: { equals: 'france' } } } },
  ...{ 'addresses-whitelist': [], 'last-used': '2026-01-05T12:00:00.000Z' },
};
const USER = {
  ...{ email: 'ada@example.com', 'first-name': 'Ada', 'last-name': 'Lovelace' },
  ...{ labels: ['london'], 'permission-group': 'analysts' },
};
const GROUP = {
  ...{ 'group-name': 'analysts', description: '', 'allowed-permissions': [1, 6] },
  ...{ 'allowed-databases': ['shop'], labels: [], 'week-days': ['mon', 'tue', 'wed', 'thu', 'fri'] },
  'access-hours': { from: '07:00', to: '19:00' },
};

export const TEAM_OPERATIONS: Operations = {
  'GET /v1/database': {
    tag: 'Databases',
    summary: 'Describe the key’s database',
    answer: answers.database,
  },
  'POST /v1/database': {
    tag: 'Databases',
    summary: 'Make a database',
    description: 'Only this answer holds the keys of the database.',
    request: newDatabase,
    example: {
      database: {
        name: 'shop',
        type: 'production',
        'pricing-model': 'smart-pricing',
        'query-load': 'high',
        'insertion-load': 'normal',
      },
      'addresses-whitelist': ['127.0.0.0/8', 'localhost'],
    },
    answer: answers.createdDatabase,
    codes: [8001],
  },
  'PUT /v1/database': {
    tag: 'Databases',
    summary: 'Change a database',
    request: changedDatabase,
    example: { database: { name: 'shop', 'new-database-name': 'old-shop' } },
    answer: answers.databaseNames,
    answered: ok({ 'database-name': ['old-shop'] }),
    codes: [8001, 8002],
  },
  'DELETE /v1/database': {
    tag: 'Databases',
    summary: 'Delete a database with everything in it',
    request: deletedDatabase,
    example: { database: { name: 'old-shop' } },
    answer: answers.databaseNames,
    answered: ok({ 'database-name': ['old-shop'] }),
    codes: [189, 8002],
  },
  'GET /v1/database/retrieve_all': {
    tag: 'Databases',
    summary: 'Describe all databases',
    answer: answers.databases,
  },
  'GET /v1/status': {
    tag: 'Databases',
    summary: 'The contents of the database and their memory',
    answer: answers.status,
  },
  'GET /v1/status/live': {
    tag: 'Databases',
    summary: 'Follow what is inserted into the database',
    description:
      'Server-sent events: the number of inserted entities and values and of updated entities since the database was made, at once and whenever one of them changes.',
    parameters: LIVE_PARAMETERS,
    events: true,
    answer: answers.inserts,
    answered: ok({
      database: 'shop',
      usage: { 'inserted-entities': 3, 'inserted-values': 9, 'updated-entities': 1 },
    }),
    codes: [4049, 9003, 9101],
  },
  'GET /v1/status/queries': {
    tag: 'Databases',
    summary: 'List the queries that run',
    description:
      'Queries and SQL of all keys of the database, of the Postgres port too, and evaluations of live answers.',
    answer: answers.runningQueries,
    answered: ok({ count: 1, queries: [RUNNING] }),
  },
  'DELETE /v1/status/queries/:query_id': {
    tag: 'Databases',
    summary: 'Stop a query',
    description:
      'The client of the query gets 9007, and a client of the Postgres port 57014. A write that is in the log is not undone. `stopped` is false if the query had ended.',
    answer: answers.stoppedQuery,
    answered: ok({ stopped: true }),
  },
  'GET /v1/status/slow_queries': {
    tag: 'Databases',
    summary: 'List the newest slow queries',
    description:
      'The newest since the start that took at least `--slow-query` milliseconds, as the log has them.',
    answer: answers.slowQueries,
    answered: ok({ 'slow-from-milliseconds': 1_000, queries: [SLOW] }),
  },
  'GET /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'List custom keys',
    answer: answers.customKeys,
    description: 'Without the texts of the keys.',
    answered: ok({ 'custom-keys': ['partner'], databases: { shop: ['partner'] }, keys: [PARTNER] }),
  },
  'POST /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Make a custom key',
    description: 'Only this answer holds the text of the key.',
    request: newCustomKey,
    example: {
      ...SHOP,
      'custom-database-key': {
        'key-name': 'partner',
        'key-type': 'read-only',
        filter: { customers: { country: { equals: 'france' } } },
      },
    },
    answer: answers.createdCustomKey,
    codes: [...codes.CUSTOM_KEYS, 8003],
  },
  'PUT /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Change a custom key',
    description: 'Fields that are absent or null stay unchanged; `{}` removes a restriction.',
    request: changedCustomKey,
    example: { ...SHOP, 'custom-database-key': { 'key-name': 'partner', filter: {} } },
    answer: answers.customKeyNames,
    answered: ok({ 'custom-keys': ['partner'] }),
    codes: [...codes.CUSTOM_KEYS, 8003, 8004],
  },
  'DELETE /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Delete a custom key',
    request: deletedCustomKey,
    example: { ...SHOP, 'custom-database-key': { 'key-name': 'partner' } },
    answer: answers.customKeyNames,
    answered: ok({ 'custom-keys': ['partner'] }),
    codes: [8002, 8004],
  },
  'GET /v1/users': {
    tag: 'Users',
    summary: 'List the users',
    description: 'Without their passwords.',
    answer: answers.listedUsers,
    answered: ok({ users: [USER] }),
  },
  'POST /v1/users': {
    tag: 'Users',
    summary: 'Make a user',
    request: newUser,
    example: { email: 'ada@example.com', password: 'correct horse', 'permission-group': 'analysts' },
    answer: answers.users,
    answered: ok({ users: ['ada@example.com'] }),
  },
  'PUT /v1/users': {
    tag: 'Users',
    summary: 'Change a user',
    request: changedUser,
    example: { email: 'ada@example.com', labels: ['london'] },
    answer: answers.users,
    answered: ok({ users: ['ada@example.com'] }),
  },
  'DELETE /v1/users': {
    tag: 'Users',
    summary: 'Delete a user',
    request: deletedUser,
    example: { email: 'ada@example.com' },
    answer: answers.users,
    answered: ok({ users: ['ada@example.com'] }),
  },
  'GET /v1/permission_groups': {
    tag: 'Users',
    summary: 'List the permission groups',
    description: 'PUT takes the fields of an entry unchanged.',
    answer: answers.listedGroups,
    answered: ok({ 'permission-groups': [GROUP] }),
  },
  'POST /v1/permission_groups': {
    tag: 'Users',
    summary: 'Make a permission group',
    request: newGroup,
    example: {
      'group-name': 'analysts',
      'allowed-permissions': [1, 6],
      'allowed-databases': ['shop'],
      'week-days': ['mon', 'tue', 'wed', 'thu', 'fri'],
      'access-hours': { from: '07:00', to: '19:00' },
    },
    answer: answers.permissionGroups,
    answered: ok({ 'permission-groups': ['analysts'] }),
  },
  'PUT /v1/permission_groups': {
    tag: 'Users',
    summary: 'Change a permission group',
    request: changedGroup,
    example: { 'group-name': 'analysts', 'allowed-permissions': [1, 5, 6] },
    answer: answers.permissionGroups,
    answered: ok({ 'permission-groups': ['analysts'] }),
  },
  'DELETE /v1/permission_groups': {
    tag: 'Users',
    summary: 'Delete a permission group',
    request: deletedGroup,
    example: { 'group-name': 'analysts' },
    answer: answers.permissionGroups,
    answered: ok({ 'permission-groups': ['analysts'] }),
  },
  'POST /v1/session': {
    tag: 'Users',
    summary: 'Sign in',
    description: 'The key of the session is sent as `Authorization`; it is valid for at most 12 hours.',
    request: signIn,
    example: { email: 'ada@example.com', password: 'correct horse', 'database-name': 'shop' },
    answer: answers.session,
    codes: [502, 503],
  },
};
