/** Databases, custom keys, users and permission groups. In what the team makes null counts as absent. */
import {
  ADDRESSES_MAX,
  CLOUD_AREAS,
  DATABASE_NAME_FORM,
  DATABASE_TYPES,
  EMAIL_CHARS_MAX,
  KNOWN_FIELDS,
  NAMED_MAX,
  PASSWORD_CHARS_MIN,
  PERSON_NAME_CHARS_MAX,
  TEAM_LIST_ITEMS_MAX,
  TEAM_TEXT_CHARS_MAX,
} from '../api/index.js';
import { NAME_CHARS_MAX } from '../base/index.js';
import { CUSTOM_KEY_LEVELS, LOAD_PLANS, PERMISSIONS, PRICING_MODELS, WEEK_DAYS } from '../catalog/index.js';
import {
  count,
  fieldsOf,
  listOf,
  mapOf,
  membersOf,
  oneOfTexts,
  orNull,
  ref,
  type Schema,
  text,
  wholeNumber,
} from './schema.js';

const line = (description: string): Schema => text(description, { maxLength: TEAM_TEXT_CHARS_MAX });
const someText = (description: string): Schema => orNull(line(description));
const choice = (choices: readonly string[], description: string): Schema =>
  orNull(oneOfTexts(choices, description));
const lines = (description: string): Schema =>
  orNull(listOf(line('One of them.'), description, { maxItems: TEAM_LIST_ITEMS_MAX }));
const newName = (description: string): Schema =>
  text(description, { minLength: 1, maxLength: NAME_CHARS_MAX });
const addresses = orNull(
  listOf(
    line('An address, a network such as `10.0.0.0/8`, or a host name.'),
    'Whence requests are let in; `[]` = from anywhere.',
    {
      maxItems: ADDRESSES_MAX,
    },
  ),
);

const databaseName = text('Printable ASCII without quotes and underscores.', {
  pattern: DATABASE_NAME_FORM.source,
  maxLength: NAME_CHARS_MAX,
});
const properties = {
  description: someText('Free text.'),
  type: choice(DATABASE_TYPES, 'Cannot change later.'),
  'pricing-model': {
    description: `Of a production database one of ${PRICING_MODELS.join(', ')}; of a test database ignored.`,
    examples: PRICING_MODELS,
  },
  labels: lines('Labels.'),
  'query-load': choice(LOAD_PLANS, 'Plan that bounds queries a minute.'),
  'insertion-load': choice(LOAD_PLANS, 'Plan that bounds writes a day.'),
  cloud_provider: choice([...CLOUD_AREAS.keys()], 'Kept for whoever places it; `ovh` unless given.'),
  cloud_area: choice(
    [...new Set([...CLOUD_AREAS.values()].flat())],
    'One of the provider’s; its first unless given.',
  ),
};
const anyName = line('Name of the database.');

const keyFields = {
  'key-name': newName('Unique within the database.'),
  'key-type': choice(CUSTOM_KEY_LEVELS, 'What the key may do.'),
  description: someText('Free text.'),
  'columns-whitelist': orNull(
    mapOf(
      listOf({ type: 'string' }, 'Api-names of columns.', { maxItems: NAMED_MAX }),
      'By dimension, the columns that the key may use; `{}` = all.',
      {
        maxProperties: NAMED_MAX,
      },
    ),
  ),
  filter: orNull(
    mapOf(
      mapOf(ref('Predicates'), 'By column.', { minProperties: 1 }),
      'By dimension, conditions that all rows satisfy which the key sees; `{}` = all.',
      { maxProperties: NAMED_MAX },
    ),
  ),
  'addresses-whitelist': addresses,
};
const keyName = line('Name of the key.');

const groupFields = {
  'group-name': newName('Unique.'),
  description: someText('Free text.'),
  'allowed-permissions': orNull(
    listOf(
      wholeNumber('Number of a permission.', 1, Math.max(...Object.keys(PERMISSIONS).map(Number))),
      'What its users may do.',
      {
        maxItems: TEAM_LIST_ITEMS_MAX,
      },
    ),
  ),
  'allowed-databases': lines('Names of the databases that its users may use.'),
  labels: lines('Labels.'),
  'week-days': orNull(
    listOf(oneOfTexts(WEEK_DAYS, 'Of UTC.'), 'On which its users are let in; `[]` = always.', {
      maxItems: TEAM_LIST_ITEMS_MAX,
    }),
  ),
  'access-hours': orNull(ref('AccessHours')),
};
const groupName = line('Name of the group.');

const userFields = {
  email: text('Identifies the user, without case.', { minLength: 1, maxLength: EMAIL_CHARS_MAX }),
  labels: lines('Labels.'),
  'first-name': orNull(text('First name.', { maxLength: PERSON_NAME_CHARS_MAX })),
  'last-name': orNull(text('Last name.', { maxLength: PERSON_NAME_CHARS_MAX })),
  'permission-group': someText('Name of the group; empty = none.'),
};

const timestamp = text('YYYY-MM-DDThh:mm:ss.ffffff, of UTC.', {
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}$',
});

/** A database's metadata. */
export const DATABASE_MEMBERS: Readonly<Record<string, Schema>> = {
  name: { type: 'string' },
  description: { type: 'string' },
  dimensions: listOf({ type: 'string' }, 'Api-names.'),
  'updated-at': timestamp,
  'created-at': timestamp,
  type: { enum: DATABASE_TYPES },
  'pricing-model': { enum: [...PRICING_MODELS, null] },
  labels: listOf({ type: 'string' }, 'Labels.'),
  'query-load': { enum: LOAD_PLANS },
  'insertion-load': { enum: LOAD_PLANS },
  cloud_provider: { type: 'string' },
  cloud_area: { type: 'string' },
  'addresses-whitelist': listOf({ type: 'string' }, 'Empty = from anywhere.'),
  usage: ref('Usage'),
};

export const TEAM_SCHEMAS: Readonly<Record<string, Schema>> = {
  NewDatabase: fieldsOf(
    KNOWN_FIELDS.databaseBody,
    {
      database: fieldsOf(
        KNOWN_FIELDS.newDatabase,
        { name: databaseName, ...properties },
        ['name', 'type', 'query-load', 'insertion-load'],
        {
          if: { properties: { type: { const: 'production' } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { properties: { 'pricing-model': { enum: PRICING_MODELS } }, required: ['pricing-model'] },
        },
      ),
      'addresses-whitelist': addresses,
    },
    ['database'],
  ),
  ChangedDatabase: fieldsOf(
    KNOWN_FIELDS.databaseBody,
    {
      database: fieldsOf(
        KNOWN_FIELDS.changedDatabase,
        { name: anyName, ...properties, 'new-database-name': orNull(databaseName) },
        ['name'],
      ),
      'addresses-whitelist': addresses,
    },
    ['database'],
  ),
  DeletedDatabase: fieldsOf(
    KNOWN_FIELDS.deletedDatabaseBody,
    { database: fieldsOf(KNOWN_FIELDS.deletedDatabase, { name: anyName }, ['name']) },
    ['database'],
  ),
  NewCustomKey: fieldsOf(
    KNOWN_FIELDS.customKeyBody,
    {
      'database-name': anyName,
      'custom-database-key': fieldsOf(KNOWN_FIELDS.newCustomKey, keyFields, ['key-name', 'key-type']),
    },
    ['database-name', 'custom-database-key'],
  ),
  ChangedCustomKey: fieldsOf(
    KNOWN_FIELDS.customKeyBody,
    {
      'database-name': anyName,
      'custom-database-key': fieldsOf(
        KNOWN_FIELDS.changedCustomKey,
        {
          ...keyFields,
          'key-name': keyName,
          'new-key-name': orNull(newName('What it is called from now on.')),
        },
        ['key-name'],
      ),
    },
    ['database-name', 'custom-database-key'],
  ),
  DeletedCustomKey: fieldsOf(
    KNOWN_FIELDS.customKeyBody,
    {
      'database-name': anyName,
      'custom-database-key': fieldsOf(KNOWN_FIELDS.deletedCustomKey, { 'key-name': keyName }, ['key-name']),
    },
    ['database-name', 'custom-database-key'],
  ),
  AccessHours: {
    ...fieldsOf(KNOWN_FIELDS.accessHours, { from: text('HH:MM, inside.'), to: text('HH:MM, outside.') }, [], {
      dependentRequired: { from: ['to'], to: ['from'] },
    }),
    description: 'Of UTC; over midnight when `from` is later than `to`; `{}` = the whole day.',
  },
  NewGroup: fieldsOf(KNOWN_FIELDS.newGroup, groupFields, ['group-name']),
  ChangedGroup: fieldsOf(
    KNOWN_FIELDS.changedGroup,
    {
      ...groupFields,
      'group-name': groupName,
      'new-group-name': orNull(newName('What it is called from now on.')),
    },
    ['group-name'],
  ),
  DeletedGroup: fieldsOf(KNOWN_FIELDS.deletedGroup, { 'group-name': groupName }, ['group-name']),
  NewUser: fieldsOf(
    KNOWN_FIELDS.newUser,
    {
      ...userFields,
      password: text('Kept as a hash.', { minLength: PASSWORD_CHARS_MIN, maxLength: TEAM_TEXT_CHARS_MAX }),
    },
    ['email', 'password'],
  ),
  ChangedUser: fieldsOf(KNOWN_FIELDS.changedUser, userFields, ['email']),
  DeletedUser: fieldsOf(KNOWN_FIELDS.deletedUser, { email: userFields.email }, ['email']),
  SignIn: fieldsOf(
    KNOWN_FIELDS.session,
    {
      email: line('Of the user.'),
      password: line('Of the user.'),
      'database-name': orNull({
        ...anyName,
        description: 'For requests inside that database; without it for the team’s.',
      }),
    },
    ['email', 'password'],
  ),
  Database: membersOf(DATABASE_MEMBERS),
  Usage: membersOf({
    requests: count('Requests of all kinds.'),
    queries: count('Requests that read rows.'),
    'inserted-entities': count('Since the database was made.'),
    'inserted-values': count('Since the database was made.'),
    'updated-entities': count('Since the database was made.'),
    'writes-today': count('Entities inserted and updated since midnight UTC.'),
  }),
};
