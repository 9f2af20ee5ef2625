/** Databases and their keys, users, groups and sessions. */
import * as codes from '../codes.js';
import { listOf, mapOf, membersOf, ref, success, text } from '../schema.js';
import { DATABASE_MEMBERS } from '../team.js';
import { listOfNames, type Operations, ok } from './operation.js';

const databaseNames = success({ 'database-name': listOfNames('Its name.') });
const customKeys = success({ 'custom-keys': listOfNames('Its name.') });
const users = success({ users: listOfNames('Its email.') });
const groups = success({ 'permission-groups': listOfNames('Its name.') });
const SHOP = { 'database-name': 'shop' };

export const TEAM_OPERATIONS: Operations = {
  'GET /v1/database': {
    tag: 'Databases',
    summary: 'Describe the key’s database',
    answer: success(DATABASE_MEMBERS),
    codes: [],
  },
  'POST /v1/database': {
    tag: 'Databases',
    summary: 'Make a database',
    description: 'The answer holds the keys of the database, this once.',
    request: 'NewDatabase',
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
    answer: success({
      'database-name': listOfNames('Its name.'),
      keys: membersOf(
        {
          'master-key': { type: 'string' },
          'write-key': { type: 'string' },
          'read-key': { type: 'string' },
          'demo-key': text('Of a test database.'),
        },
        ['demo-key'],
      ),
    }),
    codes: [8000, 8001],
  },
  'PUT /v1/database': {
    tag: 'Databases',
    summary: 'Change a database',
    request: 'ChangedDatabase',
    example: { database: { name: 'shop', 'new-database-name': 'old-shop' } },
    answer: databaseNames,
    answered: ok({ 'database-name': ['old-shop'] }),
    codes: [8000, 8001, 8002],
  },
  'DELETE /v1/database': {
    tag: 'Databases',
    summary: 'Delete a database with everything in it',
    request: 'DeletedDatabase',
    example: { database: { name: 'old-shop' } },
    answer: databaseNames,
    answered: ok({ 'database-name': ['old-shop'] }),
    codes: [189, 8000, 8002],
  },
  'GET /v1/database/retrieve_all': {
    tag: 'Databases',
    summary: 'Describe all databases',
    answer: listOf(ref('Database'), 'Of a user, those of the group.'),
    codes: [],
  },
  'GET /v1/status': {
    tag: 'Databases',
    summary: 'What the database holds, and the memory it takes',
    answer: success({
      database: text('Its name.'),
      dimensions: listOf(ref('DimensionStatus'), 'All of them.'),
    }),
    codes: [],
  },
  'GET /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'List custom keys',
    answer: success({
      'custom-keys': listOfNames('Of all databases.'),
      databases: mapOf(listOfNames('Its keys.'), 'By the name of the database.'),
    }),
    answered: ok({ 'custom-keys': ['partner'], databases: { shop: ['partner'] } }),
    codes: [],
  },
  'POST /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Make a custom key',
    description: 'The answer holds its text, this once.',
    request: 'NewCustomKey',
    example: {
      ...SHOP,
      'custom-database-key': {
        'key-name': 'partner',
        'key-type': 'read-only',
        filter: { customers: { country: { equals: 'france' } } },
      },
    },
    answer: success({ 'custom-keys': listOfNames('Its name.'), key: text('Its text.') }),
    codes: [...codes.CUSTOM_KEYS, 8003],
  },
  'PUT /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Change a custom key',
    description: 'What is absent or null stays; `{}` takes a restriction away.',
    request: 'ChangedCustomKey',
    example: { ...SHOP, 'custom-database-key': { 'key-name': 'partner', filter: {} } },
    answer: customKeys,
    answered: ok({ 'custom-keys': ['partner'] }),
    codes: [...codes.CUSTOM_KEYS, 8003, 8004],
  },
  'DELETE /v1/database/custom_key': {
    tag: 'Databases',
    summary: 'Delete a custom key',
    request: 'DeletedCustomKey',
    example: { ...SHOP, 'custom-database-key': { 'key-name': 'partner' } },
    answer: customKeys,
    answered: ok({ 'custom-keys': ['partner'] }),
    codes: [8000, 8002, 8004],
  },
  'POST /v1/users': {
    tag: 'Users',
    summary: 'Make a user',
    request: 'NewUser',
    example: { email: 'ada@example.com', password: 'correct horse', 'permission-group': 'analysts' },
    answer: users,
    answered: ok({ users: ['ada@example.com'] }),
    codes: [7050],
  },
  'PUT /v1/users': {
    tag: 'Users',
    summary: 'Change a user',
    request: 'ChangedUser',
    example: { email: 'ada@example.com', labels: ['london'] },
    answer: users,
    answered: ok({ users: ['ada@example.com'] }),
    codes: [7050],
  },
  'DELETE /v1/users': {
    tag: 'Users',
    summary: 'Delete a user',
    request: 'DeletedUser',
    example: { email: 'ada@example.com' },
    answer: users,
    answered: ok({ users: ['ada@example.com'] }),
    codes: [7050],
  },
  'POST /v1/permission_groups': {
    tag: 'Users',
    summary: 'Make a permission group',
    request: 'NewGroup',
    example: {
      'group-name': 'analysts',
      'allowed-permissions': [1, 6],
      'allowed-databases': ['shop'],
      'week-days': ['mon', 'tue', 'wed', 'thu', 'fri'],
      'access-hours': { from: '07:00', to: '19:00' },
    },
    answer: groups,
    answered: ok({ 'permission-groups': ['analysts'] }),
    codes: [7000],
  },
  'PUT /v1/permission_groups': {
    tag: 'Users',
    summary: 'Change a permission group',
    request: 'ChangedGroup',
    example: { 'group-name': 'analysts', 'allowed-permissions': [1, 5, 6] },
    answer: groups,
    answered: ok({ 'permission-groups': ['analysts'] }),
    codes: [7000],
  },
  'DELETE /v1/permission_groups': {
    tag: 'Users',
    summary: 'Delete a permission group',
    request: 'DeletedGroup',
    example: { 'group-name': 'analysts' },
    answer: groups,
    answered: ok({ 'permission-groups': ['analysts'] }),
    codes: [7000],
  },
  'POST /v1/session': {
    tag: 'Users',
    summary: 'Sign in',
    description: 'The session’s key goes as `Authorization` for at most 12 hours.',
    request: 'SignIn',
    example: { email: 'ada@example.com', password: 'correct horse', 'database-name': 'shop' },
    answer: success({
      'session-key': text('For the Authorization header.'),
      'expires-at': text('When it ends.', { format: 'date-time' }),
      permissions: listOf({ type: 'integer' }, 'Numbers of what the group may do.'),
      databases: listOfNames('That the group may use.'),
    }),
    codes: [502, 503, 7050],
  },
};
